// SPDX-License-Identifier: Apache-2.0
// Where a difference of sums lies among the breakpoints of a pair of classes, in the context it is met in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oddly {

// The sorted breakpoints of a pair of classes, those of each context after the other's. The range of a context is cut
// into buckets of equal width, about two for each of its breakpoints, so that a search has little left to look at.
class Breaks {
 public:
  size_t first, second;

  Breaks(size_t one, size_t other, const int64_t* numbers, const int64_t* starts, size_t contexts)
      : first(one), second(other), numbers_(numbers), starts_(starts), shift_(contexts), bucket_(contexts) {
    for (size_t c = 0; c < contexts; c++) {
      size_t length = static_cast<size_t>(starts[c + 1] - starts[c]);
      bucket_[c] = from_.size();
      if (!length) continue;
      const int64_t* list = numbers + starts[c];
      uint64_t range = static_cast<uint64_t>(list[length - 1] - list[0]);
      while (range >> shift_[c] >= 2 * length) shift_[c]++;
      size_t buckets = static_cast<size_t>(range >> shift_[c]) + 1, at = 0;
      for (size_t k = 0; k <= buckets; k++) {
        while (at < length && static_cast<uint64_t>(list[at] - list[0]) >> shift_[c] < k) at++;
        from_.push_back(static_cast<uint32_t>(at));
      }
    }
  }

  // Where a search begins; an earlier call for the bucket makes a later one for the breakpoint cheap.
  const uint32_t* bucket(int64_t context, int64_t difference) const {
    const int64_t* list = numbers_ + starts_[context];
    if (starts_[context] == starts_[context + 1] || difference < list[0]) return nullptr;
    if (difference >= numbers_[starts_[context + 1] - 1]) return &kEnd;
    return &from_[bucket_[context] + (static_cast<uint64_t>(difference - list[0]) >> shift_[context])];
  }
  const int64_t* begin(int64_t context, const uint32_t* bucket) const { return numbers_ + starts_[context] + *bucket; }

  // How many breakpoints of its context are at most the difference, which lies in this bucket.
  uint32_t place(int64_t context, int64_t difference, const uint32_t* bucket) const {
    if (!bucket) return 0;
    if (bucket == &kEnd) return static_cast<uint32_t>(starts_[context + 1] - starts_[context]);
    const int64_t* list = numbers_ + starts_[context];
    return static_cast<uint32_t>(std::upper_bound(list + bucket[0], list + bucket[1], difference) - list);
  }

 private:
  static constexpr uint32_t kEnd = 0;
  const int64_t* numbers_;
  const int64_t* starts_;
  std::vector<int> shift_;
  std::vector<size_t> bucket_;   // where the buckets of each context begin
  std::vector<uint32_t> from_;   // where the breakpoints of each bucket begin, and behind the last where they end
};

}  // namespace oddly
