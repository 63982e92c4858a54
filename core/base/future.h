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

/// Roles. A visitor hides the roles that matter to it; Other() gets what is left.
template <class Visitor>
class FutureVisitor {
 public:
  /// Is fixed before the run. Islands of the same shape have it in common.
  template <class... Member>
  constexpr void Shape(const Member&... members) {
    Rest(members...);
  }
  /// Is set when the record begins, and never changed: part of the input's key.
  template <class... Member>
  constexpr void Given(const Member&... members) {
    Rest(members...);
  }
  /// Is the same, but only whether it is `none` makes a difference.
  template <class Member>
  constexpr void GivenOrNone(const Member& member, const Member& /*none*/) {
    Rest(member);
  }
  /// Decides what happens next. Its value in a new record, and at rest, is 0.
  template <class... Member>
  constexpr void Decides(const Member&... members) {
    Rest(members...);
  }
  /// Is the same, but its last value still counts when the island is at rest.
  template <class... Member>
  constexpr void DecidesAtRest(const Member&... members) {
    Rest(members...);
  }
  /// Is a maximum: it grows or stays. Each episode begins it at 0, which the replay undoes
  /// afterwards.
  template <class Member>
  constexpr void Peak(const Member& member) {
    Rest(member);
  }
  /// Is a time that counts from the present on, in the past or to come.
  template <class Member>
  constexpr void MovesWithTime(Member& member) {
    Rest(member);
  }
  /// Is a time before which something cannot happen: it counts while it is ahead.
  template <class Member>
  constexpr void MovesWhileAhead(Member& member) {
    Rest(member);
  }
  /// Is the time of a pending event; Time::Max() if there is none, as at rest.
  template <class Member>
  constexpr void Timer(Member& member) {
    Rest(member);
  }
  /// Is what a packet has from its sender: a time in picoseconds, or not, as the run has it.
  template <class Member>
  constexpr void Stamp(Member& member) {
    Rest(member);
  }
  /// Is bytes of a flow, or of what a port has sent, from the beginning on.
  template <class Member>
  constexpr void MovesWithBytes(Member& member) {
    Rest(member);
  }
  /// Is the number of packets that a port has sent.
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
  /// Is a table elsewhere, or null: what it holds decides.
  template <class Table>
  constexpr void DecidesBehind(const Table* const& table) {
    Rest(table);
  }
  /// Takes the members of all roles that the visitor does not hide; here: ignores them.
  template <class... Member>
  constexpr void Other(const Member&... /*members*/) {}
  /// Is a record of its own, whose members it hands over.
  template <class Record>
  constexpr void Part(Record& record) {
    std::remove_const_t<Record>::VisitFuture(record, static_cast<Visitor&>(*this));
  }

 private:
  /// Hands members on to the visitor's Other().
  template <class... Member>
  constexpr void Rest(const Member&... members) {
    static_cast<Visitor&>(*this).Other(members...);
  }
};

/// Counts what VisitFuture() hands over.
class FutureCount final : public FutureVisitor<FutureCount> {
 public:
  /// Counts members of every role.
  template <class... Member>
  constexpr void Other(const Member&... /*members*/) {
    members_ += (Count<Member>() + ... + 0);
  }
  /// Counts a record of its own as one member, whatever it holds.
  template <class Record>
  constexpr void Part(const Record& record) {
    Other(record);
  }

  /// Returns the count, in which an array has as many members as elements.
  constexpr std::size_t members() const { return members_; }

 private:
  /// Counts as MemberCount() does: the elements of an array one by one.
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
