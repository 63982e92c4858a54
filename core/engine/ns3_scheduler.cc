// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/ns3_scheduler.h"

#include <ns3/event-impl.h>
#include <ns3/object-base.h>

namespace heddle {

NS_OBJECT_ENSURE_REGISTERED(PlainRecordScheduler);

ns3::TypeId PlainRecordScheduler::GetTypeId() {
  static ns3::TypeId tid = ns3::TypeId("heddle::PlainRecordScheduler")
                               .SetParent<ns3::Scheduler>()
                               .SetGroupName("Core")
                               .AddConstructor<PlainRecordScheduler>();
  return tid;
}

void PlainRecordScheduler::Insert(const Event& event) {
  const std::uint32_t slot = payloads_.Allocate();
  payloads_[slot] = {event.impl, event.key.m_context, event.key.m_uid};
  const heddle::Event record{Time{static_cast<std::int64_t>(event.key.m_ts)}, event.key.m_uid, slot,
                             0};
  ++live_;
  if (!front_.empty() && Earlier(record, front_.front())) {
    queue_.Push(front_.front());
    front_.front() = record;
  } else {
    queue_.Push(record);
  }
}

bool PlainRecordScheduler::IsEmpty() const { return live_ == 0; }

void PlainRecordScheduler::FillFront() const {
  while (front_.empty()) {
    heddle::Event record;
    const bool found = queue_.PopBefore(Time::Max(), &record);
    HEDDLE_INVARIANT(found, "ns-3 asked an empty scheduler for an event");
    if (payloads_[record.argument].impl == nullptr) {
      payloads_.Free(record.argument);
    } else {
      front_.push_back(record);
    }
  }
}

ns3::Scheduler::Event PlainRecordScheduler::PeekNext() const {
  FillFront();
  const heddle::Event& record = front_.front();
  const Payload& payload = payloads_[record.argument];
  Event event;
  event.impl = payload.impl;
  event.key.m_ts = static_cast<std::uint64_t>(record.time.ps);
  event.key.m_uid = payload.uid;
  event.key.m_context = payload.context;
  return event;
}

ns3::Scheduler::Event PlainRecordScheduler::RemoveNext() {
  const Event event = PeekNext();
  payloads_.Free(front_.front().argument);
  front_.clear();
  --live_;
  return event;
}

void PlainRecordScheduler::Remove(const Event& event) {
  if (!front_.empty() && front_.front().order == event.key.m_uid) {
    payloads_.Free(front_.front().argument);
    front_.clear();
    --live_;
    return;
  }
  for (const heddle::Event& record : queue_.Sorted()) {
    if (record.order != event.key.m_uid) continue;
    payloads_[record.argument].impl = nullptr;
    --live_;
    return;
  }
}

}  // namespace heddle
