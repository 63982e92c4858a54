// SPDX-License-Identifier: GPL-2.0-only
/// What failures do to fluids: flows whose path has changed flow on by the new one; those without
/// one wait, with what they have left, until there is one.
#include <algorithm>

#include "core/base/check.h"
#include "topology/paths/path_tracer.h"
#include "transport/run/flow/fluid_domain.h"

namespace heddle {

void FluidDomain::ApplyInstants(Time now) {
  while (next_instant_ < run_.instants.size() && run_.instants[next_instant_].time <= now)
    ApplyInstant(next_instant_++, now);
}

void FluidDomain::ApplyInstant(std::size_t number, Time now) {
  const FaultInstant& instant = run_.instants[number];
  paths_.Apply(number);
  SetLinkRates(instant);
  ForgetIdlePaths();
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    if (network_.is_open(id) && Concerns(instant, flows_[id])) Move(id, now);
  }
  std::vector<Stranded> waiting;
  waiting.swap(stranded_);
  for (Stranded& stranded : waiting) {
    known_paths_[stranded.flow.path] = FindPath(stranded.flow);
    if (known_paths_[stranded.flow.path].open) {
      Join(stranded.flow, stranded.left, now);
    } else {
      stranded_.push_back(stranded);
    }
  }
}

void FluidDomain::SetLinkRates(const FaultInstant& instant) {
  for (const LinkEvent& event : instant.links) {
    if (event.kind != LinkEvent::Kind::kRate) continue;
    const Link& link = run_.graph->link(event.link);
    for (const NodeId end : {link.a, link.b}) {
      const std::uint32_t direction =
          paths_.first_link(end) + PortOf(*run_.graph, end, event.link).value;
      network_.SetLinkRate(direction, paths_.RateOf(direction));
      if (control_) control_->SetMarks(direction, paths_.MarksOf(end, event.link));
    }
  }
}

/// Whether a flow may have another path after an instant, or one of other rates.
bool FluidDomain::Concerns(const FaultInstant& instant, const FluidFlow& flow) const {
  const FluidMessage& message = messages_[flow.message];
  if (instant.epoch != FaultInstant::kSameRoutes) {
    const RouteEpoch& epoch = run_.epochs[instant.epoch];
    const bool gpus = run_.graph->is_gpu(message.source) && run_.graph->is_gpu(message.destination);
    if (!gpus || epoch.Affects(message.source) || epoch.Affects(message.destination)) return true;
  }
  if (!run_.balances.empty()) return true;  // switches heed their own links at once
  const FluidPath& path = known_paths_[flow.path];
  const auto crosses = [&](const LinkEvent& event) {
    const Link& link = run_.graph->link(event.link);
    const std::uint32_t ends[] = {
        paths_.first_link(link.a) + PortOf(*run_.graph, link.a, event.link).value,
        paths_.first_link(link.b) + PortOf(*run_.graph, link.b, event.link).value};
    const auto is_end = [&](const FluidHop& hop) {
      return hop.link == ends[0] || hop.link == ends[1];
    };
    return std::any_of(path.there.begin(), path.there.end(), is_end) ||
           std::any_of(path.back.begin(), path.back.end(), is_end);
  };
  return std::any_of(instant.links.begin(), instant.links.end(), crosses);
}

/// Finds the path of a flow under way again.
void FluidDomain::Move(std::uint32_t id, Time now) {
  FluidFlow& flow = flows_[id];
  FixIdeal(&flow);
  FluidPath found = FindPath(flow);
  FluidPath& path = known_paths_[flow.path];
  const bool same = found.open && found.there == path.there;
  if (same) {
    path = std::move(found);
    network_.SetWindow(id, path.window);
    return;
  }
  const FluidVolume left = network_.LeftOf(id, now);
  CarrySent(&flow, left);
  path = std::move(found);
  std::optional<FluidControl::Sender> sender;
  if (control_) {
    sender = control_->SenderOf(id);
    control_->End(id);
  }
  network_.Remove(id);
  const FluidFlow moved = flow;
  flow.size = 0;
  const std::uint32_t there = Join(moved, left, now);
  if (sender && there != FluidNetwork::kNone) control_->SetSender(there, *sender, now);
}

/// The ideal time of a flow is that of the path with which it started.
void FluidDomain::FixIdeal(FluidFlow* flow) {
  if (flow->ideal >= Time{0}) return;
  FluidPath& path = known_paths_[flow->path];
  const FluidMessage& message = messages_[flow->message];
  flow->ideal = path.open
                    ? paths_.TimesOf(&path, message.source, message.destination, flow->size).ideal
                    : Time{0};
}

/// A flow goes on, or waits, by the path that it has now.
std::uint32_t FluidDomain::Join(const FluidFlow& flow, FluidVolume left, Time now) {
  const FluidPath& path = known_paths_[flow.path];
  if (!path.open) {
    const FluidMessage& message = messages_[flow.message];
    if (run_.instants.empty())
      throw UserError(
          DescribeNoPath(*run_.graph, *run_.routes, message.source, message.destination));
    stranded_.push_back({flow, left});
    FixIdeal(&stranded_.back().flow);
    return FluidNetwork::kNone;
  }
  const std::uint32_t id = network_.Add(path.there, left, now, path.window);
  if (id >= flows_.size()) flows_.resize(id + 1);
  flows_[id] = flow;
  if (control_) {
    control_->Begin(id, {messages_[flow.message].source, flow.number}, path.window,
                    path.hops_there[0].best, now);
  }
  return id;
}

/// Counts whole packets that a flow has sent by the path that it leaves.
void FluidDomain::CarrySent(FluidFlow* flow, FluidVolume left) {
  const FluidMessage& message = messages_[flow->message];
  const std::int64_t packets = paths_.Packets(message.source, message.destination, flow->size);
  const FluidVolume whole =
      FluidVolumeOf(paths_.WireBytes(message.source, message.destination, flow->size));
  const auto sent = static_cast<std::int64_t>(
      static_cast<WideUnsigned>(whole - std::min(left, whole)) *
      static_cast<std::uint64_t>(packets) / static_cast<std::uint64_t>(whole));
  Carry(known_paths_[flow->path], *flow, std::min(sent, packets - 1));
  flow->carried = std::max(flow->carried, std::min(sent, packets - 1));
}

std::int64_t FluidDomain::stranded_bytes() const {
  std::int64_t sum = 0;
  for (const Stranded& stranded : stranded_) sum += stranded.flow.size;
  return sum;
}

/// Connections that no flow uses find their paths anew.
void FluidDomain::ForgetIdlePaths() {
  std::vector<bool> used(known_paths_.size(), false);
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    if (network_.is_open(id)) used[flows_[id].path] = true;
  }
  for (const Stranded& stranded : stranded_) used[stranded.flow.path] = true;
  for (std::uint32_t& slot : lasting_paths_) {
    if (slot == FluidPaths::kNone || used[slot]) continue;
    free_paths_.push_back(slot);
    slot = FluidPaths::kNone;
  }
}

}  // namespace heddle
