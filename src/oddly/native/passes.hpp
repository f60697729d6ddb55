// SPDX-License-Identifier: Apache-2.0
// Passes over finished diagrams, and rows of data through diagrams and weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "merge.hpp"

namespace oddly {

struct LevelView {
  const Node* rows;
  size_t nodes, arity;
};

// Of a node: the least sum of weights on a path to sink 1 and the greatest to sink 0; beyond half of ±far<Sum> if
// there is no path.
template <class Sum>
struct Ends {
  Sum least, greatest;
};

template <class Sum>
constexpr Sum far = Sum{1} << (8 * sizeof(Sum) - 2);  // the weights together stay below a quarter of it

// The ends of the root; those of all nodes go to `kept`, level by level from the last up, if it is given. An edge
// without a finite weight cannot be taken.
template <class Sum>
Ends<Sum> margins(const std::vector<LevelView>& levels, const std::vector<std::vector<Sum>>& weights,
                  const std::vector<std::vector<uint8_t>>& finite, std::vector<Buffer<Ends<Sum>>>* kept = nullptr) {
  Buffer<Ends<Sum>> below(2), here;
  below[0] = {far<Sum>, 0};
  below[1] = {0, -far<Sum>};
  for (size_t k = levels.size(); k-- > 0;) {
    const LevelView& level = levels[k];
    here.reset(level.nodes);
    for (size_t i = 0; i < level.nodes; i++) {
      Ends<Sum> ends{far<Sum>, -far<Sum>};
      for (size_t c = 0; c < level.arity; c++) {
        if (!finite[k][c]) continue;
        const Ends<Sum>& child = below[level.rows[i * level.arity + c]];
        Sum least = child.least + weights[k][c], greatest = child.greatest + weights[k][c];
        ends.least = least < ends.least ? least : ends.least;
        ends.greatest = greatest > ends.greatest ? greatest : ends.greatest;
      }
      here[i] = ends;
    }
    std::swap(below, here);
    if (kept) {
      kept->emplace_back(level.nodes);
      std::copy(below.data(), below.data() + level.nodes, kept->back().data());
    }
  }
  return below[0];
}

// A matrix of value indices with any strides, in elements.
template <class Code>
struct Codes {
  const Code* data;
  size_t rows;
  int64_t row_stride, column_stride;
};

constexpr size_t kBlock = 1024;  // rows taken together, so that their state stays in cache

// The label of each row by adding up weights; a state other than 0 decides by itself.
template <class Code>
void add_up(Codes<Code> codes, const std::vector<size_t>& columns, int64_t start, uint8_t start_state,
            const std::vector<std::vector<int64_t>>& weights, const std::vector<std::vector<uint8_t>>& states,
            const uint8_t outcomes[4], uint8_t* labels) {
  bool all_finite = start_state == 0;
  for (const auto& row : states)
    for (uint8_t s : row) all_finite = all_finite && s == 0;
  int64_t sums[kBlock];
  uint8_t state[kBlock];
  for (size_t from = 0; from < codes.rows; from += kBlock) {
    size_t count = codes.rows - from < kBlock ? codes.rows - from : kBlock;
    for (size_t r = 0; r < count; r++) sums[r] = start, state[r] = start_state;
    for (size_t k = 0; k < columns.size(); k++) {
      const Code* code = codes.data + from * codes.row_stride + columns[k] * codes.column_stride;
      const int64_t* w = weights[k].data();
      for (size_t r = 0; r < count; r++) sums[r] += w[code[r * codes.row_stride]];
      if (all_finite) continue;
      const uint8_t* s = states[k].data();
      for (size_t r = 0; r < count; r++) state[r] |= s[code[r * codes.row_stride]];
    }
    for (size_t r = 0; r < count; r++) labels[from + r] = state[r] ? outcomes[state[r]] : sums[r] >= 0;
  }
}

// The label of each row by walking the diagram, many rows side by side.
template <class Code>
void walk(Codes<Code> codes, const std::vector<size_t>& columns, const std::vector<LevelView>& levels,
          uint8_t* labels) {
  Node node[kBlock];
  for (size_t from = 0; from < codes.rows; from += kBlock) {
    size_t count = codes.rows - from < kBlock ? codes.rows - from : kBlock;
    for (size_t r = 0; r < count; r++) node[r] = 0;
    for (size_t k = 0; k < levels.size(); k++) {
      const Code* code = codes.data + from * codes.row_stride + columns[k] * codes.column_stride;
      const LevelView& level = levels[k];
      for (size_t r = 0; r < count; r++)
        node[r] = level.rows[node[r] * level.arity + static_cast<size_t>(code[r * codes.row_stride])];
    }
    for (size_t r = 0; r < count; r++) labels[from + r] = static_cast<uint8_t>(node[r]);
  }
}

}  // namespace oddly
