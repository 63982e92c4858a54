// SPDX-License-Identifier: GPL-2.0-only
/// Round robin over the queue pairs of a NIC, in the order in which they were created.
///
/// A bit a queue pair says whether it could send; finding the next one costs a word an idle 64. Finished ones leave holes that
/// are closed when they outnumber the live ones; the turn passes on correctly over them (in SimAI it jumps).
#ifndef HEDDLE_TRANSPORT_ROUND_ROBIN_H_
#define HEDDLE_TRANSPORT_ROUND_ROBIN_H_

#include <cstdint>
#include <vector>

namespace heddle {

class RoundRobin {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// A new member, last in order, not ready. Returns its position; it may change in Compact() only.
  std::uint32_t Add(std::uint32_t member) {
    members_.push_back(member);
    if (members_.size() > 64 * ready_.size()) ready_.push_back(0);
    return static_cast<std::uint32_t>(members_.size() - 1);
  }
  void Remove(std::uint32_t position) {
    SetReady(position, false);
    members_[position] = kNone;
    ++holes_;
  }
  void SetReady(std::uint32_t position, bool ready) {
    const std::uint64_t bit = std::uint64_t{1} << (position & 63);
    std::uint64_t& word = ready_[position >> 6];
    const bool was = (word & bit) != 0;
    if (was == ready) return;
    word ^= bit;
    ready_count_ += ready ? 1U : ~0U;
  }
  bool any_ready() const { return ready_count_ > 0; }
  std::uint32_t member(std::uint32_t position) const { return members_[position]; }

  /// The first ready position after the last one served for which `may_send(member)`; kNone if there is none.
  template <class MaySend>
  std::uint32_t Pick(MaySend&& may_send) {
    if (ready_count_ == 0) return kNone;
    const std::uint32_t size = static_cast<std::uint32_t>(members_.size());
    const std::uint32_t first = last_ + 1 < size ? last_ + 1 : 0;
    std::uint32_t position = PickIn(first, size, may_send);
    if (position == kNone) position = PickIn(0, first, may_send);
    if (position != kNone) last_ = position;
    return position;
  }

  /// The position served last, if it is ready and `may_send(member)`; kNone otherwise.
  template <class MaySend>
  std::uint32_t PickSame(MaySend&& may_send) {
    if (last_ >= members_.size() || (ready_[last_ >> 6] >> (last_ & 63) & 1) == 0) return kNone;
    return may_send(members_[last_]) ? last_ : kNone;
  }

  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (std::uint32_t member : members_) {
      if (member != kNone) visit(member);
    }
  }

  /// Close the holes if they are many. Calls moved(member, new position) for each member that stays.
  template <class Moved>
  void Compact(Moved&& moved) {
    if (holes_ < 16 || 2 * holes_ < members_.size()) return;
    RoundRobin tidy;
    // The turn stays with the last live member at or before the one last served.
    tidy.last_ = kNone;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      if (members_[i] == kNone) continue;
      const std::uint32_t position = tidy.Add(members_[i]);
      tidy.SetReady(position, (ready_[i >> 6] >> (i & 63)) & 1);
      if (last_ != kNone && i <= last_) tidy.last_ = position;
      moved(members_[i], position);
    }
    *this = tidy;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& members_& ready_& ready_count_& holes_& last_;
  }

 private:
  template <class MaySend>
  std::uint32_t PickIn(std::uint32_t begin, std::uint32_t end, MaySend& may_send) const {
    for (std::uint32_t at = begin; at < end;) {
      std::uint64_t bits = ready_[at >> 6] >> (at & 63);
      if (bits == 0) {
        at = (at | 63) + 1;
        continue;
      }
      at += static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (at >= end) break;
      if (may_send(members_[at])) return at;
      ++at;
    }
    return kNone;
  }

  std::vector<std::uint32_t> members_;
  std::vector<std::uint64_t> ready_;
  std::uint32_t ready_count_ = 0;
  std::uint32_t holes_ = 0;
  std::uint32_t last_ = kNone;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_ROUND_ROBIN_H_
