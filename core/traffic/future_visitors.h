// SPDX-License-Identifier: GPL-2.0-only
/// Visitors of what a record says of its members (future.h): words of keys, checks of records that
/// are new or at rest, and shifts in time.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/base/future.h"
#include "core/base/units.h"
#include "core/traffic/pair_sizes.h"

namespace heddle {

/// Returns the value of a member as an integer; of a time in [ps], of a rate in [bit/s].
template <class Member>
constexpr std::uint64_t WordOf(const Member& member) {
  if constexpr (std::is_same_v<Member, Time>) {
    return static_cast<std::uint64_t>(member.ps);
  } else if constexpr (std::is_same_v<Member, BitRate>) {
    return static_cast<std::uint64_t>(member.bps);
  } else {
    return static_cast<std::uint64_t>(member);
  }
}

/// Appends members to words; small ones share a word.
class WordPacker {
 public:
  /// Appends to `words`, which must outlive it.
  explicit WordPacker(std::vector<std::uint64_t>* words) : words_(words) {}

  /// Appends members in their order, each group of at most 64 bits as one word.
  template <class... Member>
  void Add(const Member&... members) {
    std::uint64_t word = 0;
    unsigned used = 0;  // bits
    (Pack(members, &word, &used), ...);
    words_->push_back(word);
  }
  /// Appends a whole word.
  void AddWord(std::uint64_t word) { words_->push_back(word); }
  /// Appends the number of sizes, the sizes and what says by which hops they go; 0 for null.
  void AddTable(const PairSizes* sizes) {
    words_->push_back(sizes == nullptr ? 0 : sizes->bytes.size());
    if (sizes == nullptr) return;
    words_->insert(words_->end(), sizes->bytes.begin(), sizes->bytes.end());
    words_->push_back(sizes->token_digest);
    words_->push_back(sizes->returns ? 1 : 0);
  }

 private:
  /// Adds a member to `word`, of which `used` bits are taken; appends the word first if it is full.
  template <class Member>
  void Pack(const Member& member, std::uint64_t* word, unsigned* used) {
    constexpr unsigned kBits = 8 * sizeof(Member);
    const std::uint64_t value = WordOf(member) & (~std::uint64_t{0} >> (64 - kBits));
    if (*used + kBits > 64) {
      words_->push_back(*word);
      *word = *used = 0;
    }
    *word = *used == 0 ? value : *word << (kBits % 64) | value;
    *used += kBits;
  }

  std::vector<std::uint64_t>* words_;
};

/// Words of all on which the future depends: times after `now`, bytes after `base`. `stamps`:
/// whether packets' stamps are times.
class FutureWords final : public FutureVisitor<FutureWords> {
 public:
  /// Appends to `words`, which must outlive it.
  explicit FutureWords(std::vector<std::uint64_t>* words, Time now = Time{0}, std::int64_t base = 0,
                       bool stamps = false)
      : packer_(words), now_(now), base_(base), stamps_(stamps) {}

  /// Whether all could be moved in time: no member is other than MustBe() says.
  bool sound() const { return sound_; }

  /// Appends the members as they are.
  template <class... Member>
  void Decides(const Member&... members) {
    packer_.Add(members...);
  }
  /// Appends the members as they are.
  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    packer_.Add(members...);
  }
  /// Appends the table's contents, so that equal tables give equal words.
  void DecidesBehind(const PairSizes* const& sizes) { packer_.AddTable(sizes); }
  /// Appends the maximum so far.
  template <class Member>
  void Peak(const Member& member) {
    packer_.Add(member);
  }
  /// Appends the time from now on [ps], which may be negative.
  void MovesWithTime(const Time& time) { packer_.AddWord(WordOf(time - now_)); }
  /// Appends the time from now on [ps], or 0 if it is past.
  void MovesWhileAhead(const Time& time) { packer_.AddWord(time > now_ ? WordOf(time - now_) : 0); }
  /// Appends the time from now on [ps], or ~0 if there is no event.
  void Timer(const Time& time) {
    packer_.AddWord(time == Time::Max() ? ~std::uint64_t{0} : WordOf(time - now_));
  }
  /// Appends a stamp, after now if stamps are times.
  void Stamp(const std::int64_t& stamp) {
    packer_.AddWord(WordOf(stamp - (stamps_ ? now_.ps : 0)));
  }
  /// Appends the bytes after `base`.
  template <class Member>
  void MovesWithBytes(const Member& bytes) {
    packer_.AddWord(WordOf(bytes) - WordOf(base_));
  }
  /// Appends nothing; a member of another value makes the words unsound.
  template <class Member>
  void MustBe(const Member& member, const Member& value) {
    sound_ = sound_ && member == value;
  }

 private:
  WordPacker packer_;
  Time now_;
  std::int64_t base_;
  bool stamps_, sound_ = true;
};

/// Words of what is fixed before the run.
class ShapeWords final : public FutureVisitor<ShapeWords> {
 public:
  /// Appends to `words`, which must outlive it.
  explicit ShapeWords(std::vector<std::uint64_t>* words) : packer_(words) {}

  /// Appends the members; those of other roles are skipped.
  template <class... Member>
  void Shape(const Member&... members) {
    packer_.Add(members...);
  }

 private:
  WordPacker packer_;
};

/// Words of what a record begins with.
class GivenWords final : public FutureVisitor<GivenWords> {
 public:
  /// Appends to `words`, which must outlive it.
  explicit GivenWords(std::vector<std::uint64_t>* words) : packer_(words) {}

  /// Appends the members; those of other roles are skipped.
  template <class... Member>
  void Given(const Member&... members) {
    packer_.Add(members...);
  }
  /// Appends 0 if the member is `none`, else 1.
  template <class Member>
  void GivenOrNone(const Member& member, const Member& none) {
    packer_.AddWord(member == none ? 0 : 1);
  }

 private:
  WordPacker packer_;
};

/// Words of what the past has left that counts at rest.
class RestWords final : public FutureVisitor<RestWords> {
 public:
  /// Appends to `words`, which must outlive it.
  explicit RestWords(std::vector<std::uint64_t>* words) : packer_(words) {}

  /// Appends the members; those of other roles are skipped.
  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    packer_.Add(members...);
  }

 private:
  WordPacker packer_;
};

/// Checks that a record is at rest: nothing in it is pending.
class RestCheck final : public FutureVisitor<RestCheck> {
 public:
  /// Whether all members visited so far are at rest.
  constexpr bool holds() const { return holds_; }

  /// Requires members of value 0.
  template <class... Member>
  constexpr void Decides(const Member&... members) {
    holds_ = holds_ && ((members == Member{}) && ...);
  }
  /// Requires that no event is pending.
  constexpr void Timer(const Time& time) { holds_ = holds_ && time == Time::Max(); }
  /// Requires the given value.
  template <class Member>
  constexpr void MustBe(const Member& member, const Member& value) {
    holds_ = holds_ && member == value;
  }

 private:
  bool holds_ = true;
};

/// Checks that a record that begins differs from others in Given() members only.
class NewCheck final : public FutureVisitor<NewCheck> {
 public:
  /// `now`: when the record begins.
  explicit NewCheck(Time now) : now_(now) {}

  /// Whether all members visited so far are those of a new record.
  bool holds() const { return holds_; }

  /// Requires members of value 0.
  template <class... Member>
  void Decides(const Member&... members) {
    holds_ = holds_ && ((members == Member{}) && ...);
  }
  /// Requires members of value 0.
  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    Decides(members...);
  }
  /// Requires a time that is not ahead.
  void MovesWithTime(const Time& time) { holds_ = holds_ && time <= now_; }
  /// Requires a time that is not ahead.
  void MovesWhileAhead(const Time& time) { holds_ = holds_ && time <= now_; }
  /// Requires that no event is pending.
  void Timer(const Time& time) { holds_ = holds_ && time == Time::Max(); }
  /// Requires 0 bytes.
  template <class Member>
  void MovesWithBytes(const Member& bytes) {
    holds_ = holds_ && bytes == 0;
  }
  /// Requires the given value.
  template <class Member>
  void MustBe(const Member& member, const Member& value) {
    holds_ = holds_ && member == value;
  }

 private:
  Time now_;
  bool holds_ = true;
};

/// What happens in a time to a record that moves with it.
struct FutureShift {
  Time time, ahead;  ///< `ahead`: of what counts while it is ahead
  std::int64_t bytes = 0, packets = 0;
  bool stamps = false;  ///< packets' stamps are times
};

/// Moves a record.
class FutureMove final : public FutureVisitor<FutureMove> {
 public:
  /// Copies the shift, by which every record that it visits moves.
  explicit FutureMove(const FutureShift& shift) : shift_(shift) {}

  /// Adds the time of the shift.
  void MovesWithTime(Time& time) const { time += shift_.time; }
  /// Adds the shift of what counts while it is ahead.
  void MovesWhileAhead(Time& time) const { time += shift_.ahead; }
  /// Moves a pending event; Time::Max() stays.
  void Timer(Time& time) const {
    if (time != Time::Max()) time += shift_.time;
  }
  /// Moves a stamp if stamps are times.
  void Stamp(std::int64_t& stamp) const {
    if (shift_.stamps) stamp += shift_.time.ps;
  }
  /// Adds the bytes of the shift.
  template <class Member>
  void MovesWithBytes(Member& bytes) const {
    bytes += static_cast<Member>(shift_.bytes);
  }
  /// Adds the packets of the shift.
  template <class Member>
  void MovesWithPackets(Member& packets) const {
    packets += static_cast<Member>(shift_.packets);
  }

 private:
  FutureShift shift_;
};

}  // namespace heddle
