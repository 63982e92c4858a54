// SPDX-License-Identifier: GPL-2.0-only
/// What each member of a record is to a replay (docs/models/fast_forward.md, "Why it is exact").
///
/// A record on which an island's future depends says so beside its serialize(), in
///
///   template <class Self, class Visitor>
///   static constexpr void VisitFuture(Self& self, Visitor& visit);
///
/// which hands over each of its members once, to the function of FutureVisitor that says its role.
/// Keys of records, states that are compared, and what moves an island in time are visitors of it
/// (core/traffic/future_visitors.h). After the record stands
///
///   static_assert(SpeaksForAllMembers<QueuePair>());
///
/// so that a new member does not compile before somebody has said what it is.
#pragma once

#include <cstddef>
#include <type_traits>

#include "core/base/member_count.h"

namespace heddle {

/// Roles. A visitor hides those that it has something to do with; Other() gets what is left.
template <class Visitor>
class FutureVisitor {
 public:
  /// Fixed before the run. Islands of the same shape have it in common.
  template <class... Member>
  constexpr void Shape(const Member&... members) {
    Rest(members...);
  }
  /// Set when the record begins, and never changed: part of the input's key.
  template <class... Member>
  constexpr void Given(const Member&... members) {
    Rest(members...);
  }
  /// The same, but only whether it is `none` makes a difference.
  template <class Member>
  constexpr void GivenOrNone(const Member& member, const Member& /*none*/) {
    Rest(member);
  }
  /// Decides what happens next. Its value in a new record, and at rest, is 0.
  template <class... Member>
  constexpr void Decides(const Member&... members) {
    Rest(members...);
  }
  /// The same, but its last value still counts when the island is at rest.
  template <class... Member>
  constexpr void DecidesAtRest(const Member&... members) {
    Rest(members...);
  }
  /// A maximum: it grows or stays. Each episode begins it at 0, which the replay undoes afterwards.
  template <class Member>
  constexpr void Peak(const Member& member) {
    Rest(member);
  }
  /// A time that counts from the present on, in the past or to come.
  template <class Member>
  constexpr void MovesWithTime(Member& member) {
    Rest(member);
  }
  /// A time before which something cannot happen: it counts while it is ahead.
  template <class Member>
  constexpr void MovesWhileAhead(Member& member) {
    Rest(member);
  }
  /// The time of a pending event; Time::Max() if there is none, as at rest.
  template <class Member>
  constexpr void Timer(Member& member) {
    Rest(member);
  }
  /// What a packet has from its sender: a time in picoseconds, or not, as the run has it.
  template <class Member>
  constexpr void Stamp(Member& member) {
    Rest(member);
  }
  /// Bytes of a flow, or of what a port has sent, from the beginning on.
  template <class Member>
  constexpr void MovesWithBytes(Member& member) {
    Rest(member);
  }
  /// Packets that a port has sent.
  template <class Member>
  constexpr void MovesWithPackets(Member& member) {
    Rest(member);
  }
  /// Is `value` in all that can be replayed or moved.
  template <class Member>
  constexpr void MustBe(const Member& member, const Member& /*value*/) {
    Rest(member);
  }
  /// Is a name, follows from other members, or is there for results only.
  template <class... Member>
  constexpr void NoMatter(const Member&... members) {
    Rest(members...);
  }
  /// A table elsewhere, or null: what it holds decides.
  template <class Table>
  constexpr void DecidesBehind(const Table* const& table) {
    Rest(table);
  }
  template <class... Member>
  constexpr void Other(const Member&... /*members*/) {}
  /// A record of its own.
  template <class Record>
  constexpr void Part(Record& record) {
    std::remove_const_t<Record>::VisitFuture(record, static_cast<Visitor&>(*this));
  }

 private:
  template <class... Member>
  constexpr void Rest(const Member&... members) {
    static_cast<Visitor&>(*this).Other(members...);
  }
};

/// Counts what VisitFuture() hands over.
class FutureCount final : public FutureVisitor<FutureCount> {
 public:
  template <class... Member>
  constexpr void Other(const Member&... /*members*/) {
    members_ += (Count<Member>() + ... + 0);
  }
  template <class Record>
  constexpr void Part(const Record& record) {
    Other(record);
  }

  constexpr std::size_t members() const { return members_; }

 private:
  /// As MemberCount(): the elements of an array one by one.
  template <class Member>
  static constexpr std::size_t Count() {
    return std::is_array_v<Member> ? std::extent_v<Member> : 1;
  }

  std::size_t members_ = 0;
};

/// Whether VisitFuture() of a record hands over as many members as it has.
template <class Record>
constexpr bool SpeaksForAllMembers() {
  FutureCount count;
  const Record record{};
  Record::VisitFuture(record, count);
  return count.members() == MemberCount<Record>();
}

}  // namespace heddle
