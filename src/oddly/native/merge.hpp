// SPDX-License-Identifier: Apache-2.0
// Growing one list of sums or breakpoints from the next: a merge of shifted copies that notes where things went.
//
// The merge of two copies is branchless, and runs as four independent chains over four stretches of the output,
// because one chain waits for memory most of the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"

namespace oddly {

using Node = uint32_t;

constexpr int kChains = 4;
constexpr size_t kWorthChains = 512;  // outputs below which splitting costs more than it saves
constexpr size_t kMostCopies = 16;    // beyond which sorting beats looking at every copy for every output

template <class Sum>
struct Range {
  Sum low, high;
};

// A sorted list, its shifted copies, and the stretch of each copy that lies within some bounds.
template <class Sum>
struct Copies {
  const Sum* list;
  size_t size;
  const std::vector<Sum>& shifts;
  std::vector<size_t> from, to;  // of copy c, the elements from[c]..to[c] lie in [low, high]

  Copies(const Buffer<Sum>& sorted, const std::vector<Sum>& by, Range<Sum> bounds)
      : list(sorted.data()), size(sorted.size()), shifts(by), from(by.size()), to(by.size()) {
    for (size_t c = 0; c < by.size(); c++) {
      from[c] = std::lower_bound(list, list + size, bounds.low - by[c]) - list;
      to[c] = std::upper_bound(list + from[c], list + size, bounds.high - by[c]) - list;
    }
  }
  size_t copies() const { return shifts.size(); }
  Sum at(size_t c, size_t i) const { return list[i] + shifts[c]; }
  size_t inside() const {
    size_t total = 0;
    for (size_t c = 0; c < copies(); c++) total += to[c] - from[c];
    return total;
  }
};

// The stretch of a merge of two copies that begins once `rank` elements are behind it, equal ones kept together.
template <class Sum>
std::pair<size_t, size_t> split(const Copies<Sum>& in, size_t rank) {
  size_t n0 = in.to[0] - in.from[0], n1 = in.to[1] - in.from[1];
  size_t low = rank > n1 ? rank - n1 : 0, high = std::min(rank, n0);
  while (low < high) {  // the least i with all of copy 0's first i, and copy 1's first rank-i, before the rest
    size_t i = (low + high) / 2;
    if (in.at(0, in.from[0] + i) < in.at(1, in.from[1] + rank - i - 1))
      low = i + 1;
    else
      high = i;
  }
  size_t i = in.from[0] + low, j = in.from[1] + rank - low;
  if (i < in.to[0] && j > in.from[1] && in.at(0, i) == in.at(1, j - 1)) i++;
  return {i, j};
}

// Merge two copies; `Step` is told (output place, i, j) before and after each element, and stores what it wants.
template <class Sum, class Note>
struct Chain {
  const Sum* list;
  Sum w0, w1;
  size_t i, i_end, j, j_end, o;
  Sum* out;
  Note note;

  size_t free_steps() const { return std::min(i_end - i, j_end - j); }
  void step() {
    Sum a = list[i] + w0, b = list[j] + w1;
    out[o] = a < b ? a : b;
    note.before(o, i, j);
    i += a <= b;
    j += b <= a;
    note.after(o, i, j);
    o++;
  }
  void finish() {
    for (size_t steps = free_steps(); steps; steps = free_steps())
      for (; steps; steps--) step();
    for (; i < i_end; i++, o++) {
      out[o] = list[i] + w0;
      note.before0(o, i);
      note.after(o, i + 1, j);
    }
    for (; j < j_end; j++, o++) {
      out[o] = list[j] + w1;
      note.before1(o, j);
      note.after(o, i, j + 1);
    }
  }
};

// Where each element of the list goes in the output: to[2i] for copy 0, to[2j+1] for copy 1.
struct NoteTargets {
  Node* to;
  void before(size_t o, size_t i, size_t j) const {
    to[2 * i] = static_cast<Node>(o);
    to[2 * j + 1] = static_cast<Node>(o);
  }
  void before0(size_t o, size_t i) const { to[2 * i] = static_cast<Node>(o); }
  void before1(size_t o, size_t j) const { to[2 * j + 1] = static_cast<Node>(o); }
  void after(size_t, size_t, size_t) const {}
};

// How many elements of each copy are at most each output: rows[2(o+1)], rows[2(o+1)+1]; row 0 is left to the caller.
struct NoteCounts {
  Node* rows;
  void before(size_t, size_t, size_t) const {}
  void before0(size_t, size_t) const {}
  void before1(size_t, size_t) const {}
  void after(size_t o, size_t i, size_t j) const {
    rows[2 * o + 2] = static_cast<Node>(i);
    rows[2 * o + 3] = static_cast<Node>(j);
  }
};

// Merge two copies from output place `o` on; `close` is called where equal elements left a gap before a chain's
// output. Returns the place after the last output.
template <class Sum, class Note, class Close>
size_t merge_two(const Copies<Sum>& in, size_t o, Sum* out, Note note, Close close) {
  size_t total = in.inside();
  int chains = total < kWorthChains ? 1 : kChains;
  std::pair<size_t, size_t> cut[kChains + 1];
  for (int q = 0; q <= chains; q++) cut[q] = split(in, total * q / chains);
  Chain<Sum, Note> chain[kChains];
  size_t start[kChains];
  for (int q = 0; q < chains; q++) {
    start[q] = o + (cut[q].first - in.from[0]) + (cut[q].second - in.from[1]);
    chain[q] = {in.list, in.shifts[0], in.shifts[1], cut[q].first, cut[q + 1].first, cut[q].second,
                cut[q + 1].second, start[q], out, note};
  }
  if (chains == kChains) {
    Chain<Sum, Note> c0 = chain[0], c1 = chain[1], c2 = chain[2], c3 = chain[3];
    for (;;) {
      size_t steps = std::min(std::min(c0.free_steps(), c1.free_steps()), std::min(c2.free_steps(), c3.free_steps()));
      if (!steps) break;
      for (; steps; steps--) {
        c0.step();
        c1.step();
        c2.step();
        c3.step();
      }
    }
    chain[0] = c0, chain[1] = c1, chain[2] = c2, chain[3] = c3;
  }
  for (int q = 0; q < chains; q++) chain[q].finish();
  size_t end = chain[0].o;
  for (int q = 1; q < chains; q++) {
    size_t count = chain[q].o - start[q], gap = start[q] - end;
    if (gap) {
      std::copy(out + start[q], out + start[q] + count, out + end);
      close(cut[q], cut[q + 1], start[q], count, gap);
    }
    end += count;
  }
  return end;
}

// Merge any number of copies from output place `o` on. `note(o, head, passed)` is told of every output, with the head
// of each copy before it and after it; a copy that is used up has its head at its end. kCopies is their number, or 0.
template <size_t kCopies, class Sum, class Note>
size_t merge_many(const Copies<Sum>& in, size_t o, Sum* out, Note note) {
  const size_t b = kCopies ? kCopies : in.copies();
  const Sum used_up = Sum{1} << (8 * sizeof(Sum) - 2);  // more than any sum
  std::vector<size_t> wide_head(in.from), wide_passed(in.from);
  std::vector<Sum> wide_front(b);
  size_t narrow_head[kCopies ? kCopies : 1], narrow_passed[kCopies ? kCopies : 1];
  Sum narrow_front[kCopies ? kCopies : 1];
  size_t* head = kCopies ? narrow_head : wide_head.data();
  size_t* passed = kCopies ? narrow_passed : wide_passed.data();
  Sum* front = kCopies ? narrow_front : wide_front.data();
  for (size_t c = 0; c < b; c++) {
    head[c] = passed[c] = in.from[c];
    front[c] = head[c] < in.to[c] ? in.at(c, head[c]) : used_up;
  }
  for (;;) {
    Sum least = front[0];
    for (size_t c = 1; c < b; c++) least = front[c] < least ? front[c] : least;
    if (least == used_up) return o;
    out[o] = least;
    for (size_t c = 0; c < b; c++) {
      passed[c] = head[c] + (front[c] == least);
      Sum next = in.list[passed[c] < in.size ? passed[c] : 0] + in.shifts[c];
      front[c] = passed[c] < in.to[c] ? next : used_up;
    }
    note(o, head, passed);
    for (size_t c = 0; c < b; c++) head[c] = passed[c];
    o++;
  }
}

// The sorted distinct elements of all copies, from output place `o` on; for many copies.
template <class Sum>
size_t sort_all(const Copies<Sum>& in, size_t o, Sum* out) {
  size_t end = o;
  for (size_t c = 0; c < in.copies(); c++)
    for (size_t i = in.from[c]; i < in.to[c]; i++) out[end++] = in.at(c, i);
  std::sort(out + o, out + end);
  return std::unique(out + o, out + end) - out;
}

// The same as merge_many with the number of copies known where it is small.
template <class Sum, class Note>
size_t merge_any(const Copies<Sum>& in, size_t o, Sum* out, Note note) {
  switch (in.copies()) {
    case 3: return merge_many<3>(in, o, out, note);
    case 4: return merge_many<4>(in, o, out, note);
    case 5: return merge_many<5>(in, o, out, note);
    default: return merge_many<0>(in, o, out, note);
  }
}

}  // namespace oddly
