// SPDX-License-Identifier: Apache-2.0
// A diagram and its families walked together, and the least leads of one class: what diagram/together.py does in arrays.
#pragma once

#include <vector>

#include "frontier.hpp"
#include "passes.hpp"

namespace oddly {

struct MeetingView {
  size_t count;
  const int64_t* node;
  const int64_t* context;
  const uint8_t* alive;
};

// The distinct combinations of node, context and possible classes below a depth.
class Meetings {
 public:
  explicit Meetings(size_t expected) : table_(expected) {}

  void walk(const MeetingView& here, const Node* level, const StepView& step, size_t classes, int64_t* children) {
    std::vector<Classes> alive(step.contexts * step.values);
    for (size_t e = 0; e < alive.size(); e++) alive[e] = as_bits(step.alive + e * classes, classes);
    constexpr size_t kBlock = 64;
    Met block[kBlock];
    uint64_t hashes[kBlock];
    size_t held = 0;
    auto settle = [&] {
      for (size_t i = 0; i < held; i++)
        if (Node likely = table_.first(hashes[i]); likely != kAny) __builtin_prefetch(met_.data() + likely);
      for (size_t i = 0; i < held; i++) {
        auto [number, fresh] = table_.find(
            hashes[i], [&](Node at) { return met_[at] == block[i]; }, [&](Node at) { return hash_of(met_[at]); });
        if (fresh) met_.push(block[i]);
        *children++ = number;
      }
      if (met_.size() >= kAny - kBlock) throw std::length_error("more than 2^32 states in a level");
      held = 0;
    };
    for (size_t s = 0; s < here.count; s++) {
      Classes possible = as_bits(here.alive + s * classes, classes);
      for (size_t v = 0; v < step.values; v++) {
        size_t edge = static_cast<size_t>(here.context[s]) * step.values + v;
        block[held] = {level[static_cast<size_t>(here.node[s]) * step.values + v],
                       static_cast<Node>(step.following[edge]), possible & alive[edge]};
        hashes[held] = hash_of(block[held]);
        table_.prefetch(hashes[held]);
        if (++held == kBlock) settle();
      }
    }
    settle();
  }

  size_t size() const { return met_.size(); }
  void write(int64_t* node, int64_t* context, uint8_t* alive, size_t classes) const {
    for (size_t i = 0; i < met_.size(); i++) {
      node[i] = met_[i].node;
      context[i] = met_[i].context;
      for (size_t c = 0; c < classes; c++) alive[i * classes + c] = met_[i].alive >> c & 1;
    }
  }

 private:
  struct Met {
    Node node, context;
    Classes alive;
    bool operator==(const Met&) const = default;
  };
  static uint64_t hash_of(const Met& m) {
    uint64_t hash = mixed(((uint64_t{m.context} << 32) | m.node) ^ mixed(m.alive + 1));
    return hash ^ (hash >> 32);
  }
  Table table_;
  Stack<Met> met_;
};

// A depth of such a walk.
struct WalkView {
  size_t count, values;
  const int64_t* context;
  const int64_t* children;
  const int64_t* weights;  // by context, value and class
};

// For every class, by how little `winner` leads it in what follows, over all instances that end in `ends` and leave
// both possible; far<int64_t> where there are none. States from which no end is reached are passed over.
inline std::vector<int64_t> leads(const std::vector<WalkView>& walk, size_t classes, size_t winner, size_t last,
                                  const uint8_t* ends, const uint8_t* alive) {
  constexpr int64_t kFar = far<int64_t>;
  Buffer<int64_t> below(last * classes), here;
  std::vector<uint8_t> meets_below(ends, ends + last), meets;
  for (size_t s = 0; s < last; s++)
    for (size_t c = 0; c < classes; c++) below[s * classes + c] = alive[s * classes + c] ? 0 : kFar;
  for (size_t k = walk.size(); k-- > 0;) {
    const WalkView& depth = walk[k];
    here.reset(depth.count * classes);
    meets.assign(depth.count, 0);
    for (size_t s = 0; s < depth.count; s++) {
      int64_t* best = here.data() + s * classes;
      for (size_t v = 0; v < depth.values; v++) {
        auto child = static_cast<size_t>(depth.children[s * depth.values + v]);
        if (!meets_below[child]) continue;
        if (!meets[s]) std::fill_n(best, classes, kFar);
        meets[s] = 1;
        const int64_t* reached = below.data() + child * classes;
        const int64_t* added = depth.weights + (static_cast<size_t>(depth.context[s]) * depth.values + v) * classes;
        for (size_t c = 0; c < classes; c++)
          best[c] = std::min(best[c], reached[c] >= kFar / 2 ? kFar : reached[c] + (added[winner] - added[c]));
      }
    }
    std::swap(below, here);
    std::swap(meets_below, meets);
  }
  if (!meets_below[0]) return std::vector<int64_t>(classes, kFar);
  return {below.data(), below.data() + classes};
}

}  // namespace oddly
