// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/whole/stream_domain.h"

#include <algorithm>
#include <boost/serialization/vector.hpp>
#include <cmath>
#include <cstring>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {
namespace {

CollectiveReport ReportOf(const Cargo& cargo) {
  CollectiveReport report;
  std::memcpy(static_cast<void*>(&report), cargo.bytes, sizeof report);
  return report;
}

/// A report takes one step to the home of its collective, and one from there.
constexpr int kSteps = 2;

}  // namespace

StreamDomain::StreamDomain(const StreamRun* run)
    : Domain(run->streams),
      run_(*run),
      lag_(run->report * kSteps),
      plans_(run->fluids, run->prices->loads()),
      network_(plans_.Directions(), run->fluids->packet * run->fluids->per_ack, run->fluids->ack),
      carried_(plans_.Directions().size()),
      held_(carried_.size()) {}

void StreamDomain::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    ++events_;
    now_ = event.time;
    if (EventOrder(event.order).kind() == CollectiveReport::kStream) {
      starts_.insert(ReportOf(cargo_[event.argument]));
      cargo_.Free(event.argument);
    } else {
      turns_.pop_back();
    }
    if (queue_.NextTime() > event.time) RunAt(now_ - lag_);
  }
}

void StreamDomain::RunAt(Time now) {
  std::vector<std::uint32_t> ended;
  while (network_.next_end() <= now) ended.push_back(network_.TakeNext());
  for (const std::uint32_t id : ended) End(id, now);
  while (!starts_.empty() && starts_.begin()->when <= now) {
    Begin(*starts_.begin(), now);
    starts_.erase(starts_.begin());
  }
  network_.Solve(now);
  ScheduleTurn(now);
}

void StreamDomain::ScheduleTurn(Time now) {
  Time next = network_.next_end();
  if (!starts_.empty()) next = std::min(next, starts_.begin()->when);
  if (next == Time::Max() || (!turns_.empty() && turns_.back() <= next)) return;
  next = std::max(next, now);
  turns_.push_back(next);
  queue_.Push(
      {next + lag_, EventOrder(NodeId(0), PortId(0), CollectiveReport::kTurn).bits(), 0, 0});
}

void StreamDomain::Begin(const CollectiveReport& report, Time now) {
  const auto call = run_.driver->CallOf(report.name);
  HEDDLE_INVARIANT(call.has_value(), "a collective of no job has begun");
  const StreamPlan& plan = plans_.PlanOf(*call);
  if (plan.volume == 0) return Reply(report, report.when + report.price);
  const Time busy =
      std::clamp(run_.prices->loads()->BusyTimeOf(*call), PicoSeconds(1), report.price);
  const std::uint32_t id = network_.Add(plan.hops, plan.volume, now);
  network_.Limit(id, std::clamp(RateOfVolume(plan.volume, busy), FluidRate{1}, kNoLimit));
  if (id >= streams_.size()) streams_.resize(id + 1);
  // What is heard of late has the time back at its end.
  const Time late = std::min(now - report.when, report.price - busy);
  const bool at_once =
      call->operation == Operation::kAllToAll || call->operation == Operation::kSendRecv;
  streams_[id] = {report, report.price - busy - late, now, busy, plan.volume, at_once};
}

void StreamDomain::End(std::uint32_t id, Time now) {
  const Stream& stream = streams_[id];
  const std::uint32_t bottleneck = network_.bottleneck(id);
  if (bottleneck != FluidNetwork::kNone && now > stream.begin + stream.busy) {
    Held& held = held_[network_.HopOf(id, bottleneck).link];
    held.time = held.time + (now - stream.begin - stream.busy);
    ++held.streams;
  }
  for (std::uint32_t i = 0; i < network_.LengthOf(id); ++i) {
    const FluidHop hop = network_.HopOf(id, i);
    carried_[hop.link] += PartOf(stream.volume, hop.weight) >> kVolumeBits;
  }
  network_.Remove(id);
  Reply(stream.report, now + TailOf(stream, now));
}

/// With p = busy, k p = taken and Z = tail, messages that go round in turns take R for their bytes:
/// R = p (1 + (k - 1) R / (Z + R)), as each of k finds the others there in the share R / (Z + R) of
/// the time. The sum Z + R is that of Z alone for k = 1, and goes towards k p.
Time StreamDomain::TailOf(const Stream& stream, Time now) {
  const Time taken = now - stream.begin;
  if (taken <= stream.busy || stream.at_once) return stream.tail;
  const auto pause = static_cast<double>(stream.tail.ps),
             service = static_cast<double>(stream.busy.ps), all = static_cast<double>(taken.ps);
  const double root = std::sqrt((all - pause) * (all - pause) + 4 * service * pause);
  return Time{std::llround((pause - all + root) / 2)};
}

void StreamDomain::Reply(CollectiveReport report, Time when) {
  report.when = when;
  const DomainId domain = run_.domain_of[report.home.value];
  run_.post_office->Send(domain, now_ + run_.report,
                         report.OrderAs(CollectiveReport::kStreamed).bits(), Cargo::Of(report));
}

void StreamDomain::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  account->Add(Structure::kRoutes, plans_.memory());
  account->Add(Structure::kSenders, network_.memory() + MemoryOf(streams_));
  account->Add(Structure::kPorts, MemoryOf(carried_) + MemoryOf(held_));
}

template <class Archive>
void StreamDomain::SerializeState(Archive& archive) {
  SerializeBase(archive);
  StateCount starts(starts_.size());
  archive& network_& plans_& now_& turns_& streams_& carried_& held_& starts;
  if constexpr (Archive::is_loading::value) {
    starts_.clear();
    for (std::size_t i = 0; i < starts; ++i) {
      CollectiveReport report;
      archive& report;
      ExpectState(starts_.insert(report).second, "a collective that begins twice");
    }
  } else {
    for (CollectiveReport report : starts_) archive& report;
  }
}

void StreamDomain::Save(StateWriter* to) const {
  // Archives take state that is not const, for saving as for loading.
  const_cast<StreamDomain*>(this)->SerializeState(*to);
}

void StreamDomain::Load(StateReader* from) {
  const std::size_t links = carried_.size();
  SerializeState(*from);
  ExpectState(carried_.size() == links && held_.size() == links, "links of another fabric");
  CheckLoaded();
}

void StreamDomain::CheckReport(const CollectiveReport& report) const {
  ExpectState(report.when >= Time{0} && report.price > Time{0},
              "a collective of a time below zero");
  ExpectState(report.role <= CollectiveReport::Role::kReceiver && report.parts > 0,
              "a collective of no rank");
  ExpectState(report.home.value < run_.domain_of.size() &&
                  report.node.value < run_.domain_of.size() &&
                  run_.driver->CallOf(report.name).has_value(),
              "a collective of no job");
}

void StreamDomain::CheckLoaded() const {
  std::size_t open = 0;
  for (std::uint32_t id = 0; id < streams_.size(); ++id) {
    if (!network_.is_open(id)) continue;
    ++open;
    const Stream& stream = streams_[id];
    CheckReport(stream.report);
    ExpectState(stream.tail >= Time{0} && stream.tail <= stream.report.price && stream.volume > 0,
                "a stream of no volume");
  }
  ExpectState(open == network_.open(), "a stream of no collective");
  for (const CollectiveReport& report : starts_) CheckReport(report);
  std::vector<bool> unclaimed = cargo_.used_slots();
  std::vector<Time> turns;
  for (const Event& event : queue_.Sorted()) {
    if (EventOrder(event.order).kind() == CollectiveReport::kTurn) {
      turns.push_back(event.time - lag_);
      continue;
    }
    ExpectState(EventOrder(event.order).kind() == CollectiveReport::kStream &&
                    event.argument < unclaimed.size() && unclaimed[event.argument],
                "an event without a report of its own");
    unclaimed[event.argument] = false;
    CheckReport(ReportOf(cargo_[event.argument]));
  }
  ExpectState(std::equal(turns.rbegin(), turns.rend(), turns_.begin(), turns_.end()),
              "turns at other times");
}

}  // namespace heddle
