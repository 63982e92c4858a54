// SPDX-License-Identifier: GPL-2.0-only
/// The unit of parallel simulation: a domain owns all its state and affects others only by messages
/// with a time stamp.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"
#include "core/containers/slot_pool.h"
#include "core/containers/state_count.h"
#include "core/events/event_queue.h"
#include "core/events/message.h"

namespace heddle {

/// Models derive from this class and run their events; the engine calls RunUntil() once a window,
/// never once an event.
class Domain {
 public:
  explicit Domain(DomainId id) : id_(id) {}
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  virtual ~Domain() = default;

  DomainId id() const { return id_; }

  /// Runs all events before `end`, in order. Messages that they send arrive at `end` or later.
  virtual void RunUntil(Time end) = 0;
  /// As RunUntil(), with messages that stay where their senders wrote them: `count` messages before
  /// `end`, sorted by time and order, then one at Time::Max(). The domain may write to their cargo.
  /// Called if runs_in_place() only.
  virtual void RunMessages(Time end, Message* const* messages, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      Deliver(messages[i]->time, messages[i]->order, messages[i]->cargo);
    RunUntil(end);
  }
  /// Whether RunMessages() runs this domain, in place of Deliver() and RunUntil().
  bool runs_in_place() const { return runs_in_place_; }
  /// Number of events run so far.
  std::uint64_t events() const { return events_; }
  /// Time of the next event; Time::Max() if there is none.
  Time NextTime() const { return queue_.NextTime(); }
  bool idle() const { return queue_.empty(); }

  /// Receives a message: puts its cargo (and its tail, in runs with tails) into a slot, and its
  /// arrival into the queue with the slot as argument.
  template <class Record>
  void Deliver(Time time, std::uint64_t order, const Record& record, const void* tail = nullptr) {
    static_assert(sizeof(Record) == sizeof(Cargo));
    const std::uint32_t slot = cargo_.Allocate();
    std::memcpy(cargo_[slot].bytes, &record, sizeof(Record));
    if (tail != nullptr) StoreTail(slot, tail);
    queue_.Push({time, order, slot, 0});
  }

 protected:
  EventQueue queue_;
  SlotPool<Cargo> cargo_;
  std::vector<MessageTail> tails_;  ///< by slot of cargo_; empty in runs without tails
  std::uint64_t events_ = 0;
  bool runs_in_place_ = false;

  void AddBaseMemory(MemoryAccount* account) const {
    account->Add(Structure::kEvents, queue_.memory());
    account->Add(Structure::kPackets, cargo_.memory());
    account->Add(Structure::kTelemetry, MemoryReached(tails_));
  }

  void StoreTail(std::uint32_t slot, const void* tail) {
    if (slot >= tails_.size()) tails_.resize(slot + slot / 2 + 16);
    std::memmove(tails_[slot].bytes, tail, sizeof(MessageTail));
  }

  template <class Archive>
  void SerializeBase(Archive& archive) {
    StateCount tails(tails_.size());
    archive& queue_& cargo_& events_& tails;
    tails_.resize(tails);
    for (MessageTail& tail : tails_) archive& tail.bytes;
  }

 private:
  DomainId id_;
};

}  // namespace heddle
