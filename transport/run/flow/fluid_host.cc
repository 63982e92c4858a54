// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_host.h"

#include <fmt/format.h>

#include <boost/serialization/vector.hpp>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"
#include "transport/run/flow/fluid_post.h"

namespace heddle {

void FluidHost::Attach(FlowAgent* agent) {
  agent_ = agent;
  if (agent_ != nullptr) agent_->Begin(this);
}

void FluidHost::Post(const FlowPost& flow) {
  HEDDLE_INVARIANT(flow.start >= now_ && flow.size > 0 && !flow.in_tree(),
                   fmt::format("a flow of {} bytes from node {} was posted at {} ps to start at "
                               "{} ps",
                               flow.size, flow.source.value, now_.ps, flow.start.ps));
  if (running_) return Send(flow);
  // Before the run: what is loaded from a checkpoint replaces it.
  const MessageTail tail = FluidPostTail::Of(flow);
  Deliver(now_, EventOrder(flow.source, PortId(0), FluidEvent::kPosted).bits(),
          Cargo::Of(FluidPost::Of(flow)), &tail);
}

void FluidHost::Send(const FlowPost& flow) {
  const MessageTail tail = FluidPostTail::Of(flow);
  run_.post_office->Send(run_.post_office->AddressOf(run_.fluids), run_.fluids, now_ + run_.lag,
                         EventOrder(flow.source, PortId(0), FluidEvent::kPost).bits(),
                         Cargo::Of(FluidPost::Of(flow)), &tail);
}

void FluidHost::WakeAt(Time when) {
  HEDDLE_INVARIANT(when >= now_,
                   fmt::format("an agent asked at {} ps to be woken at {} ps", now_.ps, when.ps));
  queue_.Push({when, EventOrder(NodeId(0), PortId(0), FluidEvent::kWake).bits(), 0, 0});
}

void FluidHost::RunUntil(Time end) {
  running_ = true;
  Event event;
  while (queue_.PopBefore(end, &event)) {
    now_ = event.time;
    ++events_;
    RunEvent(event);
  }
  running_ = false;
}

void FluidHost::RunEvent(const Event& event) {
  const std::uint32_t kind = EventOrder(event.order).kind();
  if (kind == FluidEvent::kWake) return agent_->Woken();
  const Cargo cargo = cargo_[event.argument];
  cargo_.Free(event.argument);
  if (kind == FluidEvent::kPosted) return Send(PostOf(cargo, tails_[event.argument]));
  FluidReport report;
  std::memcpy(static_cast<void*>(&report), cargo.bytes, sizeof report);
  if (kind == FluidEvent::kSent) {
    agent_->Sent(report.cookie, report.when);
  } else {
    agent_->Received(report.cookie, report.when);
  }
}

void FluidHost::AddPosted(std::vector<FlowPost>* posts) const {
  for (const Event& event : queue_.Sorted()) {
    if (EventOrder(event.order).kind() == FluidEvent::kPosted)
      posts->push_back(PostOf(cargo_[event.argument], tails_[event.argument]));
  }
}

void FluidHost::Save(StateWriter* to) const {
  // Archives of the base take one that is not const, for saving as for loading.
  const_cast<FluidHost*>(this)->SerializeBase(*to);
  *to << now_;
  if (agent_ != nullptr) agent_->Save(to);
}

void FluidHost::Load(StateReader* from) {
  SerializeBase(*from);
  *from >> now_;
  if (agent_ != nullptr) agent_->Load(from);
  std::vector<bool> unclaimed = cargo_.used_slots();
  std::vector<Time> wakes;
  for (const Event& event : queue_.Sorted()) {
    if (EventOrder(event.order).kind() == FluidEvent::kWake) {
      wakes.push_back(event.time);
      continue;
    }
    ExpectState(event.argument < unclaimed.size() && unclaimed[event.argument],
                "an event without a message of its own");
    unclaimed[event.argument] = false;
    CheckEvent(event);
  }
  ExpectState(wakes.empty() || (agent_ != nullptr && agent_->Awaits(wakes)),
              "a call of an agent that does not wait for it");
}

void FluidHost::CheckEvent(const Event& event) const {
  const std::uint32_t kind = EventOrder(event.order).kind();
  ExpectState(event.time >= now_ && agent_ != nullptr, "a message to no agent, or of the past");
  if (kind == FluidEvent::kPosted) {
    ExpectState(event.argument < tails_.size(), "a post without its end");
    return;
  }
  ExpectState(kind == FluidEvent::kSent || kind == FluidEvent::kReceived,
              "an event of no known kind");
  FluidReport report;
  std::memcpy(static_cast<void*>(&report), cargo_[event.argument].bytes, sizeof report);
  NodeId source = EventOrder(event.order).node(), destination = report.other;
  if (kind == FluidEvent::kReceived) std::swap(source, destination);
  const bool knows =
      source.valid() && destination.valid() && agent_->Knows(report.cookie, source, destination);
  ExpectState(report.when >= Time{0} && knows, "a report of an unknown message");
}

}  // namespace heddle
