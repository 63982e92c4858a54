// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_machine.h"

#include <algorithm>
#include <tuple>

#include "core/base/check.h"

namespace heddle {

ServingMachine::ServingMachine(const ServingPlan& plan, const ServingRequests& requests,
                               const std::vector<std::uint32_t>& here, ServingNetwork* network)
    : plan_(plan),
      requests_(requests),
      network_(network),
      entries_(plan.Entries()),
      decoders_(plan.Decoders()) {
  instances_.reserve(here.size());
  for (const std::uint32_t number : here) {
    instances_.emplace_back(plan, requests, number, network);
    const auto entry = std::find(entries_.begin(), entries_.end(), number);
    next_request_.push_back(entry == entries_.end() || plan.has_router()
                                ? requests.size()
                                : static_cast<std::uint64_t>(entry - entries_.begin()));
    if (plan.has_router() && number == ServingPlan::kRouterInstance)
      router_.emplace(plan.GroundOfRouter(), requests);
  }
  if (router_) next_request_.push_back(0);
}

void ServingMachine::Begin() {
  for (std::uint32_t slot = 0; slot < next_request_.size(); ++slot)
    PushRequest(slot, next_request_[slot]);
}

void ServingMachine::PushRequest(std::uint32_t slot, std::uint64_t request) {
  next_request_[slot] = request;
  if (request >= requests_.size()) return;
  Event event;
  event.time = requests_[request].arrival;
  event.slot = slot;
  event.message.request = static_cast<std::uint32_t>(request);
  Push(event);
}

bool ServingMachine::IsLater(const Event& a, const Event& b) {
  const auto key = [](const Event& event) {
    const ServingMessage& message = event.message;
    return std::make_tuple(event.time.ps, event.slot, event.kind, message.kind, message.request,
                           message.share, message.from);
  };
  return key(a) > key(b);
}

void ServingMachine::Push(const Event& event) {
  HEDDLE_INVARIANT(event.time >= now_, "serving: an event of the past");
  events_.push_back(event);
  std::push_heap(events_.begin(), events_.end(), &IsLater);
}

ServingMachine::Event ServingMachine::Pop() {
  std::pop_heap(events_.begin(), events_.end(), &IsLater);
  const Event event = events_.back();
  events_.pop_back();
  return event;
}

void ServingMachine::RunUntil(Time until) {
  while (!events_.empty() && events_.front().time <= until) {
    const Event event = Pop();
    now_ = event.time;
    Handle(event);
    // All that happens to an instance at one time comes before its next step is chosen.
    const bool more = !events_.empty() && events_.front().time == event.time &&
                      events_.front().slot == event.slot;
    if (more || event.slot == router_slot()) continue;
    const ServingInstance& instance = instances_[event.slot];
    const Time end = instances_[event.slot].Continue(event.time);
    if (end == Time::Max()) continue;
    StepEnded(instance.number(), end);
    Event part{{}, event.slot, Event::Kind::kPart, {}};
    for (const Time at : instance.PartTimes(end)) {
      part.time = at;
      ++part.message.share;
      Push(part);
    }
  }
}

void ServingMachine::HandleRouter(const Event& event) {
  const ServingMessage& message = event.message;
  if (event.kind == Event::Kind::kMessage)
    return router_->Ended(message.request, message.from, message.share == 1);
  const ServingRouter::Choice choice = router_->Choose(message.request);
  network_->Send({ServingMessage::Kind::kRoute, 0, message.request, ServingPlan::kRouterInstance,
                  choice.entry, choice.decoder, 0, 0},
                 event.time);
  PushRequest(event.slot, std::uint64_t{message.request} + stride());
}

void ServingMachine::HandleRequest(const Event& event) {
  ServingInstance& instance = instances_[event.slot];
  const std::uint32_t request = event.message.request;
  instance.Arrive(request,
                  decoders_.empty() ? instance.number() : decoders_[request % decoders_.size()],
                  event.time);
  PushRequest(event.slot, std::uint64_t{request} + stride());
}

void ServingMachine::Handle(const Event& event) {
  if (event.slot == router_slot()) return HandleRouter(event);
  ServingInstance& instance = instances_[event.slot];
  switch (event.kind) {
    case Event::Kind::kRequest:
      return HandleRequest(event);
    case Event::Kind::kMessage:
      if (event.message.kind == ServingMessage::Kind::kRoute)
        return instance.Arrive(event.message.request, event.message.share, event.time);
      return instance.Receive(event.message, event.time);
    case Event::Kind::kLeft:
      return instance.Left(event.message, event.time);
    case Event::Kind::kPart:
      return instance.EndPart(event.message.share);
    case Event::Kind::kStepEnd:
      return instance.EndStep(event.time);
  }
}

std::uint32_t ServingMachine::SlotOf(std::uint32_t instance) const {
  const auto found = std::lower_bound(
      instances_.begin(), instances_.end(), instance,
      [](const ServingInstance& one, std::uint32_t number) { return one.number() < number; });
  HEDDLE_INVARIANT(found != instances_.end() && found->number() == instance,
                   "serving: a message for an instance that is elsewhere");
  return static_cast<std::uint32_t>(found - instances_.begin());
}

void ServingMachine::Arrived(const ServingMessage& message, Time when) {
  const bool ended = message.kind == ServingMessage::Kind::kEnded;
  HEDDLE_INVARIANT(!ended || router_, "serving: a message for a router that is elsewhere");
  Push({when, ended ? router_slot() : SlotOf(message.to), Event::Kind::kMessage, message});
}

void ServingMachine::Left(const ServingMessage& message, Time when) {
  Push({when, SlotOf(message.from), Event::Kind::kLeft, message});
}

void ServingMachine::StepEnded(std::uint32_t instance, Time when) {
  Push({when, SlotOf(instance), Event::Kind::kStepEnd, {}});
}

std::uint64_t ServingMachine::not_arrived() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t next : next_request_) {
    if (next < requests_.size()) sum += (requests_.size() - next - 1) / stride() + 1;
  }
  return sum;
}

}  // namespace heddle
