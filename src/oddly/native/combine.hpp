// SPDX-License-Identifier: Apache-2.0
// Two diagrams walked together: the diagram of any operation on their decisions.
//
// From the top, the pairs of nodes that some instance reaches at once, each found once through a table per level; from
// the bottom, pairs with equal children become one node. A pair whose one side already settles the outcome forgets
// the other side, so that it is one pair per level and not many.
#pragma once

#include <cstring>
#include <vector>

#include "passes.hpp"
#include "table.hpp"
#include "two_ended.hpp"

namespace oddly {

struct Pair {  // kAny for a side that is forgotten
  Node left, right;
  bool operator==(const Pair&) const = default;
};

// For every node of every depth, the sinks included, the one label it leads to, or kAny if there are several.
inline std::vector<Buffer<Node>> settled(const std::vector<LevelView>& levels, size_t labels) {
  std::vector<Buffer<Node>> found(levels.size() + 1);
  found.back() = Buffer<Node>(labels);
  for (size_t i = 0; i < labels; i++) found.back()[i] = static_cast<Node>(i);
  for (size_t k = levels.size(); k-- > 0;) {
    const auto& [rows, nodes, arity] = levels[k];
    found[k] = Buffer<Node>(nodes);
    for (size_t i = 0; i < nodes; i++) {
      Node label = found[k + 1][rows[i * arity]];
      for (size_t c = 1; c < arity; c++) label = found[k + 1][rows[i * arity + c]] == label ? label : kAny;
      found[k][i] = label;
    }
  }
  return found;
}

// The diagram that maps (left's label, right's label) through `outcome`, a table of left_labels × right_labels.
class Combine {
 public:
  Combine(std::vector<LevelView> left, std::vector<LevelView> right, size_t left_labels, size_t right_labels,
          const uint8_t* outcome, Watcher& watcher)
      : left_(std::move(left)), right_(std::move(right)), right_labels_(right_labels), outcome_(outcome), watcher_(watcher) {
    decides_left_.resize(left_labels);
    decides_right_.resize(right_labels);
    for (size_t i = 0; i < left_labels; i++)
      for (size_t j = 0; j < right_labels; j++) {
        decides_left_[i] = i_decides(decides_left_[i], j, outcome[i * right_labels]
                                     == outcome[i * right_labels + j]);
        decides_right_[j] = i_decides(decides_right_[j], i, outcome[j] == outcome[i * right_labels + j]);
      }
    left_settled_ = settled(left_, left_labels);
    right_settled_ = settled(right_, right_labels);
  }

  std::vector<Buffer<Node>> build(Node left_root, Node right_root, size_t labels) {
    std::vector<Buffer<Node>> levels(left_.size());
    std::vector<size_t> arities;
    Stack<Pair> here, below;
    here.push(normal(0, left_root, right_root));
    Table table;
    size_t entries = 0;
    for (size_t k = 0; k < left_.size(); k++) {
      size_t b = left_[k].arity;
      arities.push_back(b);
      entries += here.size();
      watcher_.lists(k, 4 * b * entries + 40 * b * here.size(), entries);
      levels[k] = Buffer<Node>(here.size() * b);
      bool last = k + 1 == left_.size();
      below.clear();
      table.clear(last ? 0 : here.size());
      if (last)
        for (size_t e = 0; e < here.size() * b; e++) levels[k][e] = label(step(k, here[e / b], e % b));
      else
        number_children(k, here, below, table, levels[k].data());
      if (below.size() >= kAny) throw std::length_error("more than 2^32 pairs in a level");
      std::swap(here, below);
    }
    merge_equal(levels, arities, labels, 0);
    for (size_t k = 0; k < levels.size(); k++) watcher_.nodes(levels[k].size() / arities[k]);
    return levels;
  }

 private:
  static char i_decides(char so_far, size_t nth, bool same) { return nth == 0 ? same : so_far && same; }

  // The children of a level's pairs, numbered as they appear. A block at a time: the table is larger than any cache,
  // so its slots are asked for before they are needed.
  void number_children(size_t k, Stack<Pair>& here, Stack<Pair>& below, Table& table, Node* numbers) {
    constexpr size_t kBlock = 32;
    Pair children[kBlock];
    uint64_t hashes[kBlock];
    auto hash_of = [](Pair p) { return mixed((uint64_t{p.left} << 32) | p.right); };
    size_t b = left_[k].arity, edges = here.size() * b;
    for (size_t from = 0; from < edges; from += kBlock) {
      size_t count = std::min(kBlock, edges - from);
      for (size_t e = 0; e < count; e++) {
        children[e] = step(k, here[(from + e) / b], (from + e) % b);
        hashes[e] = hash_of(children[e]);
        table.prefetch(hashes[e]);
      }
      for (size_t e = 0; e < count; e++) {
        auto same = [&](size_t at) { return below[at] == children[e]; };
        auto [number, fresh] = table.find(hashes[e], same, [&](size_t at) { return hash_of(below[at]); });
        if (fresh) below.push(children[e]);
        numbers[from + e] = number;
      }
    }
  }

  // A pair of depth k, the side forgotten that the other makes irrelevant.
  Pair normal(size_t k, Node left, Node right) const {
    if (left != kAny) {
      Node label = left_settled_[k][left];
      if (label != kAny && decides_left_[label]) return {left, kAny};
    }
    if (right != kAny) {
      Node label = right_settled_[k][right];
      if (label != kAny && decides_right_[label]) return {kAny, right};
    }
    return {left, right};
  }

  Pair step(size_t k, Pair pair, size_t c) const {
    Node left = pair.left == kAny ? kAny : left_[k].rows[pair.left * left_[k].arity + c];
    Node right = pair.right == kAny ? kAny : right_[k].rows[pair.right * right_[k].arity + c];
    return normal(k + 1, left, right);
  }

  Node label(Pair sinks) const {  // a forgotten side may be any: all its labels give the same
    return outcome_[(sinks.left == kAny ? 0 : sinks.left) * right_labels_ + (sinks.right == kAny ? 0 : sinks.right)];
  }

  std::vector<LevelView> left_, right_;
  size_t right_labels_;
  const uint8_t* outcome_;
  Watcher& watcher_;
  std::vector<char> decides_left_, decides_right_;  // whether a label alone settles the outcome
  std::vector<Buffer<Node>> left_settled_, right_settled_;
};

}  // namespace oddly
