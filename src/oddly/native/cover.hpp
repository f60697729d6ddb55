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

template <class Sum>
Sum average_gap(const Buffer<Sum>& list) {
  return (list[list.size() - 1] - list[0]) / static_cast<Sum>(list.size());
}

// Whether a list's entries crowd together: the gap between neighbours is most often far below the average. Judged by a
// sample, because it is asked of every long list.
template <class Sum>
bool crowded(const Buffer<Sum>& list) {
  constexpr size_t kSample = 63;
  if (list.size() <= kSample) return true;
  std::vector<Sum> gaps;
  for (size_t q = 0; q < kSample; q++) {
    size_t i = (list.size() - 1) * q / kSample;
    gaps.push_back(list[i + 1] - list[i]);
  }
  std::nth_element(gaps.begin(), gaps.begin() + kSample / 2, gaps.end());
  return gaps[kSample / 2] < average_gap(list) / 8;
}

// The same with at most `most` intervals, the narrowest gaps filled; and with one where those would leave few gaps.
template <class Sum>
Cover<Sum> coarsened(Cover<Sum> cover, size_t most) {
  Sum covered = 0, span = cover.back().high - cover[0].low;
  for (const auto& r : cover) covered += r.high - r.low;
  if (covered > span / 2) return {{cover[0].low, cover.back().high}};
  if (cover.size() <= most) return cover;
  std::vector<Sum> gaps;
  gaps.reserve(cover.size());
  for (size_t i = 1; i < cover.size(); i++) gaps.push_back(cover[i].low - cover[i - 1].high);
  size_t filled = cover.size() - most;
  std::nth_element(gaps.begin(), gaps.begin() + (filled - 1), gaps.end());
  Sum widest_filled = gaps[filled - 1];
  size_t kept = 0;
  for (size_t i = 1; i < cover.size(); i++) {
    if (cover[i].low - cover[kept].high > widest_filled)
      cover[++kept] = cover[i];
    else
      cover[kept].high = cover[i].high;
  }
  cover.resize(kept + 1);
  return cover;
}

template <class Sum>
Cover<Sum> cover_of(const Buffer<Sum>& list, size_t most) {
  Sum close = list.size() > most ? average_gap(list) / 8 : 0;
  Cover<Sum> cover{{list[0], list[0]}};
  for (size_t i = 1; i < list.size(); i++) {
    if (list[i] - cover.back().high > close)
      cover.push_back({list[i], list[i]});
    else
      cover.back().high = list[i];
  }
  return coarsened(std::move(cover), most);
}

// The copies of a cover shifted by ±shifts, together, as at most `most` intervals.
template <class Sum>
Cover<Sum> join(const Cover<Sum>& cover, const std::vector<Sum>& shifts, int sign, size_t most) {
  Cover<Sum> all;
  all.reserve(cover.size() * shifts.size());
  auto lower = [](const auto& a, const auto& b) { return a.low < b.low; };
  for (const Sum& shift : shifts) {
    size_t middle = all.size();
    for (const auto& r : cover) all.push_back({r.low + sign * shift, r.high + sign * shift});
    if (shifts.size() <= kMostCopies) std::inplace_merge(all.begin(), all.begin() + middle, all.end(), lower);
  }
  if (shifts.size() > kMostCopies) std::sort(all.begin(), all.end(), lower);
  size_t last = 0;
  for (size_t i = 1; i < all.size(); i++) {
    if (all[i].low > all[last].high)
      all[++last] = all[i];
    else
      all[last].high = std::max(all[last].high, all[i].high);
  }
  all.resize(last + 1);
  return coarsened(std::move(all), most);
}

// Covers of the levels that are still to be grown, from the lists as they are at levels `above` and `below`. What a
// list no longer holds need not be covered: a sum that was dropped has a twin that was kept, and where a dropped
// breakpoint would part two sums, so does a kept one.
template <class Sum>
struct Covers {
  std::vector<Cover<Sum>> sums, breakpoints;  // by level

  Covers(const Buffer<Sum>& sum_list, const Buffer<Sum>& breakpoint_list,
         const std::vector<std::vector<Sum>>& weights, size_t above, size_t below, size_t most)
      : sums(weights.size() + 1), breakpoints(weights.size() + 1) {
    sums[above] = cover_of(sum_list, most);
    for (size_t k = above; k < below; k++) sums[k + 1] = join(sums[k], weights[k], 1, most);
    breakpoints[below] = cover_of(breakpoint_list, most);
    for (size_t k = below; k-- > above;) breakpoints[k] = join(breakpoints[k + 1], weights[k], -1, most);
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
