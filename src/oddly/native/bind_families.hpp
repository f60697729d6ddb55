// SPDX-License-Identifier: Apache-2.0
// The Python side of the kernels for families. Truth values come as bytes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "meeting.hpp"

namespace oddly {

namespace nb = nanobind;

template <class T, size_t N>
using ArrayOf = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <size_t N>
using Longs = ArrayOf<int64_t, N>;
template <size_t N>
using Flags = ArrayOf<uint8_t, N>;
using Rows = ArrayOf<uint32_t, 2>;
using PairBreaks = std::tuple<size_t, size_t, Longs<1>, Longs<1>>;  // two classes, numbers, starts

template <class T>
nb::object owned(Buffer<T>&& values, std::vector<size_t> shape) {
  auto* kept = new Buffer<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

inline void expect(bool holds, const char* what) {
  if (!holds) throw nb::value_error(what);
}

inline void expect_below(const Longs<1>& numbers, size_t limit, const char* what) {
  for (size_t i = 0; i < numbers.shape(0); i++) expect(static_cast<uint64_t>(numbers.data()[i]) < limit, what);
}

inline StateView state_view(const Longs<1>& context, const Flags<2>& live, const Longs<2>& sums) {
  size_t count = context.shape(0), classes = live.shape(1);
  expect(classes > 0 && classes <= kMostClasses, "the classes are none, or more than 64");
  expect(live.shape(0) == count && sums.shape(0) == count && sums.shape(1) == classes, "the states differ in number");
  return {count, classes, context.data(), live.data(), sums.data()};
}

inline StepView step_view(const Longs<2>& following, const Longs<3>& weights, const Flags<3>& alive, size_t classes,
                          size_t below) {
  size_t contexts = following.shape(0), values = following.shape(1);
  expect(weights.shape(0) == contexts && weights.shape(1) == values && weights.shape(2) == classes &&
             alive.shape(0) == contexts && alive.shape(1) == values && alive.shape(2) == classes,
         "the tables of the step differ in shape");
  for (size_t e = 0; e < contexts * values; e++)
    expect(static_cast<uint64_t>(following.data()[e]) < below, "a step leads to no context");
  return {contexts, values, following.data(), weights.data(), alive.data()};
}

inline std::vector<Breaks> indexed(const std::vector<PairBreaks>& breaks, size_t classes, size_t contexts) {
  std::vector<Breaks> found;
  for (const auto& [first, second, numbers, starts] : breaks) {
    expect(first < classes && second < classes && starts.shape(0) == contexts + 1, "breakpoints of another depth");
    for (size_t c = 0; c <= contexts; c++) {
      int64_t from = c ? starts.data()[c - 1] : 0;
      expect(from <= starts.data()[c] && static_cast<size_t>(starts.data()[c]) <= numbers.shape(0),
             "breakpoints out of order");
    }
    found.emplace_back(first, second, numbers.data(), starts.data(), contexts);
  }
  return found;
}

inline nb::tuple descend_states(const Longs<1>& context, const Flags<2>& live, const Longs<2>& sums,
                                const Longs<2>& following, const Longs<3>& weights, const Flags<3>& alive,
                                const Longs<3>& least, const Flags<2>& lasting, const Flags<2>& strict,
                                const Longs<1>& labels_of, int64_t fallback, size_t labels,
                                const std::optional<std::vector<PairBreaks>>& breaks) {
  StateView states = state_view(context, live, sums);
  size_t m = states.classes, below = least.shape(0);
  StepView step = step_view(following, weights, alive, m, below);
  expect(least.shape(1) == m && least.shape(2) == m && lasting.shape(0) == below && lasting.shape(1) == m &&
             strict.shape(0) == m && strict.shape(1) == m && labels_of.shape(0) == m,
         "bounds of another depth");
  expect_below(context, step.contexts, "a state in no context");
  std::vector<Breaks> known;
  if (breaks) known = indexed(*breaks, m, below);
  Buffer<Node> rows((labels + states.count) * step.values);
  Buffer<int64_t> next_context, next_sums;
  Buffer<uint8_t> next_live;
  size_t count;
  {
    nb::gil_scoped_release nogil;
    States found = descend(states, step, {below, least.data(), lasting.data(), strict.data()},
                           {labels_of.data(), fallback, labels}, breaks ? &known : nullptr, rows.data());
    count = found.size();
    next_live = found.live();
    next_context = found.context();
    next_sums = found.sums();
  }
  return nb::make_tuple(owned(std::move(next_context), {count}), owned(std::move(next_live), {count, m}),
                        owned(std::move(next_sums), {count, m}),
                        owned(std::move(rows), {labels + states.count, step.values}));
}

inline nb::list finish_rows(const std::vector<Rows>& levels, size_t labels, Node root) {
  std::vector<Buffer<Node>> rows;
  std::vector<size_t> arities;
  size_t below = labels;
  for (size_t k = levels.size(); k-- > 0; below = levels[k].shape(0))
    for (size_t e = 0; e < levels[k].size(); e++) expect(levels[k].data()[e] < below, "an edge leads to no node");
  for (const auto& level : levels) {
    expect(level.shape(0) > 0 && level.shape(1) > 0, "an empty level");
    arities.push_back(level.shape(1));
    rows.emplace_back(level.size());
    std::copy_n(level.data(), level.size(), rows.back().data());
  }
  expect(!levels.empty() && root < levels[0].shape(0), "no such root");
  {
    nb::gil_scoped_release nogil;
    as_read(rows, arities, merge_equal(rows, arities, labels, root));
  }
  nb::list found;
  for (size_t k = 0; k < rows.size(); k++) {
    size_t nodes = rows[k].size() / arities[k];
    found.append(owned(std::move(rows[k]), {nodes, arities[k]}));
  }
  return found;
}

inline nb::tuple meet(const Rows& level, const Longs<1>& node, const Longs<1>& context, const Flags<2>& alive_here,
                      const Longs<2>& following, const Longs<3>& weights, const Flags<3>& alive) {
  size_t count = node.shape(0), m = alive_here.shape(1);
  expect(m > 0 && m <= kMostClasses && alive_here.shape(0) == count && context.shape(0) == count,
         "the states differ in number");
  StepView step = step_view(following, weights, alive, m, kAny);
  expect(level.shape(1) == step.values, "the level and the step differ in values");
  expect_below(context, step.contexts, "a state in no context");
  expect_below(node, level.shape(0), "no such node");
  Buffer<int64_t> children(count * step.values), next_node, next_context;
  Buffer<uint8_t> next_alive;
  size_t found;
  {
    nb::gil_scoped_release nogil;
    Meetings meetings(count);
    meetings.walk({count, node.data(), context.data(), alive_here.data()}, level.data(), step, m, children.data());
    found = meetings.size();
    next_node = Buffer<int64_t>(found);
    next_context = Buffer<int64_t>(found);
    next_alive = Buffer<uint8_t>(found * m);
    meetings.write(next_node.data(), next_context.data(), next_alive.data(), m);
  }
  return nb::make_tuple(owned(std::move(children), {count, step.values}), owned(std::move(next_node), {found}),
                        owned(std::move(next_context), {found}), owned(std::move(next_alive), {found, m}));
}

inline std::vector<int64_t> least_leads(const std::vector<Longs<1>>& contexts, const std::vector<Longs<2>>& children,
                                        const std::vector<Longs<3>>& weights, const Flags<1>& ends,
                                        const Flags<2>& alive, size_t winner) {
  size_t m = alive.shape(1), last = alive.shape(0);
  expect(contexts.size() == children.size() && weights.size() == children.size(), "the depths differ in number");
  expect(winner < m && ends.shape(0) == last && last > 0, "no such class, or no end");
  std::vector<WalkView> walk;
  for (size_t k = 0; k < children.size(); k++) {
    size_t count = contexts[k].shape(0), values = children[k].shape(1);
    size_t below = k + 1 < children.size() ? contexts[k + 1].shape(0) : last;
    expect(count > 0 && children[k].shape(0) == count && weights[k].shape(1) == values && weights[k].shape(2) == m,
           "the tables of a depth differ in shape");
    expect_below(contexts[k], weights[k].shape(0), "a state in no context");
    for (size_t e = 0; e < count * values; e++)
      expect(static_cast<uint64_t>(children[k].data()[e]) < below, "an edge leads to no state");
    walk.push_back({count, values, contexts[k].data(), children[k].data(), weights[k].data()});
  }
  nb::gil_scoped_release nogil;
  return leads(walk, m, winner, last, ends.data(), alive.data());
}

inline void bind_families(nb::module_& m) {
  using nb::arg;
  m.def("descend", &descend_states, arg("context"), arg("live"), arg("sums"), arg("following"), arg("weights"),
        arg("alive"), arg("least"), arg("lasting"), arg("strict"), arg("labels_of"), arg("fallback"), arg("labels"),
        arg("breaks").none());
  m.def("finish", &finish_rows, arg("levels"), arg("labels"), arg("root"));
  m.def("meet", &meet, arg("level"), arg("node"), arg("context"), arg("alive_here"), arg("following"), arg("weights"),
        arg("alive"));
  m.def("least_leads", &least_leads, arg("contexts"), arg("children"), arg("weights"), arg("ends"), arg("alive"),
        arg("winner"));
}

}  // namespace oddly
