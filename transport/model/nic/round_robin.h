// SPDX-License-Identifier: GPL-2.0-only
/// Round robin over the queue pairs of a NIC, in the order in which they were created.
///
/// One bit for each queue pair says whether it can send; the search for the next reads one word for
/// 64 idle ones. Finished queue pairs leave holes. The holes are closed when they outnumber the
/// live queue pairs, and the turn skips them correctly (in SimAI it jumps).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/containers/state_count.h"

namespace heddle {

/// One cache line while the members are few: in a large fabric each line costs a cache miss
/// (docs/performance.md).
class alignas(64) RoundRobin {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds a member, last in order, not ready. Returns its position, which only Compact() changes.
  std::uint32_t Add(std::uint32_t member) {
    if (!large_ && size_ == kSmall) Enlarge();
    if (large_) {
      large_->members.push_back(member);
      if (large_->members.size() > 64 * large_->ready.size()) large_->ready.push_back(0);
    } else {
      small_[size_] = member;
    }
    return size_++;
  }
  /// Leaves a hole at `position`. The last removal empties the object.
  void Remove(std::uint32_t position) {
    SetReady(position, false);
    members()[position] = kNone;
    if (++holes_ == size_) *this = RoundRobin();
  }
  /// Notes whether the member at `position` can send; no change if that was so already.
  void SetReady(std::uint32_t position, bool ready) {
    const std::uint64_t bit = std::uint64_t{1} << (position & 63);
    std::uint64_t& word = words()[position >> 6];
    const bool was = (word & bit) != 0;
    if (was == ready) return;
    word ^= bit;
    ready_count_ += ready ? 1U : ~0U;
  }
  bool any() const { return size_ > 0; }                ///< positions exist, holes included
  bool any_ready() const { return ready_count_ > 0; }   ///< some member can send
  std::uint32_t ready() const { return ready_count_; }  ///< number of members that can send
  /// Returns the position served last; kNone if there is none yet.
  std::uint32_t last() const { return last_; }
  /// Returns the member at a position; kNone: a hole.
  std::uint32_t member(std::uint32_t position) const { return members()[position]; }

  /// Returns the first ready position after the one served last for which `may_send(member)`, and
  /// makes it the one served last; kNone if there is none.
  template <class MaySend>
  std::uint32_t Pick(MaySend&& may_send) {
    if (ready_count_ == 0) return kNone;
    const std::uint32_t first = last_ + 1 < size_ ? last_ + 1 : 0;
    std::uint32_t position = PickIn(first, size_, may_send);
    if (position == kNone) position = PickIn(0, first, may_send);
    if (position != kNone) last_ = position;
    return position;
  }

  /// Returns the position served last if it is ready and `may_send(member)`; kNone otherwise.
  template <class MaySend>
  std::uint32_t PickSame(MaySend&& may_send) {
    if (last_ >= size_ || (words()[last_ >> 6] >> (last_ & 63) & 1) == 0) return kNone;
    return may_send(members()[last_]) ? last_ : kNone;
  }

  /// Returns the member after the one served last, which is likely to be the next; kNone if there
  /// is none or no member is ready.
  std::uint32_t Next() const {
    if (ready_count_ == 0) return kNone;
    return members()[last_ + 1 < size_ ? last_ + 1 : 0];
  }

  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    if (!large_) return 0;
    return sizeof(Large) + large_->members.capacity() * sizeof(std::uint32_t) +
           large_->ready.capacity() * sizeof(std::uint64_t);
  }

  /// Calls visit(member) for all members in order, ready or not.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (members()[i] != kNone) visit(members()[i]);
    }
  }

  /// Whether `member` is at `position`.
  bool Has(std::uint32_t position, std::uint32_t member) const {
    return position < size_ && members()[position] == member;
  }
  /// Calls visit(position, member, ready) for all positions but holes.
  template <class Visit>
  void ForEachPosition(Visit&& visit) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (members()[i] != kNone) visit(i, members()[i], (words()[i >> 6] >> (i & 63) & 1) != 0);
    }
  }

  /// Closes the holes if they are many, except that of the member served last, so that no other
  /// member inherits the rest of its turn. Calls moved(member, new position) for each member that
  /// remains.
  template <class Moved>
  void Compact(Moved&& moved) {
    if (holes_ < 16 || 2 * holes_ < size_) return;
    RoundRobin tidy;
    for (std::uint32_t i = 0; i < size_; ++i) {
      const bool hole = members()[i] == kNone;
      if (hole && i != last_) continue;
      const std::uint32_t position = tidy.Add(members()[i]);
      if (i == last_) tidy.last_ = position;
      if (hole) {
        ++tidy.holes_;
        continue;
      }
      tidy.SetReady(position, (words()[i >> 6] >> (i & 63)) & 1);
      moved(members()[i], position);
    }
    *this = std::move(tidy);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::vector<std::uint32_t> all(members(), members() + size_);
    std::vector<std::uint64_t> ready(words(), words() + (size_ + 63) / 64);
    archive& all& ready& ready_count_& holes_& last_;
    if constexpr (Archive::is_loading::value) {
      large_.reset();
      size_ = 0;
      for (std::uint32_t member : all) Add(member);
      ExpectState(ready.size() == (all.size() + 63) / 64,
                  "more or fewer marks of ready queue pairs than queue pairs");
      std::copy(ready.begin(), ready.end(), words());
      CheckLoaded();
    }
  }

 private:
  /// Checks that only members are ready and that both counts are right. Throws UserError.
  void CheckLoaded() const {
    std::uint32_t holes = 0, count = 0;
    for (std::uint32_t i = 0; i < 64 * ((size_ + 63) / 64); ++i) {
      const bool is_ready = (words()[i >> 6] >> (i & 63) & 1) != 0,
                 hole = i < size_ && members()[i] == kNone;
      holes += hole ? 1 : 0;
      count += is_ready ? 1 : 0;
      ExpectState(!is_ready || (i < size_ && !hole),
                  "a queue pair that is ready and does not exist");
    }
    ExpectState(holes == holes_ && count == ready_count_,
                "other numbers of queue pairs than it says");
  }
  /// Returns the first ready position in [begin, end) for which `may_send(member)`; kNone if there
  /// is none.
  template <class MaySend>
  std::uint32_t PickIn(std::uint32_t begin, std::uint32_t end, MaySend& may_send) const {
    for (std::uint32_t at = begin; at < end;) {
      std::uint64_t bits = words()[at >> 6] >> (at & 63);
      if (bits == 0) {
        at = (at | 63) + 1;
        continue;
      }
      at += static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (at >= end) break;
      if (may_send(members()[at])) return at;
      ++at;
    }
    return kNone;
  }

  static constexpr std::uint32_t kSmall = 8;
  struct Large {
    std::vector<std::uint32_t> members;
    std::vector<std::uint64_t> ready;
  };

  std::uint32_t* members() { return large_ ? large_->members.data() : small_; }  ///< by position
  /// Returns the same for readers.
  const std::uint32_t* members() const { return large_ ? large_->members.data() : small_; }
  /// Returns the ready bits, 64 positions a word.
  std::uint64_t* words() { return large_ ? large_->ready.data() : &ready_; }
  /// Returns the same for readers.
  const std::uint64_t* words() const { return large_ ? large_->ready.data() : &ready_; }
  /// Moves the members to the heap, beyond kSmall of them.
  void Enlarge() {
    large_ = std::make_unique<Large>();
    large_->members.assign(small_, small_ + size_);
    large_->ready.assign(1, ready_);
  }

  std::unique_ptr<Large> large_;  ///< null up to kSmall members
  std::uint64_t ready_ = 0;
  std::uint32_t size_ = 0;  ///< holes included
  std::uint32_t ready_count_ = 0;
  std::uint32_t holes_ = 0;
  std::uint32_t last_ = kNone;
  std::uint32_t small_[kSmall] = {};
};

static_assert(sizeof(RoundRobin) == 64);

}  // namespace heddle
