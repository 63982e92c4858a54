// SPDX-License-Identifier: GPL-2.0-only
// State of instances in a checkpoint. The plan and the requests are read again.
#include <algorithm>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>

#include "core/base/memory_account.h"
#include "core/checkpoint/state_archive.h"
#include "core/serving/serving_machine.h"

namespace heddle {

void ServingMachine::Save(StateWriter* to) const {
  std::vector<Event> events(events_);
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return IsLater(b, a); });
  *to << now_ << next_request_ << events;
  for (const ServingInstance& instance : instances_) *to << instance;
  if (router_) *to << *router_;
}

void ServingMachine::Load(StateReader* from) {
  const std::size_t slots = next_request_.size();
  *from >> now_ >> next_request_ >> events_;
  ExpectState(next_request_.size() == slots, "another number of instances than the deployment");
  for (const Event& event : events_) CheckEvent(event);
  std::make_heap(events_.begin(), events_.end(), &IsLater);
  for (ServingInstance& instance : instances_) {
    *from >> instance;
    instance.CheckState();
  }
  if (!router_) return;
  *from >> *router_;
  router_->CheckState();
}

void ServingMachine::CheckEvent(const Event& event) const {
  using Kind = ServingMessage::Kind;
  const bool routes = event.slot == router_slot() && router_.has_value();
  ExpectState((event.slot < instances_.size() || routes) && event.kind <= Event::Kind::kStepEnd &&
                  event.message.kind <= Kind::kEnded && event.time >= now_,
              "an event of no instance");
  const bool message = event.kind == Event::Kind::kMessage;
  ExpectState(routes ? event.kind == Event::Kind::kRequest ||
                           (message && event.message.kind == Kind::kEnded)
                     : !(message && event.message.kind == Kind::kEnded) &&
                           !(plan_.has_router() && event.kind == Event::Kind::kRequest),
              "an event of the router at an instance, or the reverse");
  ExpectState(!message || event.message.kind != Kind::kRoute ||
                  event.message.share < plan_.instances.size(),
              "a request of no decode instance");
  ExpectState(event.kind >= Event::Kind::kPart || event.message.request < requests_.size(),
              "an event of no request");
  ExpectState(
      event.message.from < plan_.instances.size() && event.message.to < plan_.instances.size(),
      "a message between no instances");
}

std::size_t ServingMachine::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(events_) + MemoryOf(next_request_);
  if (router_) sum += router_->memory();
  for (const ServingInstance& instance : instances_) sum += sizeof instance + instance.memory();
  return sum;
}

void ServingInstance::CheckState() const {
  const auto known = [&](std::uint32_t request) {
    return request < requests_.size() && open_.count(request) > 0 && peers_.count(request) > 0;
  };
  const auto place = [&](const auto& pair) {
    return known(pair.first) && pair.second.request == pair.first;
  };
  const auto holds = [&](const auto& pair) {
    return place(pair) && pair.second.shared <= requests_[pair.first].blocks.size();
  };
  bool sound = std::all_of(offers_.begin(), offers_.end(), known) &&
               std::all_of(open_.begin(), open_.end(), place) &&
               std::all_of(arriving_.begin(), arriving_.end(), holds) &&
               std::all_of(parked_.begin(), parked_.end(), holds);
  for (const auto& [request, peer] : peers_) sound = sound && peer < plan_.instances.size();
  for (const auto& [request, units] : missing_) sound = sound && known(request) && units > 0;
  for (const auto& [request, sending] : sendings_)
    sound = sound && known(request) && IsSound(sending, requests_[request]);
  for (const ServingRecord& record : records_)
    sound = sound && record.request < requests_.size() && record.instance == number_;
  batcher_.ForEach([&](const Sequence& sequence) {
    sound = sound && known(sequence.request) &&
            sequence.shared <= requests_[sequence.request].blocks.size();
  });
  ExpectState(sound, "a request in an instance that does not have it");
  ExpectState(batcher_.cache().IsSound() && batcher_.cache().holds() == CountShared() &&
                  (plan_.prefix_cache || batcher_.cache().size() == 0),
              "a prefix cache whose blocks are held by none of its requests");
}

// What is at the destination counts as sent before it is computed.
bool ServingInstance::IsSound(const Sending& sending, const ServingRequest& request) const {
  const std::uint32_t units = plan_.KvUnits(request.input);
  const std::uint64_t there = std::uint64_t{sending.there} * kPromptBlockTokens;
  return there < request.input && sending.ready <= units && sending.sent <= units &&
         sending.sent <= std::max(sending.ready, plan_.KvUnits(static_cast<std::uint32_t>(there)));
}

}  // namespace heddle
