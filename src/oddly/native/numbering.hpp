// SPDX-License-Identifier: Apache-2.0
// Once it is known which entries of a level are nodes: their rows moved together in place, and numbered.
#pragma once

#include <algorithm>
#include <vector>

#include "merge.hpp"

namespace oddly {

// Move the rows of reached places together and mark their children; returns how many there are. The last mark
// is a place for what need not be marked: storing always is cheaper than asking.
template <size_t kArity>
size_t keep_reached(Buffer<Node>& buffer, const Buffer<uint8_t>& reached, Buffer<uint8_t>& next, size_t arity) {
  const size_t b = kArity ? kArity : arity, nowhere = next.size() - 1;
  Node* rows = buffer.data();
  size_t kept = 0;
  for (size_t place = 0; place < buffer.size() / b; place++) {
    size_t is = reached[place];
    for (size_t c = 0; c < b; c++) {
      Node child = rows[place * b + c];
      next[is ? child : nowhere] = 1;
      rows[kept * b + c] = child;
    }
    kept += is;
  }
  buffer.shrink(kept * b);
  return kept;
}

// Rows of targets become rows of nodes, equal neighbours one node; `here` becomes the node of each row.
template <size_t kArity>
size_t join_equal(Buffer<Node>& buffer, const Buffer<Node>& below, Buffer<Node>& here, size_t arity) {
  const size_t b = kArity ? kArity : arity;
  Node* rows = buffer.data();
  std::vector<Node> wide(b);
  Node narrow[kArity ? kArity : 1];
  Node* previous = kArity ? narrow : wide.data();
  for (size_t c = 0; c < b; c++) previous[c] = rows[c] = below[rows[c]];
  here[0] = 0;
  size_t last = 0;  // the node that the previous row became
  for (size_t i = 1; i < here.size(); i++) {
    bool differs = false;
    for (size_t c = 0; c < b; c++) {
      Node child = below[rows[i * b + c]];
      differs |= child != previous[c];
      previous[c] = child;
    }
    last += differs;
    for (size_t c = 0; c < b; c++) rows[last * b + c] = previous[c];
    here[i] = static_cast<Node>(last);
  }
  buffer.shrink((last + 1) * b);
  return last + 1;
}

inline void clear(Buffer<uint8_t>& marks, size_t size) {
  marks.reset(size);
  std::fill(marks.data(), marks.data() + size, 0);
}

// The number of each marked place among the marked ones.
inline void rank(const Buffer<uint8_t>& marks, Buffer<Node>& number) {
  number.reset(marks.size());
  Node next = 0;
  for (size_t i = 0; i < marks.size(); i++) {
    number[i] = next;
    next += marks[i];
  }
}

}  // namespace oddly
