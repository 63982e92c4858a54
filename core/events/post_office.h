// SPDX-License-Identifier: GPL-2.0-only
/// Delivers messages between domains: into the receiver's inbox if it is on this rank, otherwise
/// into a batch for its rank.
#pragma once

#include <cstdint>
#include <vector>

#include "core/events/domain.h"
#include "core/events/message_buffer.h"
#include "core/events/message_calendar.h"

namespace heddle {

/// The domains of this rank, their next event times, and the batches for other ranks.
class PostOffice {
 public:
  /// Whether every message of the run has a MessageTail behind it.
  enum class Tails { kNone, kAlways };

  /// `rank_of` names the owner of every domain of the run; `here` is this rank.
  PostOffice(std::vector<RankId> rank_of, RankId here, std::uint32_t ranks,
             Tails tails = Tails::kNone);

  /// The location of a domain, so that no message needs a lookup.
  struct Address {
    std::uint32_t is_local : 1;
    std::uint32_t index : 31;  ///< into domains(), or the rank
  };
  /// Times by side; or of both sides together.
  struct SideTimes {
    Time of[2] = {Time::Max(), Time::Max()};
    Time first() const { return of[0] < of[1] ? of[0] : of[1]; }
  };

  /// Assigns each domain of the run to side 0 or 1; without this call all are in side 0. Call
  /// before Add().
  void Divide(const std::vector<std::uint8_t>& sides);

  /// Registers a domain of this rank, in ascending order of ids. The domain must outlive the post
  /// office.
  void Add(Domain* domain);

  Address AddressOf(DomainId domain) const { return addresses_[domain.value]; }

  /// Sends a record to another domain, to arrive at `time`, at least one lookahead from now.
  ///
  /// A local receiver gets the record in its calendar, one cache line at the end of an array, not
  /// in its queue: the queue of a domain that is not running is not in the cache. (Measured at
  /// 15,360 hosts: 1.5 times the packet-hops a second.)
  template <class Record>
  void Send(DomainId to, Time time, std::uint64_t order, const Record& record) {
    Send(addresses_[to.value], to, time, order, record);
  }
  /// Returns where the record was written, valid until the next call. `tail`: required in runs with
  /// tails, not allowed in others. Forced inline: link-time optimisation stopped inlining it when
  /// the program grew, at a cost of 24 instructions a packet-hop.
  template <class Record>
  [[gnu::always_inline]] unsigned char* Send(Address address, DomainId to, Time time,
                                             std::uint64_t order, const Record& record,
                                             const MessageTail* tail = nullptr) {
    HEDDLE_ASSERT((tail != nullptr) == (stride_ > 1));
    if (address.is_local != 0) {
      NotBefore(address.index, time);
      return Place(address.index, time, order, record, tail);
    }
    AddressedMessage message;
    message.message = {time, order, Cargo::Of(record)};
    message.destination = to;
    Time& earliest = earliest_sent_.of[side_of_[to.value]];
    earliest = time < earliest ? time : earliest;
    std::vector<AddressedMessage>& outbox = outboxes_[address.index];
    outbox.push_back(message);
    const std::size_t place = outbox.size() - 1;
    if (tail != nullptr) AppendTail(*tail, &outbox);
    return outbox[place].message.cargo.bytes;
  }

  /// Number of records of a batch that a message occupies, its tail included.
  std::size_t stride() const { return stride_; }
  /// Receives messages of another rank: `count` AddressedMessages as sent, a multiple of stride().
  void Receive(const void* records, std::size_t count);

  /// Runs a domain until `end`, with its messages in place or moved into its queue.
  void RunDomain(std::size_t index, Time end) {
    Domain* const domain = domains_[index];
    if (!domain->runs_in_place()) {
      EmptyInbox(index);
      domain->RunUntil(end);
      next_times_[index] = domain->NextTime();
      return;
    }
    if (inboxes_[index].size() != 0) EmptyFar(index);
    MessageCalendar& calendar = calendars_[index];
    calendar.Collect(end, &sorted_);
    domain->RunMessages(end, sorted_.begin(), sorted_.size());
    calendar.Forget(end);
    next_times_[index] = std::min(domain->NextTime(), calendar.NextTime());
  }
  /// Prefetches what running this domain will touch first.
  void PrefetchDomain(std::size_t index) const {
    const char* domain = reinterpret_cast<const char*>(domains_[index]);
    for (std::size_t offset = 0; offset < sizeof(Domain) + 64; offset += 64)
      __builtin_prefetch(domain + offset);
    const char* inbox = reinterpret_cast<const char*>(calendars_[index].data());
    for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(inbox + 64 * line);
  }
  void AddMemory(MemoryAccount* account) const;
  /// Moves all inboxes into queues, before domains are saved or counted.
  void EmptyAllInboxes();
  /// Call after the domains were loaded from a checkpoint: reads their next event times again.
  void Resume();

  const std::vector<Domain*>& domains() const { return domains_; }
  /// Time of the next event or message of the domain with this index into domains().
  Time next_time(std::size_t index) const { return next_times_[index]; }
  int side(std::size_t index) const { return sides_[index]; }
  /// Earliest next_time of this rank's domains; Time::Max() where all are idle.
  SideTimes NextTimes() const;
  Time NextTime() const { return NextTimes().first(); }
  /// Indices of the domains whose next time became earlier since the last call; may repeat.
  std::vector<std::uint32_t>& hastened() { return hastened_; }

  std::vector<AddressedMessage>& outbox(RankId rank) { return outboxes_[rank.value]; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(outboxes_.size()); }
  RankId here() const { return here_; }
  /// Earliest arrival among the messages in the outboxes, by the side of the receiver; resets the
  /// value.
  SideTimes TakeEarliestSent();

 private:
  void EmptyInbox(std::size_t index) {
    EmptyFar(index);
    calendars_[index].Empty([&](const Message& message) {
      domains_[index]->Deliver(message.time, message.order, message.cargo);
    });
  }
  /// Moves the messages that the calendar did not accept into the domain's queue.
  [[gnu::noinline]] void EmptyFar(std::size_t index) {
    const MessageBuffer& inbox = inboxes_[index];
    if (stride_ == 1) {
      for (const Message& message : inbox)
        domains_[index]->Deliver(message.time, message.order, message.cargo);
    } else {
      for (const Message* message = inbox.begin(); message != inbox.end(); message += stride_) {
        domains_[index]->Deliver(message->time, message->order, message->cargo, message + 1);
      }
    }
    inboxes_[index].Clear();
  }
  void NotBefore(std::uint32_t index, Time time) {
    if (time < next_times_[index]) {
      next_times_[index] = time;
      hastened_.push_back(index);
    }
  }

  /// Writes a message into the receiver's calendar or inbox; returns where its cargo is.
  template <class Record>
  [[gnu::always_inline]] unsigned char* Place(std::uint32_t index, Time time, std::uint64_t order,
                                              const Record& record, const MessageTail* tail) {
    if (stride_ == 1) {
      unsigned char* cargo = calendars_[index].Append(time, order, record);
      if (cargo != nullptr) return cargo;
    }
    return PlaceFar(index, time, order, Cargo::Of(record), tail);
  }
  [[gnu::noinline]] unsigned char* PlaceFar(std::uint32_t index, Time time, std::uint64_t order,
                                            const Cargo& cargo, const MessageTail* tail);
  static void AppendTail(const MessageTail& tail, std::vector<AddressedMessage>* outbox);

  RankId here_;
  std::size_t stride_;
  std::vector<Address> addresses_;
  std::vector<std::uint8_t> side_of_;  ///< by domain of the run
  std::vector<Domain*> domains_;
  std::vector<MessageCalendar> calendars_;  ///< by index into domains()
  std::vector<MessageBuffer> inboxes_;  ///< by the same index: what the calendars did not accept
  SortedMessages sorted_;
  std::vector<Time> next_times_;
  std::vector<std::uint8_t> sides_;  ///< by index into domains()
  std::vector<std::uint32_t> hastened_;
  std::vector<std::vector<AddressedMessage>> outboxes_;
  SideTimes earliest_sent_;
};

}  // namespace heddle
