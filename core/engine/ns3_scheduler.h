// SPDX-License-Identifier: GPL-2.0-only
/// heddle's event queue as an ns-3 scheduler: select it by ns-3's global value SchedulerType =
/// "heddle::PlainRecordScheduler".
#pragma once

#include <ns3/scheduler.h>

#include <vector>

#include "core/containers/slot_pool.h"
#include "core/events/event_queue.h"

namespace heddle {

/// Orders by (time, uid) as every ns-3 scheduler must. Remove() costs O(events); Insert and
/// RemoveNext O(1) on average.
class PlainRecordScheduler final : public ns3::Scheduler {
 public:
  /// Returns the type under which ns-3's global value finds this class.
  static ns3::TypeId GetTypeId();

  /// Adds an event, also before the one that PeekNext() has returned.
  void Insert(const Event& event) override;
  /// Whether no event is left, not counting events that Remove() took.
  bool IsEmpty() const override;
  /// Returns the first event by (time, uid). Throws InvariantError if there is none.
  Event PeekNext() const override;
  /// Removes the first event and returns it.
  Event RemoveNext() override;
  /// Removes an event by its uid, in O(events); ignores one that is not there.
  void Remove(const Event& event) override;

 private:
  /// The ns-3 event of a record's argument; a null implementation marks a removed event.
  struct Payload {
    ns3::EventImpl* impl = nullptr;
    std::uint32_t context = 0;
    std::uint32_t uid = 0;
  };
  /// Moves the first event that is not removed to front_, if there is one.
  void FillFront() const;

  // PeekNext() is const in ns-3's interface; moving the front event out early has no visible
  // effect.
  mutable EventQueue queue_;
  mutable SlotPool<Payload> payloads_;
  mutable std::vector<heddle::Event> front_;  ///< at most one event, already removed from the queue
  std::size_t live_ = 0;
};

}  // namespace heddle
