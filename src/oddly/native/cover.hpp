// SPDX-License-Identifier: Apache-2.0
// Covers: supersets of the sums, or of the breakpoints, that a level can hold, as a few closed intervals.
//
// They shorten lists whose entries crowd together: weights on two very different scales, coarse weights with noise.
#pragma once

#include <algorithm>
#include <vector>

#include "merge.hpp"

namespace oddly {

template <class Sum>
using Cover = std::vector<Range<Sum>>;

// The shifted copies of a cover together, as at most `most` intervals: the narrowest gaps are filled.
template <class Sum>
Cover<Sum> join(const Cover<Sum>& cover, const std::vector<Sum>& shifts, size_t most) {
  Cover<Sum> all;
  all.reserve(cover.size() * shifts.size());
  for (const Sum& shift : shifts) {
    size_t middle = all.size();
    for (const auto& r : cover) all.push_back({r.low + shift, r.high + shift});
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(),
                       [](const auto& a, const auto& b) { return a.low < b.low; });
  }
  Cover<Sum> joined{all[0]};
  for (size_t i = 1; i < all.size(); i++) {
    if (all[i].low > joined.back().high)
      joined.push_back(all[i]);
    else
      joined.back().high = std::max(joined.back().high, all[i].high);
  }
  if (joined.size() <= most) return joined;
  std::vector<Sum> gaps;
  for (size_t i = 1; i < joined.size(); i++) gaps.push_back(joined[i].low - joined[i - 1].high);
  size_t filled = joined.size() - most;
  std::nth_element(gaps.begin(), gaps.begin() + (filled - 1), gaps.end());
  Sum widest_filled = gaps[filled - 1];
  Cover<Sum> fewer{joined[0]};
  for (size_t i = 1; i < joined.size(); i++) {
    if (joined[i].low - fewer.back().high > widest_filled)
      fewer.push_back(joined[i]);
    else
      fewer.back().high = joined[i].high;
  }
  return fewer;
}

template <class Sum>
struct Covers {
  std::vector<Cover<Sum>> sums, breakpoints;  // by level

  Covers(Sum start, const std::vector<std::vector<Sum>>& weights, size_t most)
      : sums(weights.size() + 1), breakpoints(weights.size() + 1) {
    size_t n = weights.size();
    sums[0] = {{start, start}};
    for (size_t k = 0; k < n; k++) sums[k + 1] = join(sums[k], weights[k], most);
    breakpoints[n] = {{0, 0}};
    for (size_t k = n; k-- > 0;) {
      std::vector<Sum> back;
      for (const Sum& w : weights[k]) back.push_back(-w);
      breakpoints[k] = join(breakpoints[k + 1], back, most);
    }
  }
};

// Of the sums in one gap of the breakpoints' cover keep the first; targets[i] is moved to where sum i went.
template <class Sum>
void thin_sums(Buffer<Sum>& sums, const Cover<Sum>& cover, Node* targets, size_t count) {
  Buffer<Node> place(sums.size());
  size_t kept = 0, ahead = 0, last_gap = cover.size() + 1;
  for (size_t i = 0; i < sums.size(); i++) {
    while (ahead < cover.size() && cover[ahead].high < sums[i]) ahead++;
    bool inside = ahead < cover.size() && cover[ahead].low <= sums[i];
    if (inside || last_gap != ahead) sums[kept++] = sums[i];
    last_gap = inside ? cover.size() + 1 : ahead;
    place[i] = static_cast<Node>(kept - 1);
  }
  if (kept == sums.size()) return;
  for (size_t i = 0; i < count; i++) targets[i] = place[targets[i]];
  sums.shrink(kept);
}

// Of the breakpoints in one gap of the sums' cover keep the first and the last; row i+1 belongs to breakpoint i.
template <class Sum>
void thin_breakpoints(Buffer<Sum>& breakpoints, const Cover<Sum>& cover, Buffer<Node>& rows, size_t arity) {
  size_t kept = 0, ahead = 0, gap = cover.size() + 1, in_gap = 0;
  for (size_t i = 0; i < breakpoints.size(); i++) {
    while (ahead < cover.size() && cover[ahead].high < breakpoints[i]) ahead++;
    bool inside = ahead < cover.size() && cover[ahead].low <= breakpoints[i];
    in_gap = inside || gap != ahead ? 0 : in_gap + 1;
    gap = inside ? cover.size() + 1 : ahead;
    if (in_gap > 1) kept--;  // the last one seen was neither the first nor the last of its gap
    breakpoints[kept] = breakpoints[i];
    for (size_t c = 0; c < arity; c++) rows[(kept + 1) * arity + c] = rows[(i + 1) * arity + c];
    kept++;
  }
  breakpoints.shrink(kept);
  rows.shrink((kept + 1) * arity);
}

}  // namespace oddly
