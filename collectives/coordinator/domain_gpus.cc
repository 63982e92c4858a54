// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/domain_gpus.h"

#include <fmt/format.h>

#include <boost/serialization/map.hpp>

#include "collectives/execution/step_loop.h"
#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {

DomainGpus::DomainGpus(ExecutionContext* context, const std::vector<Seat>& seats,
                       const std::vector<NodeId>& nodes)
    : context_(context), all_seats_(seats), first_node_(nodes.front().value) {
  index_.assign(nodes.back().value - first_node_ + 1, Seat::kNobody);
  for (NodeId node : nodes) {
    if (node.value >= seats.size() || seats[node.value].job == Seat::kNobody) continue;
    index_[node.value - first_node_] = static_cast<std::uint32_t>(seats_.size());
    seats_.push_back(seats[node.value]);
    gpu_nodes_.push_back(node);
  }
}

void DomainGpus::Begin(FlowPoster* port) {
  port_ = port;
  gpus_.reserve(seats_.size());
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    gpus_.push_back(std::make_unique<GpuExecution>(context_, port, seats_[i].job, seats_[i].rank,
                                                   [this, i](Time when) {
                                                     alarms_.insert({when, i});
                                                     port_->WakeAt(when);
                                                   }));
  }
  for (const auto& gpu : gpus_) gpu->Begin();
}

std::vector<Time> DomainGpus::wakes() const {
  std::vector<Time> times;
  for (const auto& [when, gpu] : alarms_) times.push_back(when);
  return times;
}

void DomainGpus::Woken() {
  const auto [when, gpu] = *alarms_.begin();
  alarms_.erase(alarms_.begin());
  gpus_[gpu]->Woken(when);
}

void DomainGpus::Sent(const MessageName& name, Time when) {
  PlacedJob& job = *context_->jobs[name.job];
  const NodeId source = job.Shape(job.Op(name.operation).spec.group, name.group).node(name.source);
  if (GpuExecution* gpu = Find(source)) {
    gpu->runner().Sent(name, when);
  } else {
    Participation& part = SwitchPart(name, name.source);
    StepOnDeparture(context_, job, &part, name.flow(), when, port_);
    Retire(name, name.source);
  }
}

void DomainGpus::Received(const MessageName& name, Time when) {
  if (GpuExecution* gpu = Find(NodeId(name.node))) {
    NotifySender(name, when);
    gpu->runner().Received(name, when);
    return;
  }
  Participation& part = SwitchPart(name, name.destination);
  StepOnArrival(context_, *context_->jobs[name.job], &part, name.numbered(), when, port_);
  Retire(name, name.destination);
}

void DomainGpus::Completed(const CollectiveName& name, NodeId node, Time when) {
  GpuExecution* gpu = Find(node);
  HEDDLE_INVARIANT(
      gpu != nullptr && gpu->runner().job().index() == name.job,
      fmt::format("node {} takes no part in collectives of job {}", node.value, name.job));
  gpu->runner().Completed(name.operation, when);
}

bool DomainGpus::Knows(const MessageName& name, NodeId source, NodeId destination) const {
  const bool here = destination.valid() || name.node - first_node_ < index_.size();
  return here && KnowsMessage(*context_, name, source, destination);
}

void DomainGpus::NotifySender(const MessageName& name, Time when) {
  const Job& job = context_->jobs[name.job]->job();
  if (job.program.graph == nullptr || !job.program.graph->sends_until_arrival) return;
  const CollectiveSpec& spec = context_->jobs[name.job]->Op(name.operation).spec;
  if (!IsBetweenTwo(spec) || name.destination != spec.peer) return;
  const NodeId sender = context_->jobs[name.job]->Shape(spec.group, name.group).node(spec.root);
  GpuExecution* gpu = Find(sender);
  HEDDLE_INVARIANT(gpu != nullptr, "sends that end when they have arrived need one domain");
  gpu->runner().Delivered(name.operation, when);
}

Participation& DomainGpus::SwitchPart(const MessageName& name, Participant me) {
  const auto [at, is_new] = switches_.try_emplace({name.job, name.operation, name.group, me});
  Participation& part = at->second;
  if (is_new) {
    part.operation = name.operation;
    part.group = name.group;
    part.collective = &context_->jobs[name.job]->Collective(name.operation, name.group);
    part.me = me;
    part.begun = true;
    part.left = part.collective->schedule->CountsOf(me);
  }
  return part;
}

void DomainGpus::Retire(const MessageName& name, Participant me) {
  const auto at = switches_.find({name.job, name.operation, name.group, me});
  if (at->second.done()) switches_.erase(at);
}

void DomainGpus::SaveGpus(StateWriter* to) const {
  for (const auto& gpu : gpus_) gpu->Save(to);
}

void DomainGpus::LoadGpus(StateReader* from) {
  for (const auto& gpu : gpus_) gpu->Load(from);
  alarms_.clear();
  for (std::uint32_t i = 0; i < gpus_.size(); ++i) {
    for (const Time when : gpus_[i]->wakes())
      ExpectState(alarms_.insert({when, i}).second, "a program that is woken twice at once");
  }
}

void DomainGpus::SaveSwitches(StateWriter* to) const {
  StateCount count(switches_.size());
  *to << count;
  for (const auto& [key, part] : switches_) *to << std::get<0>(key) << part;
}

void DomainGpus::LoadSwitches(StateReader* from) {
  switches_.clear();
  StateCount count;
  *from >> count;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t job = 0;
    Participation part;
    *from >> job >> part;
    ExpectState(job < context_->jobs.size() &&
                    context_->jobs[job]->Has(part.operation, part.group, part.me),
                "a collective that no job has");
    part.collective = &context_->jobs[job]->Collective(part.operation, part.group);
    ExpectState(
        part.collective->schedule != nullptr && IsSwitchHere(part.collective->shape->node(part.me)),
        "a collective of a switch that is elsewhere");
    part.Check(context_->jobs[job].get(), port_->collectives() != nullptr);
    switches_.emplace(SwitchKey{job, part.operation, part.group, part.me}, std::move(part));
  }
}

std::size_t DomainGpus::memory() const {
  std::size_t sum = MemoryOf(index_) + MemoryOf(seats_) + MemoryOf(gpus_) +
                    MemoryOfTree(switches_) + MemoryOfTree(alarms_);
  for (const auto& gpu : gpus_) sum += gpu->memory();
  for (const auto& [key, part] : switches_) sum += part.memory();
  return sum;
}

}  // namespace heddle
