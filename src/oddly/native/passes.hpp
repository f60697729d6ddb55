// SPDX-License-Identifier: Apache-2.0
// Passes over finished diagrams, and rows of data through diagrams and weights.
#pragma once

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

template <class Sum>
struct Margins {
  bool positive, negative;  // whether the sink is reached by finite weights at all
  Sum least, greatest;      // the least sum to the positive sink, the greatest to the negative one
};

// The least sum of weights on a path from the root to sink 1 and the greatest to sink 0. An edge without a finite
// weight cannot be taken.
template <class Sum>
Margins<Sum> margins(const std::vector<LevelView>& levels, const std::vector<std::vector<Sum>>& weights,
                     const std::vector<std::vector<uint8_t>>& finite) {
  const Sum far = Sum{1} << (8 * sizeof(Sum) - 2);  // the weights together stay below a quarter of it
  struct Ends {
    Sum least, greatest;
  };
  Buffer<Ends> below(2);
  below[0] = {far, 0};
  below[1] = {0, -far};
  for (size_t k = levels.size(); k-- > 0;) {
    const LevelView& level = levels[k];
    Buffer<Ends> here(level.nodes);
    for (size_t i = 0; i < level.nodes; i++) {
      Ends ends{far, -far};
      for (size_t c = 0; c < level.arity; c++) {
        if (!finite[k][c]) continue;
        const Ends& child = below[level.rows[i * level.arity + c]];
        Sum least = child.least + weights[k][c], greatest = child.greatest + weights[k][c];
        ends.least = least < ends.least ? least : ends.least;
        ends.greatest = greatest > ends.greatest ? greatest : ends.greatest;
      }
      here[i] = ends;
    }
    below = std::move(here);
  }
  const Ends& root = below[0];
  return {root.least < far / 2, root.greatest > -far / 2, root.least, root.greatest};
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
