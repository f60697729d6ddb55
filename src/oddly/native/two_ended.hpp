// SPDX-License-Identifier: Apache-2.0
// The two-ended algorithm of oddly/engine/two_ended.py, which explains it; the same arrays, made by merging.
//
// While a list grows, the merge notes the children: for sums, where each went (above the meeting level); for
// breakpoints, how many of each copy are at most it (below). So the lists themselves are needed only while they
// grow, and what is kept per entry is its row of children, compacted in place once it is known which are nodes.
#pragma once

#include <cstring>
#include <stdexcept>

#include "cover.hpp"

namespace oddly {

// What a build reports to, and what may stop it by throwing.
struct Watcher {
  virtual void lists(size_t level, size_t bytes, size_t entries) = 0;
  virtual void nodes(size_t count) = 0;
  virtual ~Watcher() = default;
};

template <class Sum>
class TwoEnded {
 public:
  TwoEnded(Sum start, std::vector<std::vector<Sum>> weights, Watcher& watcher)
      : start_(start), weights_(std::move(weights)), n_(weights_.size()), watcher_(watcher), rows_(n_), widths_(n_) {
    bounds();
    grow();
  }

  // The children of every node, level by level, each level `arity` columns wide.
  std::vector<Buffer<Node>> build() {
    down(n_);
    up(0);
    return std::move(rows_);
  }

  // The number of nodes of the levels first..last; the others may be left 0.
  std::vector<size_t> widths(size_t first, size_t last) {
    down(last + 1);
    up(first);
    return widths_;
  }

 private:
  // The ranges of the sums of a prefix and of the breakpoints of a suffix, for every level.
  void bounds() {
    reach_.assign(n_ + 1, {start_, start_});
    open_.assign(n_ + 1, {0, 0});
    for (size_t k = 0; k < n_; k++) {
      auto [low, high] = std::minmax_element(weights_[k].begin(), weights_[k].end());
      reach_[k + 1] = {reach_[k].low + *low, reach_[k].high + *high};
    }
    for (size_t k = n_; k-- > 0;) {
      auto [low, high] = std::minmax_element(weights_[k].begin(), weights_[k].end());
      open_[k] = {open_[k + 1].low - *high, open_[k + 1].high - *low};
    }
  }

  // Grow the shorter list until sums and breakpoints are of the same level.
  void grow() {
    sums_ = Buffer<Sum>(1);
    sums_[0] = start_;
    breakpoints_ = Buffer<Sum>(1);
    breakpoints_[0] = 0;
    size_t above = 0, below = n_, limit = size_t{1} << 16, most = size_t{1} << 12;
    size_t entries = 2;
    std::vector<Covers<Sum>> covers;
    bool helped = false;
    while (above < below) {
      bool from_top = sums_.size() <= breakpoints_.size();
      size_t level = from_top ? above : below - 1;
      const auto& list = from_top ? sums_ : breakpoints_;
      size_t arity = weights_[level].size(), upper = list.size() * arity + 2;
      if (upper >= UINT32_MAX) throw std::length_error("more than 2^32 entries in a level");
      watcher_.lists(level, bytes_ + sums_.bytes() + breakpoints_.bytes() +
                                upper * (sizeof(Sum) + (from_top ? 1 : arity) * sizeof(Node)),
                     entries);
      size_t raw = from_top ? grow_sums(above++) : grow_breakpoints(--below);
      if (!covers.empty()) {
        if (from_top)
          thin_sums(sums_, covers[0].breakpoints[above], rows_[level].data(), rows_[level].size());
        else
          thin_breakpoints(breakpoints_, covers[0].sums[below], rows_[level], arity);
        helped = helped || (from_top ? sums_ : breakpoints_).size() < raw - raw / 8;
      }
      bytes_ += rows_[level].bytes();
      entries += (from_top ? sums_ : breakpoints_).size();
      if (std::max(sums_.size(), breakpoints_.size()) > limit) {
        covers.clear();
        covers.emplace_back(start_, weights_, most);
        limit *= helped || most == size_t{1} << 12 ? 4 : 16;
        most *= 4;
        helped = false;
      }
    }
    meeting_ = above;
  }

  // The sums of level k+1 and, for each sum of level k, where its children went.
  size_t grow_sums(size_t k) {
    const auto& ws = weights_[k];
    size_t b = ws.size();
    Copies<Sum> in(sums_, ws, open_[k + 1]);
    Buffer<Node> targets(sums_.size() * b);
    Buffer<Sum> grown(in.inside() + 2);
    size_t o = outside(in, grown, targets, 0, false);
    if (b == 2) {
      Node* to = targets.data();
      o = merge_two(in, o, grown.data(), NoteTargets{to}, [to](auto from, auto until, size_t, size_t, size_t gap) {
        for (size_t i = from.first; i < until.first; i++) to[2 * i] -= static_cast<Node>(gap);
        for (size_t j = from.second; j < until.second; j++) to[2 * j + 1] -= static_cast<Node>(gap);
      });
    } else {
      o = merge_many(
          in, o, grown.data(), [&](size_t at, size_t c, size_t i) { targets[i * b + c] = static_cast<Node>(at); },
          [](size_t, const auto&) {});
    }
    o = outside(in, grown, targets, o, true);
    grown.shrink(o);
    sums_ = std::move(grown);
    rows_[k] = std::move(targets);
    return o;
  }

  // Sums below (or above) every breakpoint are one sum each: the least of them stands for all.
  size_t outside(const Copies<Sum>& in, Buffer<Sum>& grown, Buffer<Node>& targets, size_t o, bool above) {
    size_t b = in.copies();
    bool any = false;
    for (size_t c = 0; c < b; c++) {
      size_t first = above ? in.to[c] : 0, last = above ? in.size : in.from[c];
      if (first >= last) continue;
      Sum least = in.at(c, first);
      grown[o] = any ? std::min(grown[o], least) : least;
      any = true;
      for (size_t i = first; i < last; i++) targets[i * b + c] = static_cast<Node>(o);
    }
    return o + any;
  }

  // The breakpoints of level k and the places of their children among those of level k+1.
  size_t grow_breakpoints(size_t k) {
    std::vector<Sum> back;
    for (const Sum& w : weights_[k]) back.push_back(-w);
    size_t b = back.size();
    Copies<Sum> in(breakpoints_, back, reach_[k]);
    Buffer<Sum> grown(in.inside() + 1);
    Buffer<Node> rows((in.inside() + 2) * b);
    std::fill(rows.data(), rows.data() + b, 0);  // below every breakpoint, and so are the children
    size_t o = 0;
    for (size_t c = 0; c < b; c++) {  // the greatest below all sums stands for the lowest node
      if (!in.from[c]) continue;
      Sum last = in.at(c, in.from[c] - 1);
      grown[0] = o ? std::max(grown[0], last) : last;
      o = 1;
    }
    for (size_t c = 0; o && c < b; c++) rows[b + c] = static_cast<Node>(in.from[c]);
    if (b == 2) {
      Node* r = rows.data();
      o = merge_two(in, o, grown.data(), NoteCounts{r}, [r](auto, auto, size_t from, size_t count, size_t gap) {
        std::memmove(r + 2 * (from + 1 - gap), r + 2 * (from + 1), 2 * count * sizeof(Node));
      });
    } else {
      o = merge_many(
          in, o, grown.data(), [](size_t, size_t, size_t) {},
          [&](size_t at, const auto& head) {
            for (size_t c = 0; c < b; c++) rows[(at + 1) * b + c] = static_cast<Node>(head[c]);
          });
    }
    grown.shrink(o);
    rows.shrink((o + 1) * b);
    breakpoints_ = std::move(grown);
    rows_[k] = std::move(rows);
    return o;
  }

  // From the meeting level down, keep the places that are reached and number them; levels before `end` are wanted.
  void down(size_t end) {
    Buffer<uint8_t> reached(breakpoints_.size() + 1);
    std::fill(reached.data(), reached.data() + reached.size(), 0);
    ids_ = Buffer<Node>(sums_.size());
    for (size_t i = 0, place = 0; i < sums_.size(); i++) {
      while (place < breakpoints_.size() && breakpoints_[place] <= sums_[i]) place++;
      reached[place] = 1;
      ids_[i] = static_cast<Node>(place);
    }
    if (meeting_ < n_) {
      Buffer<Node> number = ranks(reached);
      for (size_t i = 0; i < sums_.size(); i++) ids_[i] = number[ids_[i]];
    }
    sums_.clear();
    breakpoints_.clear();
    for (size_t k = meeting_; k < std::min(end, n_); k++) {
      auto& rows = rows_[k];
      size_t b = weights_[k].size(), kept = 0;
      size_t below = k + 1 < n_ ? rows_[k + 1].size() / weights_[k + 1].size() : 2;
      Buffer<uint8_t> next(below);
      std::fill(next.data(), next.data() + below, 0);
      for (size_t place = 0; place < reached.size(); place++) {
        if (!reached[place]) continue;
        for (size_t c = 0; c < b; c++) {
          Node child = rows[place * b + c];
          next[child] = 1;
          rows[kept * b + c] = child;
        }
        kept++;
      }
      rows.shrink(kept * b);
      if (k + 1 < n_) {
        Buffer<Node> number = ranks(next);
        for (size_t i = 0; i < rows.size(); i++) rows[i] = number[rows[i]];
      }
      reached = std::move(next);
      widths_[k] = kept;
      watcher_.nodes(kept);
    }
  }

  // From the meeting level up to level `end`: neighbouring sums with equal children are one node.
  void up(size_t end) {
    for (size_t k = meeting_; k-- > end;) {
      auto& rows = rows_[k];
      size_t b = weights_[k].size(), count = rows.size() / b, nodes = 0;
      Buffer<Node> ids(count);
      for (size_t i = 0; i < count; i++) {
        bool differs = i == 0;
        for (size_t c = 0; c < b; c++) {
          Node child = ids_[rows[i * b + c]];
          differs |= i && child != rows[(nodes - 1) * b + c];
          rows[i * b + c] = child;
        }
        if (differs) {
          for (size_t c = 0; c < b; c++) rows[nodes * b + c] = rows[i * b + c];
          nodes++;
        }
        ids[i] = static_cast<Node>(nodes - 1);
      }
      rows.shrink(nodes * b);
      ids_ = std::move(ids);
      widths_[k] = nodes;
      watcher_.nodes(nodes);
    }
  }

  // The number of each marked place among the marked ones.
  static Buffer<Node> ranks(const Buffer<uint8_t>& marks) {
    Buffer<Node> number(marks.size());
    Node next = 0;
    for (size_t i = 0; i < marks.size(); i++) {
      number[i] = next;
      next += marks[i];
    }
    return number;
  }

  Sum start_;
  std::vector<std::vector<Sum>> weights_;
  size_t n_, meeting_ = 0, bytes_ = 0;
  Watcher& watcher_;
  std::vector<Range<Sum>> reach_, open_;
  Buffer<Sum> sums_, breakpoints_;
  std::vector<Buffer<Node>> rows_;
  std::vector<size_t> widths_;
  Buffer<Node> ids_;
};

}  // namespace oddly
