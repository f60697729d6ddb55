// SPDX-License-Identifier: Apache-2.0
// The Python side of the kernels. Whole numbers of any width come as pairs of 64-bit halves, low half first.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind_families.hpp"
#include "combine.hpp"
#include "passes.hpp"
#include "two_ended.hpp"

namespace nb = nanobind;
using namespace oddly;
using Wide = __int128;

using Halves = nb::ndarray<const uint64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using LevelArray = nb::ndarray<const uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ByteArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

constexpr size_t kPatience = size_t{1} << 13;

template <class Sum>
Sum whole(const uint64_t* halves) {
  return static_cast<Sum>(static_cast<Wide>((static_cast<unsigned __int128>(halves[1]) << 64) | halves[0]));
}

template <class T, class Take>
std::vector<std::vector<T>> ragged(const std::vector<size_t>& arities, size_t available, Take take) {
  std::vector<std::vector<T>> rows;
  size_t at = 0;
  for (size_t arity : arities) {
    if (at + arity > available) throw nb::value_error("fewer numbers than the arities ask for");
    rows.emplace_back();
    for (size_t c = 0; c < arity; c++) rows.back().push_back(take(at++));
  }
  return rows;
}

template <class Sum>
std::vector<std::vector<Sum>> sums(const Halves& halves, const std::vector<size_t>& arities) {
  return ragged<Sum>(arities, halves.shape(0), [&](size_t i) { return whole<Sum>(halves.data() + 2 * i); });
}

// Calls a Python object's methods, so that limits, progress and Ctrl-C are all Python's business; but not for trifles,
// which would take less time than the calls.
class PythonWatcher : public Watcher {
 public:
  explicit PythonWatcher(nb::object watch) : watch_(std::move(watch)) {}
  void lists(size_t grown, size_t bytes, size_t entries) override {
    if (bytes < kTrifle) return;
    nb::gil_scoped_acquire gil;
    watch_.attr("lists")(grown, bytes, entries);
  }
  void nodes(size_t count) override {
    {
      std::lock_guard lock(mutex_);
      found_ += count;
      levels_++;
      if (found_ < kTrifle) return;
    }
    tell();
  }
  void tell() {
    size_t found, levels;
    {
      std::lock_guard lock(mutex_);
      found = std::exchange(found_, 0), levels = std::exchange(levels_, 0);
    }
    nb::gil_scoped_acquire gil;
    if (levels) watch_.attr("nodes")(found, levels);
  }

 private:
  static constexpr size_t kTrifle = size_t{1} << 16;
  nb::object watch_;
  std::mutex mutex_;
  size_t found_ = 0, levels_ = 0;  // not told yet
};

nb::object as_array(Buffer<Node>&& rows, size_t arity) {
  size_t nodes = rows.size() / arity;
  return owned(std::move(rows), {nodes, arity});
}

template <class Sum>
nb::list build_levels(const Halves& start, const Halves& weights, const std::vector<size_t>& arities,
                      nb::object watch, size_t patience) {
  PythonWatcher watcher(watch);
  Sum first = whole<Sum>(start.data());
  auto table = sums<Sum>(weights, arities);
  std::vector<Buffer<Node>> rows;
  {
    nb::gil_scoped_release nogil;
    rows = TwoEnded<Sum>(first, std::move(table), watcher, patience).build();
    watcher.tell();
  }
  nb::list levels;
  for (size_t k = 0; k < rows.size(); k++) levels.append(as_array(std::move(rows[k]), arities[k]));
  return levels;
}

template <class Sum>
std::vector<size_t> count_widths(const Halves& start, const Halves& weights, const std::vector<size_t>& arities,
                                 size_t first, size_t last, nb::object watch) {
  PythonWatcher watcher(watch);
  Sum from = whole<Sum>(start.data());
  auto table = sums<Sum>(weights, arities);
  nb::gil_scoped_release nogil;
  return TwoEnded<Sum>(from, std::move(table), watcher, kPatience).widths(first, last);
}

std::vector<LevelView> views(const std::vector<LevelArray>& levels) {
  std::vector<LevelView> found;
  for (const auto& level : levels) found.push_back({level.data(), level.shape(0), level.shape(1)});
  return found;
}

nb::list combine_levels(const std::vector<LevelArray>& left, const std::vector<LevelArray>& right, Node left_root,
                        Node right_root, size_t left_labels, size_t right_labels, const ByteArray& outcome,
                        size_t labels, nb::object watch) {
  if (outcome.shape(0) != left_labels * right_labels) throw nb::value_error("the outcomes are not one per pair");
  auto a = views(left), b = views(right);
  if (a.size() != b.size()) throw nb::value_error("the diagrams differ in depth");
  std::vector<size_t> arities;
  for (size_t k = 0; k < a.size(); k++) {
    if (a[k].arity != b[k].arity) throw nb::value_error("the diagrams differ in arity");
    arities.push_back(a[k].arity);
  }
  PythonWatcher watcher(watch);
  std::vector<Buffer<Node>> rows;
  {
    nb::gil_scoped_release nogil;
    rows = Combine(a, b, left_labels, right_labels, outcome.data(), watcher).build(left_root, right_root, labels);
    watcher.tell();
  }
  nb::list levels;
  for (size_t k = 0; k < rows.size(); k++) levels.append(as_array(std::move(rows[k]), arities[k]));
  return levels;
}

template <class Sum>
nb::object wide_int(Sum value) {
  if (value > far<Sum> / 2 || value < -far<Sum> / 2) return nb::none();  // no path
  Wide wide = value;
  nb::object high = nb::cast(static_cast<int64_t>(wide >> 64)), low = nb::cast(static_cast<uint64_t>(wide));
  return (high << nb::cast(64)) | low;
}

// A finished diagram with a weight for each edge.
template <class Sum>
struct Weighted {
  std::vector<LevelView> levels;
  std::vector<std::vector<Sum>> weights;
  std::vector<std::vector<uint8_t>> finite;

  Weighted(const std::vector<LevelArray>& arrays, const Halves& halves, const ByteArray& usable) : levels(views(arrays)) {
    std::vector<size_t> arities;
    for (const auto& level : levels) arities.push_back(level.arity);
    weights = sums<Sum>(halves, arities);
    finite = ragged<uint8_t>(arities, usable.shape(0), [&](size_t i) { return usable.data()[i]; });
  }
};

template <class Sum>
nb::tuple root_margins(const Weighted<Sum>& diagram) {
  Ends<Sum> root;
  {
    nb::gil_scoped_release nogil;
    root = margins<Sum>(diagram.levels, diagram.weights, diagram.finite);
  }
  return nb::make_tuple(wide_int(root.least), wide_int(root.greatest));
}

nb::list all_margins(const Weighted<int64_t>& diagram) {
  std::vector<Buffer<Ends<int64_t>>> kept;
  {
    nb::gil_scoped_release nogil;
    margins<int64_t>(diagram.levels, diagram.weights, diagram.finite, &kept);
  }
  nb::list found;
  for (size_t k = kept.size(); k-- > 0;) {
    auto* level = new Buffer<Ends<int64_t>>(std::move(kept[k]));
    nb::capsule owner(level, [](void* p) noexcept { delete static_cast<Buffer<Ends<int64_t>>*>(p); });
    found.append(nb::cast(nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>(level->data(), {level->size(), 2}, owner)));
  }
  return found;
}

template <class Code>
using CodeArray = nb::ndarray<const Code, nb::ndim<2>, nb::device::cpu>;

template <class Code>
nb::object label_by_weights(CodeArray<Code> codes, const std::vector<size_t>& columns, int64_t start,
                            uint8_t start_state, const std::vector<std::vector<int64_t>>& weights,
                            const std::vector<std::vector<uint8_t>>& states, const std::vector<uint8_t>& outcomes) {
  Buffer<uint8_t> labels(codes.shape(0));
  {
    nb::gil_scoped_release nogil;
    add_up<Code>({codes.data(), codes.shape(0), codes.stride(0), codes.stride(1)}, columns, start, start_state, weights,
                 states, outcomes.data(), labels.data());
  }
  size_t rows = labels.size();
  return owned(std::move(labels), {rows});
}

template <class Code>
nb::object label_by_walking(CodeArray<Code> codes, const std::vector<size_t>& columns,
                            const std::vector<LevelArray>& levels) {
  auto seen = views(levels);
  Buffer<uint8_t> labels(codes.shape(0));
  {
    nb::gil_scoped_release nogil;
    walk<Code>({codes.data(), codes.shape(0), codes.stride(0), codes.stride(1)}, columns, seen, labels.data());
  }
  size_t rows = labels.size();
  return owned(std::move(labels), {rows});
}

template <class Code>
void bind_rows(nb::module_& m) {
  m.def("add_up", &label_by_weights<Code>, nb::arg("codes").noconvert(), nb::arg("columns"), nb::arg("start"),
        nb::arg("start_state"), nb::arg("weights"), nb::arg("states"), nb::arg("outcomes"));
  m.def("walk", &label_by_walking<Code>, nb::arg("codes").noconvert(), nb::arg("columns"), nb::arg("levels"));
}

}  // namespace

NB_MODULE(_kernels, m) {
  m.def(
      "build",
      [](Halves start, Halves weights, std::vector<size_t> arities, bool wide, nb::object watch, size_t patience) {
        return wide ? build_levels<Wide>(start, weights, arities, watch, patience)
                    : build_levels<int64_t>(start, weights, arities, watch, patience);
      },
      nb::arg("start"), nb::arg("weights"), nb::arg("arities"), nb::arg("wide"), nb::arg("watch"),
      nb::arg("patience") = kPatience);
  m.def(
      "widths",
      [](Halves start, Halves weights, std::vector<size_t> arities, bool wide, size_t first, size_t last,
         nb::object watch) {
        return wide ? count_widths<Wide>(start, weights, arities, first, last, watch)
                    : count_widths<int64_t>(start, weights, arities, first, last, watch);
      },
      nb::arg("start"), nb::arg("weights"), nb::arg("arities"), nb::arg("wide"), nb::arg("first"), nb::arg("last"),
      nb::arg("watch"));
  m.def("combine", &combine_levels, nb::arg("left"), nb::arg("right"), nb::arg("left_root"), nb::arg("right_root"),
        nb::arg("left_labels"), nb::arg("right_labels"), nb::arg("outcome"), nb::arg("labels"), nb::arg("watch"));
  m.def(
      "margins",
      [](std::vector<LevelArray> levels, Halves weights, ByteArray finite, bool wide) {
        return wide ? root_margins<Wide>({levels, weights, finite}) : root_margins<int64_t>({levels, weights, finite});
      },
      nb::arg("levels"), nb::arg("weights"), nb::arg("finite"), nb::arg("wide"));
  m.def(
      "all_margins",
      [](std::vector<LevelArray> levels, Halves weights, ByteArray finite) {
        return all_margins({levels, weights, finite});
      },
      nb::arg("levels"), nb::arg("weights"), nb::arg("finite"));
  bind_rows<uint8_t>(m);
  bind_rows<int8_t>(m);
  bind_rows<int32_t>(m);
  bind_rows<int64_t>(m);
  bind_families(m);
}
