// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/fluid/fluid_network.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {
namespace {

/// Of heaps whose first element is the lowest.
template <class Stop>
bool IsHigher(const Stop& a, const Stop& b) {
  return a.level > b.level;
}

}  // namespace

FluidNetwork::FluidNetwork(const std::vector<Direction>& directions, std::int64_t packet,
                           std::int64_t ack)
    : packet_(packet), ack_(ack), links_(directions.size()) {
  for (std::uint32_t i = 0; i < directions.size(); ++i) {
    const Direction& direction = directions[i];
    HEDDLE_EXPECT(direction.rate > 0 && direction.reverse < directions.size());
    links_[i].reverse = direction.reverse;
    SetLinkRate(i, direction.rate);
  }
}

void FluidNetwork::SetLinkRate(std::uint32_t id, FluidRate rate) {
  Link& link = links_[id];
  if (link.rate == rate) return;
  link.rate = rate;
  link.half_packet = Time{TimeOfVolume(FluidVolumeOf(packet_), rate).ps / 2};
  link.both_ways =
      static_cast<FluidRate>(static_cast<WideUnsigned>(rate) * static_cast<std::uint64_t>(packet_) /
                             static_cast<std::uint64_t>(packet_ + ack_));
  Touch(id);
  Touch(link.reverse);  // whose flows' ACKs wait here
}

std::uint32_t FluidNetwork::Add(const std::vector<FluidHop>& hops, FluidVolume volume, Time now,
                                const FluidWindow& window) {
  HEDDLE_EXPECT(!hops.empty() && volume > 0);
  std::uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.left = volume;
  flow.at = now;
  flow.rate = 0;
  flow.limit = kNoLimit;
  flow.window = window;
  flow.claim = kWholeWeight;
  flow.open = true;
  flow.hops.clear();
  for (const FluidHop& hop : hops) flow.hops.push_back({hop.link, hop.weight, 0});
  Attach(id);
  for (const Hop& hop : flow.hops) {
    if (links_[hop.link].flows.size() == 1) Touch(links_[hop.link].reverse);
    Touch(hop.link);
  }
  return id;
}

void FluidNetwork::Attach(std::uint32_t id) {
  std::vector<Hop>& hops = flows_[id].hops;
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    std::vector<Entry>& list = links_[hops[i].link].flows;
    hops[i].place = static_cast<std::uint32_t>(list.size());
    list.push_back({id, i});
  }
}

void FluidNetwork::Limit(std::uint32_t id, FluidRate limit) {
  Flow& flow = flows_[id];
  if (flow.limit == limit) return;
  flow.limit = limit;
  Touch(flow.hops[0].link);
}

void FluidNetwork::SetWindow(std::uint32_t id, const FluidWindow& window) {
  flows_[id].window = window;
  Touch(flows_[id].hops[0].link);
}

void FluidNetwork::SetClaim(std::uint32_t id, FluidWeight claim) {
  Flow& flow = flows_[id];
  if (flow.claim == claim) return;
  flow.claim = claim;
  Touch(flow.hops[0].link);
}

FluidVolume FluidNetwork::LeftOf(std::uint32_t id, Time now) const {
  const Flow& flow = flows_[id];
  return std::max<FluidVolume>(flow.left - FlowsIn(flow.rate, now - flow.at), 0);
}

void FluidNetwork::Remove(std::uint32_t id) {
  Flow& flow = flows_[id];
  ChangeLoad(flow, flow.rate, 0);
  for (const Hop& hop : flow.hops) {
    Link& link = links_[hop.link];
    const Entry last = link.flows.back();
    link.flows[hop.place] = last;
    flows_[last.flow].hops[last.hop].place = hop.place;
    link.flows.pop_back();
    if (link.flows.empty()) Touch(link.reverse);
    Touch(hop.link);
  }
  flow.open = false;
  ends_.Remove(id);
  free_.push_back(id);
}

void FluidNetwork::Solve(Time now) {
  if (dirty_.empty()) return;
  ++mark_;
  solved_.clear();
  for (const std::uint32_t first : dirty_) {
    Link& link = links_[first];
    link.dirty = false;
    if (link.flows.empty() || link.mark == mark_) continue;
    Collect(first);
    ++solves_;
    solved_flows_ += part_flows_.size();
    largest_ = std::max<std::uint64_t>(largest_, part_flows_.size());
    Fill();
    solved_.insert(solved_.end(), part_flows_.begin(), part_flows_.end());
  }
  dirty_.clear();
  // At last, as bounds are by the loads of before, also where parts hold each other's ACKs.
  for (const std::uint32_t flow : solved_) SetRate(flow, now);
}

Time FluidNetwork::WaitAt(std::uint32_t id, FluidRate own) const {
  const Link& link = links_[id];
  if (link.queue_wait > Time{0}) return link.queue_wait;
  if (link.load <= own) return Time{0};
  const WideUnsigned others = static_cast<WideUnsigned>(link.load - own);
  return Time{static_cast<std::int64_t>(others * static_cast<std::uint64_t>(link.half_packet.ps) /
                                        static_cast<std::uint64_t>(link.rate))};
}

FluidRate FluidNetwork::BoundOf(const Flow& flow) const {
  if (flow.window.volume == 0) return flow.limit;
  Time trip = flow.window.round_trip;
  for (const Hop& hop : flow.hops)
    trip += Time{PartOf(WaitAt(ReverseOf(hop.link), 0).ps, hop.weight)};
  return std::min(flow.limit, std::max<FluidRate>(RateOfVolume(flow.window.volume, trip), 1));
}

void FluidNetwork::ChangeLoad(const Flow& flow, FluidRate from, FluidRate to) {
  for (const Hop& hop : flow.hops)
    links_[hop.link].load += PartOf(to, hop.weight) - PartOf(from, hop.weight);
}

/// All links and flows that are connected with a link.
void FluidNetwork::Collect(std::uint32_t first) {
  part_links_.clear();
  part_flows_.clear();
  stack_.assign(1, first);
  links_[first].mark = mark_;
  while (!stack_.empty()) {
    const std::uint32_t id = stack_.back();
    stack_.pop_back();
    part_links_.push_back(id);
    for (const Entry& entry : links_[id].flows) {
      Flow& flow = flows_[entry.flow];
      if (flow.mark == mark_) continue;
      flow.mark = mark_;
      flow.fixed = false;
      part_flows_.push_back(entry.flow);
      for (const Hop& hop : flow.hops) {
        if (links_[hop.link].mark == mark_) continue;
        links_[hop.link].mark = mark_;
        stack_.push_back(hop.link);
      }
    }
  }
}

void FluidNetwork::Fill() {
  for (const std::uint32_t id : part_flows_) flows_[id].bound = BoundOf(flows_[id]);
  if (part_flows_.size() == 1) return FillOne(&flows_[part_flows_[0]]);
  OpenStops();
  turn_ = 0;
  std::size_t fixed = 0;
  while (fixed < part_flows_.size()) {
    const FluidRate level = TakeStops();
    if (!reached_.empty()) fixed += FixReached(level);
  }
}

void FluidNetwork::FillOne(Flow* flow) {
  FluidRate least = flow->bound;
  flow->bottleneck = kNone;
  for (std::uint32_t i = 0; i < flow->hops.size(); ++i) {
    const FluidRate level = LevelOf(CapacityOf(flow->hops[i].link), flow->hops[i].weight);
    if (level >= least) continue;
    least = level;
    flow->bottleneck = i;
  }
  flow->next_rate = std::max<FluidRate>(least, 1);
}

void FluidNetwork::OpenStops() {
  stops_.clear();
  for (const std::uint32_t id : part_links_) {
    Link& link = links_[id];
    link.left = CapacityOf(id);
    link.weights = 0;
    link.full = 0;
    for (const Entry& entry : link.flows) {
      const Flow& flow = flows_[entry.flow];
      link.weights += ClaimAt(flow, flow.hops[entry.hop]);
    }
    stops_.push_back({LevelOf(link.left, link.weights), id, 0});
  }
  for (const std::uint32_t id : part_flows_) {
    // A limit that a link of its path is below anyway stops nothing.
    const Flow& flow = flows_[id];
    const bool stops = std::all_of(flow.hops.begin(), flow.hops.end(), [&](const Hop& hop) {
      return flow.bound < LevelOf(links_[hop.link].left, hop.weight);
    });
    if (stops) stops_.push_back({LevelOf(flow.bound, flow.claim), kNone, id});
  }
  std::make_heap(stops_.begin(), stops_.end(), IsHigher<Stop>);
}

void FluidNetwork::Push(const Stop& stop) {
  stops_.push_back(stop);
  std::push_heap(stops_.begin(), stops_.end(), IsHigher<Stop>);
}

FluidRate FluidNetwork::TakeStops() {
  HEDDLE_INVARIANT(!stops_.empty(), "a flow that no link and no limit stops");
  const FluidRate entered = stops_.front().level;
  FluidRate level = entered;
  reached_.clear();
  while (!stops_.empty() && stops_.front().level == entered) {
    std::pop_heap(stops_.begin(), stops_.end(), IsHigher<Stop>);
    Stop stop = stops_.back();
    stops_.pop_back();
    if (stop.link == kNone) {
      if (!flows_[stop.flow].fixed) reached_.push_back(stop);
      continue;
    }
    const Link& link = links_[stop.link];
    if (link.weights == 0) continue;
    stop.level = LevelOf(link.left, link.weights);
    if (stop.level > entered) {
      Push(stop);  // others took less than their share of it
    } else {
      level = std::min(level, stop.level);
      reached_.push_back(stop);
    }
  }
  return level;
}

std::size_t FluidNetwork::FixReached(FluidRate level) {
  ++turn_;
  for (const Stop& stop : reached_) {
    if (stop.link != kNone) links_[stop.link].full = turn_;
  }
  std::size_t fixed = 0;
  const auto fix = [&](std::uint32_t flow) {
    if (flows_[flow].fixed) return;
    const FluidWeight claim = flows_[flow].claim;
    const auto rate =
        static_cast<FluidRate>(static_cast<WideUnsigned>(level) * claim >> kWeightBits);
    Fix(flow, std::max<FluidRate>(rate, 1));
    ++fixed;
  };
  for (const Stop& stop : reached_) {
    if (stop.link == kNone) {
      fix(stop.flow);
      continue;
    }
    for (const Entry& entry : links_[stop.link].flows) fix(entry.flow);
  }
  return fixed;
}

void FluidNetwork::Fix(std::uint32_t id, FluidRate rate) {
  Flow& flow = flows_[id];
  flow.fixed = true;
  flow.next_rate = rate;
  flow.bottleneck = kNone;
  for (std::uint32_t i = 0; i < flow.hops.size(); ++i) {
    Link& link = links_[flow.hops[i].link];
    if (link.full == turn_ && flow.bottleneck == kNone) flow.bottleneck = i;
    link.left = std::max<FluidRate>(link.left - PartOf(rate, flow.hops[i].weight), 0);
    link.weights -= ClaimAt(flow, flow.hops[i]);
  }
}

void FluidNetwork::SetRate(std::uint32_t id, Time now) {
  Flow& flow = flows_[id];
  if (flow.rate == flow.next_rate) return;
  flow.left = LeftOf(id, now);
  flow.at = now;
  ChangeLoad(flow, flow.rate, flow.next_rate);
  flow.rate = flow.next_rate;
  ends_.Set(id, now + TimeOfVolume(flow.left, flow.rate));
}

void FluidNetwork::ForgetChanges() {
  for (Link& link : links_) link.dirty = false;
  dirty_.clear();
}

void FluidNetwork::Rebuild() {
  for (Link& link : links_) {
    link.flows.clear();
    link.load = 0;
  }
  ForgetChanges();
  ends_ = EndQueue();
  std::vector<bool> is_free(flows_.size(), false);
  for (const std::uint32_t id : free_) {
    ExpectState(id < flows_.size() && !is_free[id] && !flows_[id].open,
                "a fluid that is free twice");
    is_free[id] = true;
  }
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    const Flow& flow = flows_[id];
    ExpectState(flow.open != is_free[id], "a fluid that neither flows nor is free");
    if (!flow.open) continue;
    ExpectState(flow.rate > 0 && flow.limit > 0 && flow.claim > 0 && flow.claim <= kWholeWeight &&
                    flow.left >= 0 && flow.at >= Time{0} && !flow.hops.empty() &&
                    TimeOfVolume(flow.left, flow.rate) < Time::Max() - flow.at,
                "a fluid without a rate or an end");
    for (const Hop& hop : flow.hops) {
      ExpectState(hop.link < links_.size() && hop.weight > 0 && hop.weight <= kWholeWeight,
                  "a fluid on a link that there is not");
    }
    Attach(id);
    ChangeLoad(flow, 0, flow.rate);
    ends_.Set(id, flow.at + TimeOfVolume(flow.left, flow.rate));
  }
}

std::size_t FluidNetwork::memory() const {
  std::size_t bytes = MemoryOf(links_) + MemoryOf(flows_) + MemoryOf(free_) + MemoryOf(dirty_) +
                      ends_.memory() + MemoryOf(part_links_) + MemoryOf(part_flows_) +
                      MemoryOf(stack_) + MemoryOf(stops_) + MemoryOf(reached_);
  for (const Link& link : links_) bytes += MemoryOf(link.flows);
  for (const Flow& flow : flows_) bytes += MemoryOf(flow.hops);
  return bytes;
}

}  // namespace heddle
