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
}

void ServingMachine::Load(StateReader* from) {
  const std::size_t slots = instances_.size();
  *from >> now_ >> next_request_ >> events_;
  ExpectState(next_request_.size() == slots, "another number of instances than the deployment");
  for (const Event& event : events_) CheckEvent(event);
  std::make_heap(events_.begin(), events_.end(), &IsLater);
  for (ServingInstance& instance : instances_) {
    *from >> instance;
    instance.CheckState();
  }
}

void ServingMachine::CheckEvent(const Event& event) const {
  ExpectState(event.slot < instances_.size() && event.kind <= Event::Kind::kStepEnd &&
                  event.message.kind <= ServingMessage::Kind::kKv && event.time >= now_,
              "an event of no instance");
  ExpectState(event.kind >= Event::Kind::kPart || event.message.request < requests_.size(),
              "an event of no request");
  ExpectState(
      event.message.from < plan_.instances.size() && event.message.to < plan_.instances.size(),
      "a message between no instances");
}

std::size_t ServingMachine::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(events_) + MemoryOf(next_request_);
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
  bool sound = std::all_of(offers_.begin(), offers_.end(), known) &&
               std::all_of(open_.begin(), open_.end(), place) &&
               std::all_of(arriving_.begin(), arriving_.end(), place) &&
               std::all_of(parked_.begin(), parked_.end(), place);
  for (const auto& [request, peer] : peers_) sound = sound && peer < plan_.instances.size();
  for (const auto& [request, units] : missing_) sound = sound && known(request) && units > 0;
  for (const auto& [request, sending] : sendings_)
    sound = sound && known(request) && sending.sent <= sending.ready &&
            sending.ready <= plan_.KvUnits(requests_[request].input);
  for (const ServingRecord& record : records_)
    sound = sound && record.request < requests_.size() && record.instance == number_;
  batcher_.ForEach([&](const Sequence& sequence) { sound = sound && known(sequence.request); });
  ExpectState(sound, "a request in an instance that does not have it");
}

}  // namespace heddle
