// SPDX-License-Identifier: Apache-2.0
// Numbering things in the order of their first appearance, and what is done with it: equal rows become one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "merge.hpp"

namespace oddly {

constexpr Node kAny = UINT32_MAX;  // no number

inline uint64_t mixed(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;
  return x ^ (x >> 29);
}

// Numbers things in the order of their first appearance; open addressing, never more than half full.
class Table {
 public:
  explicit Table(size_t expected = 0) { clear(expected); }

  void clear(size_t expected) {
    size_t slots = 16;
    while (slots < 2 * expected) slots *= 2;
    if (slots != slots_.size()) slots_.reset(slots);
    std::fill(slots_.data(), slots_.data() + slots, kAny);
    mask_ = slots - 1;
    count_ = 0;
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  // The number that is looked at first for this hash; kAny if there is none.
  Node first(uint64_t hash) const { return slots_[hash & mask_]; }

  // The number of the thing with this hash for which `same(number)` holds; a new number if there is none.
  template <class Same, class Hash>
  std::pair<Node, bool> find(uint64_t hash, Same same, Hash hash_of) {
    if (2 * (count_ + 1) > slots_.size()) grow(hash_of);
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      if (slots_[at] == kAny) {
        slots_[at] = count_;
        return {count_++, true};
      }
      if (same(slots_[at])) return {slots_[at], false};
    }
  }

 private:
  template <class Hash>
  void grow(Hash hash_of) {
    Buffer<Node> larger(2 * slots_.size());
    std::fill(larger.data(), larger.data() + larger.size(), kAny);
    mask_ = larger.size() - 1;
    for (Node number = 0; number < count_; number++) {
      size_t at = hash_of(number) & mask_;
      while (larger[at] != kAny) at = (at + 1) & mask_;
      larger[at] = number;
    }
    slots_ = std::move(larger);
  }

  Buffer<Node> slots_;
  size_t mask_ = 0;
  Node count_ = 0;
};

// A growing array of plain values.
template <class T>
class Stack {
 public:
  void push(T value) { *more(1) = value; }
  // Room for so many more, to be written.
  T* more(size_t count) {
    if (size_ + count > data_.size()) {
      Buffer<T> larger(std::max(std::max<size_t>(64, 2 * data_.size()), size_ + count));
      std::copy(data_.data(), data_.data() + size_, larger.data());
      data_ = std::move(larger);
    }
    size_ += count;
    return data_.data() + size_ - count;
  }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T* data() const { return data_.data(); }
  // The values as an array of their own; the stack is empty then.
  Buffer<T> taken() {
    if (!size_) return Buffer<T>(0);
    data_.shrink(std::exchange(size_, 0));
    return std::exchange(data_, Buffer<T>());
  }

 private:
  Buffer<T> data_;
  size_t size_ = 0;
};

// Rows with equal children become one, from the last level up; `labels` sinks stay apart. Returns the root's place.
inline Node merge_equal(std::vector<Buffer<Node>>& levels, const std::vector<size_t>& arities, size_t labels, Node root) {
  Buffer<Node> place(labels), next;
  for (size_t i = 0; i < labels; i++) place[i] = static_cast<Node>(i);
  Table table;
  for (size_t k = levels.size(); k-- > 0;) {
    Node* rows = levels[k].data();
    size_t b = arities[k], count = levels[k].size() / b, kept = 0;
    table.clear(count);
    next.reset(count);
    auto hash_of = [&](size_t row) {
      uint64_t hash = 0;
      for (size_t c = 0; c < b; c++) hash = mixed(hash ^ (rows[row * b + c] + 1));
      return hash;
    };
    for (size_t i = 0; i < count; i++) {
      for (size_t c = 0; c < b; c++) rows[kept * b + c] = place[rows[i * b + c]];
      auto same = [&](size_t row) { return std::equal(rows + row * b, rows + row * b + b, rows + kept * b); };
      auto [number, fresh] = table.find(hash_of(kept), same, hash_of);
      next[i] = number;
      kept += fresh;
    }
    levels[k].shrink(kept * b);
    std::swap(place, next);
  }
  return place[root];
}

}  // namespace oddly
