// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/uec/credit_pacers.h"

#include <algorithm>

#include "core/base/memory_account.h"

namespace heddle {
namespace {

std::uint64_t OrderAt(const DomainState& state, std::uint32_t port, FabricEvent::Kind kind) {
  return EventOrder(state.NodeOf(state.ports()[port]).id, state.NumberOf(port), kind).bits();
}

}  // namespace

std::uint32_t CreditPacers::Add(DomainState& state, std::uint32_t port, std::uint32_t slot) {
  const UecRun& uec = *state.context().uec;
  const auto [at, is_new] = pacers_.try_emplace(port);
  Pacer& pacer = at->second;
  if (is_new) {
    const std::uint64_t nic = std::uint64_t{state.NodeOf(state.ports()[port]).id.value} << 32 |
                              state.NumberOf(port).value;
    pacer.rate = OversubscriptionControl::State(state.context().seed, nic);
  }
  const std::uint32_t sink = pacer.pulls.Add();
  if (pacer.slots.size() <= sink) pacer.slots.resize(sink + 1, kNone);
  pacer.slots[sink] = slot;
  if (uec.scale.oversubscription_control) ScheduleAdjustment(state, port, &pacer);
  return sink;
}

void CreditPacers::Remove(std::uint32_t port, std::uint32_t sink) {
  Pacer& pacer = pacers_.at(port);
  pacer.pulls.Complete(sink);
  pacer.slots[sink] = kNone;
}

void CreditPacers::Ask(DomainState& state, std::uint32_t port, std::uint32_t sink,
                       std::int64_t target, bool asks) {
  Pacer& pacer = pacers_.at(port);
  pacer.pulls.SetTarget(sink, std::min(target, kMostQuanta));
  if (asks) pacer.pulls.Request(sink);
  SchedulePull(state, port, &pacer);
}

void CreditPacers::Count(DomainState& state, std::uint32_t port, const Packet& p) {
  const UecRun& uec = *state.context().uec;
  if (!uec.scale.oversubscription_control) return;
  Pacer& pacer = pacers_.at(port);
  if (p.kind == PacketKind::kUecTrimmed) {
    uec.rates.OnTrimmed(&pacer.rate, (p.note & 1) != 0);
  } else {
    uec.rates.OnPacket(&pacer.rate, p.marked != 0);
  }
  ScheduleAdjustment(state, port, &pacer);
}

void CreditPacers::SchedulePull(DomainState& state, std::uint32_t port, Pacer* pacer) {
  if (pacer->pull_at < Time::Max() || !pacer->pulls.waiting()) return;
  pacer->pull_at = std::max(state.now(), pacer->pulls.next());
  state.queue().Push({pacer->pull_at, OrderAt(state, port, FabricEvent::kUecPull), port, 0});
}

void CreditPacers::ScheduleAdjustment(DomainState& state, std::uint32_t port, Pacer* pacer) {
  if (pacer->adjust_at < Time::Max() || pacer->pulls.size() == 0) return;
  pacer->adjust_at = state.now() + state.context().uec->rates.Interval(&pacer->rate);
  state.queue().Push({pacer->adjust_at, OrderAt(state, port, FabricEvent::kUecCredit), port, 0});
}

bool CreditPacers::PullIsDue(const DomainState& state, std::uint32_t port, Time time) {
  const auto at = pacers_.find(port);
  if (at == pacers_.end() || at->second.pull_at != time) return false;
  // Whoever waited may have completed.
  if (at->second.pulls.waiting()) return true;
  at->second.pull_at = Time::Max();
  return false;
}

bool CreditPacers::CreditIsDue(std::uint32_t port, Time time) {
  const auto at = pacers_.find(port);
  if (at == pacers_.end() || at->second.adjust_at != time) return false;
  if (at->second.pulls.size() > 0) return true;
  at->second.adjust_at = Time::Max();
  return false;
}

CreditPacers::Due CreditPacers::Take(DomainState& state, std::uint32_t port) {
  const UecRun& uec = *state.context().uec;
  Pacer& pacer = pacers_.at(port);
  pacer.pull_at = Time::Max();
  const PullPacer::Pull pull = pacer.pulls.Take(state.now(), uec.pulls, pacer.rate.rate);
  SchedulePull(state, port, &pacer);
  return {pacer.slots[pull.sink], pull.number};
}

void CreditPacers::Adjust(DomainState& state, std::uint32_t port) {
  Pacer& pacer = pacers_.at(port);
  pacer.adjust_at = Time::Max();
  state.context().uec->rates.Update(&pacer.rate);
  // A flow whose sender has given up never completes here.
  if (!OversubscriptionControl::Rests(pacer.rate)) ScheduleAdjustment(state, port, &pacer);
}

bool CreditPacers::IsSink(std::uint32_t port, std::uint32_t sink, std::uint32_t slot) const {
  const auto at = pacers_.find(port);
  return at != pacers_.end() && at->second.pulls.Has(sink) && sink < at->second.slots.size() &&
         at->second.slots[sink] == slot;
}

std::size_t CreditPacers::memory() const {
  std::size_t sum = 0;
  for (const auto& [port, pacer] : pacers_)
    sum += sizeof(Pacer) + pacer.pulls.memory() + MemoryOf(pacer.slots);
  return sum;
}

void CreditPacers::Check(const DomainState& state, std::size_t sinks) const {
  std::size_t found = 0;
  for (const auto& [port, pacer] : pacers_) {
    ExpectState(port < state.ports().size(), "a pacer of no port");
    found += pacer.pulls.size();
    ExpectState(pacer.slots.size() == pacer.pulls.places(), "other receivers of credit");
    for (std::uint32_t sink = 0; sink < pacer.slots.size(); ++sink) {
      ExpectState(pacer.pulls.Has(sink) || pacer.slots[sink] == kNone,
                  "credit for a flow that is over");
    }
    const bool waits = pacer.pulls.waiting();
    ExpectState(!waits || pacer.pull_at < Time::Max(), "a pacer without its timer");
  }
  ExpectState(found == sinks, "credit for a flow that does not exist");
}

}  // namespace heddle
