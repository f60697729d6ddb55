// SPDX-License-Identifier: Apache-2.0
// The levels of families, one after the other: what engine/frontier.py does in arrays, here state by state.
//
// A state is a context, the classes that can still win (as bits), and their sums relative to the first of these. States
// that decide alike are found through a table, and numbered as they appear.
#pragma once

#include <bit>
#include <stdexcept>
#include <vector>

#include "breaks.hpp"
#include "table.hpp"

namespace oddly {

constexpr size_t kMostClasses = 64;
using Classes = uint64_t;  // a set of them

struct StateView {
  size_t count, classes;
  const int64_t* context;
  const uint8_t* live;
  const int64_t* sums;
};

// One attribute: where its values lead, and what they add; by context, value and class.
struct StepView {
  size_t contexts, values;
  const int64_t* following;
  const int64_t* weights;
  const uint8_t* alive;
};

// What can follow, by context of the depth below: how little i gains on j, and whether a class stays possible.
struct ReachView {
  size_t contexts;
  const int64_t* least;
  const uint8_t* lasting;
  const uint8_t* strict;  // by i and j: whether i needs more than j
};

struct LabelView {
  const int64_t* of_class;
  int64_t fallback;
  size_t count;
};

inline Classes as_bits(const uint8_t* flags, size_t classes) {
  Classes bits = 0;
  for (size_t c = 0; c < classes; c++) bits |= static_cast<Classes>(flags[c] != 0) << c;
  return bits;
}

inline size_t lowest(Classes bits) { return static_cast<size_t>(std::countr_zero(bits)); }

// Distinct states, numbered as they appear: told apart by their places among breakpoints where those are known, else by
// their sums. They are looked at a block at a time, so that what one of them waits for in memory keeps no other waiting.
class States {
 public:
  States(size_t classes, const std::vector<Breaks>* breaks, size_t expected)
      : classes_(classes), breaks_(breaks), table_(expected), block_sums_(kBlock * classes) {
    if (breaks) block_places_.resize(kBlock * breaks->size());
  }

  // One more state; where its number is to be written, `offset` more than it.
  void put(int64_t context, Classes live, const int64_t* sums, Node offset, Node* number) {
    block_[held_] = {context, live, number, offset, 0, mixed(static_cast<uint64_t>(context) ^ mixed(live + 1))};
    int64_t* kept = block_sums_.data() + held_ * classes_;
    int64_t base = sums[lowest(live)];
    for (size_t c = 0; c < classes_; c++) kept[c] = live >> c & 1 ? sums[c] - base : 0;
    if (++held_ == kBlock) settle();
  }

  // Number what waits in the block.
  void settle() {
    if (breaks_)
      for (size_t p = 0; p < breaks_->size(); p++) note_places((*breaks_)[p]);
    else
      note_sums();
    fetch();
    for (size_t i = 0; i < held_; i++) *block_[i].number = block_[i].offset + number_of(i);
    held_ = 0;
  }

  size_t size() const { return kept_.size(); }
  Buffer<int64_t> sums() { return sums_.taken(); }
  Buffer<int64_t> context() const {
    Buffer<int64_t> found(size());
    for (size_t i = 0; i < size(); i++) found[i] = kept_[i].context;
    return found;
  }
  Buffer<uint8_t> live() const {
    Buffer<uint8_t> flags(size() * classes_);
    for (size_t i = 0; i < size(); i++)
      for (size_t c = 0; c < classes_; c++) flags[i * classes_ + c] = kept_[i].live >> c & 1;
    return flags;
  }

 private:
  static constexpr size_t kBlock = 64;
  struct Waiting {
    int64_t context;
    Classes live;
    Node* number;
    Node offset;
    size_t places;
    uint64_t hash;
  };
  struct Kept {
    int64_t context;
    Classes live;
    uint64_t hash;
    size_t from;  // where its places begin
  };

  void note_sums() {
    for (size_t i = 0; i < held_; i++)
      for (Classes rest = block_[i].live & (block_[i].live - 1); rest; rest &= rest - 1)
        block_[i].hash = mixed(block_[i].hash ^ static_cast<uint64_t>(block_sums_[i * classes_ + lowest(rest)]));
  }

  // The places of the block's states: all ask for what they will look at before any does.
  void note_places(const Breaks& breaks) {
    size_t at[kBlock], count = 0;
    int64_t difference[kBlock];
    const uint32_t* bucket[kBlock];
    Classes both = Classes{1} << breaks.first | Classes{1} << breaks.second;
    for (size_t i = 0; i < held_; i++) {
      if ((block_[i].live & both) != both) continue;
      difference[count] = block_sums_[i * classes_ + breaks.first] - block_sums_[i * classes_ + breaks.second];
      bucket[count] = breaks.bucket(block_[i].context, difference[count]);
      __builtin_prefetch(bucket[count]);
      at[count++] = i;
    }
    for (size_t k = 0; k < count; k++)
      if (bucket[k]) __builtin_prefetch(breaks.begin(block_[at[k]].context, bucket[k]));
    for (size_t k = 0; k < count; k++) {
      Waiting& w = block_[at[k]];
      uint32_t place = breaks.place(w.context, difference[k], bucket[k]);
      block_places_[at[k] * breaks_->size() + w.places++] = place;
      w.hash = mixed(w.hash ^ place);
    }
  }

  // Ask for the slots of the block, then for the states that most probably stand there, then for what these hold.
  void fetch() {
    Node likely[kBlock];
    for (size_t i = 0; i < held_; i++) {
      block_[i].hash ^= block_[i].hash >> 32;
      table_.prefetch(block_[i].hash);
    }
    for (size_t i = 0; i < held_; i++) {
      likely[i] = table_.first(block_[i].hash);
      if (likely[i] == kAny) continue;
      __builtin_prefetch(kept_.data() + likely[i]);
      if (!breaks_) __builtin_prefetch(sums_.data() + likely[i] * classes_);
    }
    if (breaks_)
      for (size_t i = 0; i < held_; i++)
        if (likely[i] != kAny) __builtin_prefetch(places_.data() + kept_[likely[i]].from);
  }

  Node number_of(size_t i) {
    const Waiting& w = block_[i];
    const int64_t* sums = block_sums_.data() + i * classes_;
    const uint32_t* places = breaks_ ? block_places_.data() + i * breaks_->size() : nullptr;
    auto same = [&](Node at) {
      const Kept& kept = kept_[at];
      return kept.hash == w.hash && kept.context == w.context && kept.live == w.live &&
             (breaks_ ? std::equal(places, places + w.places, places_.data() + kept.from)
                      : std::equal(sums, sums + classes_, sums_.data() + at * classes_));
    };
    auto [number, fresh] = table_.find(w.hash, same, [&](Node at) { return kept_[at].hash; });
    if (!fresh) return number;
    if (size() + 1 >= kAny - w.offset) throw std::length_error("more than 2^32 states in a level");
    kept_.push({w.context, w.live, w.hash, places_.size()});
    std::copy(sums, sums + classes_, sums_.more(classes_));
    std::copy(places, places + w.places, places_.more(w.places));
    return number;
  }

  size_t classes_;
  const std::vector<Breaks>* breaks_;
  Table table_;
  Stack<Kept> kept_;
  Stack<int64_t> sums_;
  Stack<uint32_t> places_;
  Waiting block_[kBlock];
  std::vector<int64_t> block_sums_;
  std::vector<uint32_t> block_places_;
  size_t held_ = 0;
};

// The states one attribute on. Writes the rows of this depth's labels and states.
inline States descend(const StateView& states, const StepView& step, const ReachView& reach, const LabelView& labels,
                      const std::vector<Breaks>* breaks, Node* rows) {
  size_t m = states.classes, values = step.values;
  for (size_t i = 0; i < labels.count; i++) rows = std::fill_n(rows, values, static_cast<Node>(i));
  std::vector<Classes> alive(step.contexts * values), lasting(reach.contexts);
  for (size_t e = 0; e < alive.size(); e++) alive[e] = as_bits(step.alive + e * m, m);
  for (size_t c = 0; c < lasting.size(); c++) lasting[c] = as_bits(reach.lasting + c * m, m);
  States below(m, breaks, states.count);
  std::vector<int64_t> sums(m);
  for (size_t s = 0; s < states.count; s++) {
    Classes live_here = as_bits(states.live + s * m, m);
    for (size_t v = 0; v < values; v++, rows++) {
      size_t edge = static_cast<size_t>(states.context[s]) * values + v;
      int64_t context = step.following[edge];
      Classes possible = live_here & alive[edge];
      for (size_t c = 0; c < m; c++) sums[c] = states.sums[s * m + c] + step.weights[edge * m + c];
      const int64_t* least = reach.least + static_cast<size_t>(context) * m * m;
      Classes live = possible;
      for (Classes i = possible; i; i &= i - 1) {  // without the classes that i beats whatever follows
        size_t a = lowest(i);
        for (Classes j = live & ~(i & -i); j; j &= j - 1) {
          size_t b = lowest(j);
          if (sums[a] - sums[b] + least[a * m + b] >= reach.strict[a * m + b]) live &= ~(j & -j);
        }
      }
      if (live == 0) {
        *rows = static_cast<Node>(labels.fallback);
      } else if ((live & (live - 1)) == 0 && (labels.of_class[lowest(live)] == labels.fallback ||
                                              (lasting[static_cast<size_t>(context)] & live))) {
        *rows = static_cast<Node>(labels.of_class[lowest(live)]);
      } else {
        below.put(context, live, sums.data(), static_cast<Node>(labels.count), rows);
      }
    }
  }
  below.settle();
  return below;
}

// What is reached from the root, numbered as the edges from above first reach it.
inline void as_read(std::vector<Buffer<Node>>& levels, const std::vector<size_t>& arities, Node root) {
  Buffer<Node> number;
  std::vector<Node> reached{root};
  for (size_t k = 0; k < levels.size(); k++) {
    size_t b = arities[k];
    Buffer<Node> rows(reached.size() * b);
    for (size_t i = 0; i < reached.size(); i++)
      std::copy_n(levels[k].data() + size_t{reached[i]} * b, b, rows.data() + i * b);
    reached.clear();
    if (k + 1 < levels.size()) {
      number.reset(levels[k + 1].size() / arities[k + 1]);
      std::fill(number.data(), number.data() + number.size(), kAny);
      for (size_t e = 0; e < rows.size(); e++) {
        Node& place = number[rows[e]];
        if (place == kAny) {
          place = static_cast<Node>(reached.size());
          reached.push_back(rows[e]);
        }
        rows[e] = place;
      }
    }
    levels[k] = std::move(rows);
  }
}

}  // namespace oddly
