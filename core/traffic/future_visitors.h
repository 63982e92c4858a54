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

/// The value of a member as an integer.
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
  explicit WordPacker(std::vector<std::uint64_t>* words) : words_(words) {}

  template <class... Member>
  void Add(const Member&... members) {
    std::uint64_t word = 0;
    unsigned used = 0;  // bits
    (Pack(members, &word, &used), ...);
    words_->push_back(word);
  }
  void AddWord(std::uint64_t word) { words_->push_back(word); }
  void AddTable(const PairSizes* sizes) {
    words_->push_back(sizes == nullptr ? 0 : sizes->bytes.size());
    if (sizes != nullptr) words_->insert(words_->end(), sizes->bytes.begin(), sizes->bytes.end());
  }

 private:
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
  explicit FutureWords(std::vector<std::uint64_t>* words, Time now = Time{0}, std::int64_t base = 0,
                       bool stamps = false)
      : packer_(words), now_(now), base_(base), stamps_(stamps) {}

  /// Whether all could be moved in time: no member is other than MustBe() says.
  bool sound() const { return sound_; }

  template <class... Member>
  void Decides(const Member&... members) {
    packer_.Add(members...);
  }
  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    packer_.Add(members...);
  }
  void DecidesBehind(const PairSizes* const& sizes) { packer_.AddTable(sizes); }
  template <class Member>
  void Peak(const Member& member) {
    packer_.Add(member);
  }
  void MovesWithTime(const Time& time) { packer_.AddWord(WordOf(time - now_)); }
  void MovesWhileAhead(const Time& time) { packer_.AddWord(time > now_ ? WordOf(time - now_) : 0); }
  void Timer(const Time& time) {
    packer_.AddWord(time == Time::Max() ? ~std::uint64_t{0} : WordOf(time - now_));
  }
  void Stamp(const std::int64_t& stamp) {
    packer_.AddWord(WordOf(stamp - (stamps_ ? now_.ps : 0)));
  }
  template <class Member>
  void MovesWithBytes(const Member& bytes) {
    packer_.AddWord(WordOf(bytes) - WordOf(base_));
  }
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
  explicit ShapeWords(std::vector<std::uint64_t>* words) : packer_(words) {}

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
  explicit GivenWords(std::vector<std::uint64_t>* words) : packer_(words) {}

  template <class... Member>
  void Given(const Member&... members) {
    packer_.Add(members...);
  }
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
  explicit RestWords(std::vector<std::uint64_t>* words) : packer_(words) {}

  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    packer_.Add(members...);
  }

 private:
  WordPacker packer_;
};

/// Whether nothing is under way in a record.
class RestCheck final : public FutureVisitor<RestCheck> {
 public:
  constexpr bool holds() const { return holds_; }

  template <class... Member>
  constexpr void Decides(const Member&... members) {
    holds_ = holds_ && ((members == Member{}) && ...);
  }
  constexpr void Timer(const Time& time) { holds_ = holds_ && time == Time::Max(); }
  template <class Member>
  constexpr void MustBe(const Member& member, const Member& value) {
    holds_ = holds_ && member == value;
  }

 private:
  bool holds_ = true;
};

/// Whether a record that begins differs from others in Given() members only.
class NewCheck final : public FutureVisitor<NewCheck> {
 public:
  explicit NewCheck(Time now) : now_(now) {}

  bool holds() const { return holds_; }

  template <class... Member>
  void Decides(const Member&... members) {
    holds_ = holds_ && ((members == Member{}) && ...);
  }
  template <class... Member>
  void DecidesAtRest(const Member&... members) {
    Decides(members...);
  }
  void MovesWithTime(const Time& time) { holds_ = holds_ && time <= now_; }
  void MovesWhileAhead(const Time& time) { holds_ = holds_ && time <= now_; }
  void Timer(const Time& time) { holds_ = holds_ && time == Time::Max(); }
  template <class Member>
  void MovesWithBytes(const Member& bytes) {
    holds_ = holds_ && bytes == 0;
  }
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
  explicit FutureMove(const FutureShift& shift) : shift_(shift) {}

  void MovesWithTime(Time& time) const { time += shift_.time; }
  void MovesWhileAhead(Time& time) const { time += shift_.ahead; }
  void Timer(Time& time) const {
    if (time != Time::Max()) time += shift_.time;
  }
  void Stamp(std::int64_t& stamp) const {
    if (shift_.stamps) stamp += shift_.time.ps;
  }
  template <class Member>
  void MovesWithBytes(Member& bytes) const {
    bytes += static_cast<Member>(shift_.bytes);
  }
  template <class Member>
  void MovesWithPackets(Member& packets) const {
    packets += static_cast<Member>(shift_.packets);
  }

 private:
  FutureShift shift_;
};

}  // namespace heddle
