// SPDX-License-Identifier: Apache-2.0
// The two-ended algorithm of oddly/engine/two_ended.py, which explains it; the same arrays, made by merging.
//
// While a list grows, the merge notes the children: for sums, where each went (above the meeting level); for
// breakpoints, how many of each copy are at most it (below). So the lists themselves are needed only while they
// grow, and what is kept per entry is its row of children, compacted in place once it is known which are nodes.
#pragma once

#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include "cover.hpp"
#include "numbering.hpp"

namespace oddly {

// What a build reports to, and what may stop it by throwing.
struct Watcher {
  virtual void lists(size_t grown, size_t bytes, size_t entries) = 0;
  virtual void nodes(size_t count) = 0;
  virtual ~Watcher() = default;
};

template <class Sum>
class TwoEnded {
 public:
  // Lists longer than `patience` are worth a cover, lists eight times as long a second thread.
  TwoEnded(Sum start, std::vector<std::vector<Sum>> weights, Watcher& watcher, size_t patience)
      : start_(start),
        weights_(std::move(weights)),
        n_(weights_.size()),
        patience_(patience),
        watcher_(watcher),
        rows_(n_),
        widths_(n_) {
    bounds();
    grow();
  }

  // The children of every node, level by level, each level `arity` columns wide.
  std::vector<Buffer<Node>> build() {
    finish(0, n_);
    return std::move(rows_);
  }

  // The number of nodes of the levels first..last; the others may be left 0.
  std::vector<size_t> widths(size_t first, size_t last) {
    finish(first, last + 1);
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

  // Grow the shorter list, or both side by side, until sums and breakpoints are of the same level.
  void grow() {
    sums_ = Buffer<Sum>(1);
    sums_[0] = start_;
    breakpoints_ = Buffer<Sum>(1);
    breakpoints_[0] = 0;
    size_t above = 0, below = n_, limit = patience_;
    while (above < below) {
      size_t shorter = std::min(sums_.size(), breakpoints_.size()), longer = std::max(sums_.size(), breakpoints_.size());
      bool both = shorter > 8 * patience_ && longer < 2 * shorter && below - above > 1;
      bool from_top = both || sums_.size() <= 2 * breakpoints_.size(), from_bottom = both || !from_top;
      announce(above + n_ - below, from_top ? need(sums_, above, 1) : 0,
               from_bottom ? need(breakpoints_, below - 1, weights_[below - 1].size()) : 0);
      side_by_side(both, [&] { if (from_top) grow_sums(above); },
                   [&] { if (from_bottom) grow_breakpoints(below - 1); });
      above += from_top;
      below -= from_bottom;
      if (above < below && std::max(sums_.size(), breakpoints_.size()) > limit) {
        covers_.reset();
        if (crowded(sums_) || crowded(breakpoints_))
          covers_ = std::make_unique<Covers<Sum>>(sums_, breakpoints_, weights_, above, below, limit / 8 + 1);
        limit *= 2;
      }
    }
    meeting_ = above;
    covers_.reset();
  }

  // The bytes that growing a list by one level may take.
  size_t need(const Buffer<Sum>& list, size_t level, size_t columns) const {
    size_t upper = list.size() * weights_[level].size() + 2;
    if (upper >= UINT32_MAX) throw std::length_error("more than 2^32 entries in a level");
    return upper * (sizeof(Sum) + columns * sizeof(Node));
  }

  void announce(size_t grown, size_t more, size_t yet_more) {
    size_t rows = 0;
    for (const auto& level_rows : rows_) rows += level_rows.size();
    watcher_.lists(grown, rows * sizeof(Node) + sums_.bytes() + breakpoints_.bytes() + more + yet_more, rows);
  }

  // The sums of level k+1 and, for each sum of level k, where its children went.
  void grow_sums(size_t k) {
    const auto& ws = weights_[k];
    size_t b = ws.size();
    Copies<Sum> in(sums_, ws, open_[k + 1]);
    Buffer<Node> targets((sums_.size() + 1) * b);  // a row more, for heads at the end of their copy
    Buffer<Sum> grown(in.inside() + 2);
    size_t o = outside(in, grown, targets, 0, false);
    if (b == 2) {
      Node* to = targets.data();
      o = merge_two(in, o, grown.data(), NoteTargets{to}, [to](auto from, auto until, size_t, size_t, size_t gap) {
        for (size_t i = from.first; i < until.first; i++) to[2 * i] -= static_cast<Node>(gap);
        for (size_t j = from.second; j < until.second; j++) to[2 * j + 1] -= static_cast<Node>(gap);
      });
    } else if (b > kMostCopies) {
      size_t first = o;
      o = sort_all(in, o, grown.data());
      for (size_t c = 0; c < b; c++)
        for (size_t i = in.from[c], at = first; i < in.to[c]; i++) {
          at = std::lower_bound(grown.data() + at, grown.data() + o, in.at(c, i)) - grown.data();
          targets[i * b + c] = static_cast<Node>(at);
        }
    } else {
      o = merge_any(in, o, grown.data(), [&, to = targets.data()](size_t at, const size_t* head, const size_t*) {
        for (size_t c = 0; c < b; c++) to[head[c] * b + c] = static_cast<Node>(at);  // the last to be told stays
      });
    }
    o = outside(in, grown, targets, o, true);
    grown.shrink(o);
    targets.shrink(sums_.size() * b);
    if (covers_) thin_sums(grown, covers_->breakpoints[k + 1], targets.data(), targets.size());
    sums_ = std::move(grown);
    rows_[k] = std::move(targets);
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
  void grow_breakpoints(size_t k) {
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
    } else if (b > kMostCopies) {
      size_t first = o;
      o = sort_all(in, o, grown.data());
      for (size_t c = 0; c < b; c++)
        for (size_t at = first, passed = in.from[c]; at < o; at++) {
          passed += passed < in.to[c] && in.at(c, passed) <= grown[at];
          rows[(at + 1) * b + c] = static_cast<Node>(passed);
        }
    } else {
      o = merge_any(in, o, grown.data(), [&, row = rows.data()](size_t at, const size_t*, const size_t* passed) {
        for (size_t c = 0; c < b; c++) row[(at + 1) * b + c] = static_cast<Node>(passed[c]);
      });
    }
    grown.shrink(o);
    rows.shrink((o + 1) * b);
    if (covers_) thin_breakpoints(grown, covers_->sums[k], rows, b);
    breakpoints_ = std::move(grown);
    rows_[k] = std::move(rows);
  }

  // The nodes of the levels first..end-1, from the meeting level both ways.
  void finish(size_t first, size_t end) {
    size_t entries = sums_.size() + breakpoints_.size();
    Buffer<uint8_t> reached = land();
    side_by_side(entries > 8 * patience_, [&] { up(first); }, [&] { down(std::move(reached), end); });
  }

  // Do two things, the second on a thread of its own if that is worth it; what either throws comes out here.
  template <class First, class Second>
  static void side_by_side(bool worth_it, First first, Second second) {
    if (!worth_it || std::thread::hardware_concurrency() < 2) {
      first();
      second();
      return;
    }
    auto other = std::async(std::launch::async, second);
    first();
    other.get();
  }

  // From the meeting level down, keep the places that are reached and number them; levels before `end` are wanted.
  void down(Buffer<uint8_t> reached, size_t end) {
    Buffer<uint8_t> next;
    Buffer<Node> number;
    for (size_t k = meeting_; k < std::min(end, n_); k++) {
      clear(next, (k + 1 < n_ ? rows_[k + 1].size() / weights_[k + 1].size() : 2) + 1);
      widths_[k] = weights_[k].size() == 2 ? keep_reached<2>(rows_[k], reached, next, 2)
                                           : keep_reached<0>(rows_[k], reached, next, weights_[k].size());
      if (k + 1 < n_) {
        rank(next, number);
        Node* rows = rows_[k].data();
        for (size_t i = 0; i < rows_[k].size(); i++) rows[i] = number[rows[i]];
      }
      std::swap(reached, next);
      watcher_.nodes(widths_[k]);
    }
  }

  // Which places of the meeting level the sums land on; ids_ becomes the node of each sum.
  Buffer<uint8_t> land() {
    Buffer<uint8_t> reached;
    clear(reached, breakpoints_.size() + 2);
    ids_ = Buffer<Node>(sums_.size());
    for (size_t i = 0, place = 0; i < sums_.size(); i++) {
      while (place < breakpoints_.size() && breakpoints_[place] <= sums_[i]) place++;
      reached[place] = 1;
      ids_[i] = static_cast<Node>(place);
    }
    if (meeting_ < n_) {
      Buffer<Node> number;
      rank(reached, number);
      for (size_t i = 0; i < sums_.size(); i++) ids_[i] = number[ids_[i]];
    }
    sums_.clear();
    breakpoints_.clear();
    return reached;
  }

  // From the meeting level up to level `end`: neighbouring sums with equal children are one node.
  void up(size_t end) {
    Buffer<Node> ids;
    for (size_t k = meeting_; k-- > end;) {
      size_t b = weights_[k].size();
      ids.reset(rows_[k].size() / b);
      widths_[k] = b == 2 ? join_equal<2>(rows_[k], ids_, ids, b) : join_equal<0>(rows_[k], ids_, ids, b);
      std::swap(ids_, ids);
      watcher_.nodes(widths_[k]);
    }
  }

  Sum start_;
  std::vector<std::vector<Sum>> weights_;
  size_t n_, patience_, meeting_ = 0;
  Watcher& watcher_;
  std::vector<Range<Sum>> reach_, open_;
  Buffer<Sum> sums_, breakpoints_;
  std::vector<Buffer<Node>> rows_;
  std::vector<size_t> widths_;
  Buffer<Node> ids_;
  std::unique_ptr<Covers<Sum>> covers_;  // none while lists are short or spread out
};

}  // namespace oddly
