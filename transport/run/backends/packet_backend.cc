// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/packet_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/options/enum_words.h"
#include "transport/model/reliability/reliability_schemes.h"
#include "transport/model/wire/packet.h"
#include "transport/run/backends/controller_summary.h"
#include "transport/run/backends/packet_estimate.h"
#include "transport/run/backends/scale_up_estimate.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/controller/controller_tables.h"
#include "transport/run/fabric/flow_tables.h"

namespace heddle {

namespace {

/// Returns the rates that ports of switches have, at first or after a failure, ascending.
std::vector<BitRate> RatesOfSwitches(const FabricContext& context) {
  const Graph& graph = *context.graph;
  std::set<std::int64_t> rates;
  const auto add = [&](const Link& link, BitRate rate) {
    if (graph.kind(link.a) == NodeKind::kSwitch || graph.kind(link.b) == NodeKind::kSwitch)
      rates.insert(rate.bps);
  };
  for (const Link& link : graph.links()) add(link, link.rate);
  for (const FaultInstant& instant : context.faults) {
    for (const LinkEvent& event : instant.links) {
      if (event.kind == LinkEvent::Kind::kRate) add(graph.link(event.link), event.rate);
    }
  }
  std::vector<BitRate> ascending;
  for (const std::int64_t rate : rates) ascending.push_back({rate});
  return ascending;
}

}  // namespace

PacketBackend::PacketBackend(const BackendInput& input)
    : fabric_(input.graph, input.transport, {input.domain_of, input.nodes, input.rank_of},
              input.here, input.ranks, input.seed, input.failures) {}

EngineReport PacketBackend::Run(EngineKind kind, const Communicator& world, EngineSetup setup) {
  const EngineReport report = Backend::Run(kind, world, std::move(setup));
  fabric_.Settle();
  const ReplayFigures mine = fabric_.replay_figures();
  replayed_ = {world.Sum(mine.recorded), world.Sum(mine.replayed), world.Sum(mine.whole),
               world.Sum(mine.relived),  world.Sum(mine.rebuilt),  world.Sum(mine.refused),
               world.Sum(mine.hops),     world.Sum(mine.skipped),  world.Sum(mine.written)};
  replayed_hops_of_ = world.Sum(fabric_.Books().link_packets);
  return report;
}

std::uint32_t PacketBackend::domains() const {
  return static_cast<std::uint32_t>(fabric_.domains().size());
}

std::int64_t PacketBackend::ReceivedBytesOf(Bytes payload) const {
  // Bytes of data and ACKs for a byte of payload, from full packets: good enough for an estimate.
  const double per_payload = 1 + static_cast<double>(kHeaderBytes + kAckBytes) /
                                     static_cast<double>(fabric_.context().options.payload);
  return static_cast<std::int64_t>(static_cast<double>(payload.count) * per_payload);
}

/// Leaves out messages to and from the controller.
std::vector<DomainStream> PacketBackend::Streams() const {
  std::vector<DomainStream> streams;
  for (const auto& [ends, count] : fabric_.MessagesSent())
    streams.push_back({ends.first, ends.second, count});
  return streams;
}

DomainBooks PacketBackend::CheckConservation(const Communicator& world) {
  return heddle::CheckConservation(world, fabric_);
}

std::string PacketBackend::FindDeadlock(const Communicator& world) const {
  return heddle::FindDeadlock(world, fabric_);
}

std::vector<FlowLists> PacketBackend::NewFlows() const { return heddle::NewFlows(fabric_); }

void PacketBackend::DropFlows() { heddle::DropFlows(&fabric_); }

std::vector<FlowRecord> PacketBackend::OpenFlows() const { return heddle::OpenFlows(fabric_); }

std::vector<Table> PacketBackend::FlowRows(const FlowRecords& records) const {
  return FlowRowTables(records, fabric_.origins(), fabric_.context().controlled());
}

Table PacketBackend::GatherFlows(const Communicator& world, const FlowRecords& mine) const {
  return heddle::GatherFlows(world, fabric_, mine);
}

std::vector<Table> PacketBackend::TakeSamples(TrafficEnd end, bool is_end) {
  return TakeMonitorTables(fabric_, end, is_end);
}

TotalTables PacketBackend::GatherTotals(const Communicator& world) const {
  TotalTables totals{GatherDrops(world, fabric_), GatherPorts(world, fabric_),
                     GatherPauseCauses(world, fabric_), ControllerTables(fabric_.controller()),
                     GatherFlowStatistics(world, fabric_)};
  totals.statistics.push_back(GatherTierLoad(world, fabric_));
  return totals;
}

TrafficCost PacketBackend::CostOf(const TrafficWalk& traffic) const {
  const FabricContext& context = fabric_.context();
  if (context.scale_up != nullptr && context.scale_up->routes)
    return CostOfScaleUp(*context.graph, *context.scale_up, traffic);
  const auto packets = [&](const TrafficWalk& walk) {
    return CostOfPackets(*context.graph, routes(), context.options, walk);
  };
  if (context.scale_up == nullptr) return packets(traffic);
  TrafficCost cost = packets([&](const TrafficVisit& visit) {
    traffic([&](NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count) {
      if (!StaysOnNvLinks(*context.graph, *context.scale_up, source, destination))
        visit(source, destination, bytes, count);
    });
  });
  cost.Add(CostOfNvLinks(*context.graph, *context.scale_up, traffic));
  return cost;
}

MemoryAccount PacketBackend::GrowthOf(const OpenTraffic& open) const {
  return GrowthOfPackets(fabric_, open);
}

namespace {

std::string DescribeUec(const UecRun& uec, const TransportOptions& options) {
  const std::string whose = options.protocol == TransportOptions::Protocol::kMixed
                                ? fmt::format(" on priority {}", options.uec_priority)
                                : "";
  return fmt::format(
      "transport        Ultra Ethernet{}: {}, {}, base round trip {}, bandwidth-delay product {} "
      "packets\n",
      whose, ToText(options.uec.congestion), options.uec.trimming ? "trimming" : "no trimming",
      ToText(uec.scale.base_rtt), uec.scale.bdp_packets);
}

}  // namespace

std::string PacketBackend::Describe() const {
  const FabricContext& context = fabric_.context();
  const TransportOptions& options = context.options;
  std::string text;
  if (context.scale_up != nullptr && context.scale_up->routes) {
    if (!options.scale_up.congestion)
      return "transport        scale-up links, messages do not meet (scale_up.congestion)\n";
    return fmt::format(
        "transport        scale-up links, {}{}\n",
        options.scale_up.credits ? "credits" : "buffers without limit",
        context.scale_up->neighbours_only && options.scale_up.trains ? ", packets in trains" : "");
  }
  if (options.nvlink.credits()) text += "transport        NVLinks under credits (nvlink.layer)\n";
  if (context.scale_up != nullptr && context.scale_up->direct)
    text += "transport        NVLinks from GPU to GPU, under credits; GPUs pass on\n";
  if (options.protocol != TransportOptions::Protocol::kUec) {
    text += fmt::format("transport        congestion control {}, ECN {}, PFC {}, {}\n",
                        context.control.name(), context.marks ? "on" : "off",
                        options.pfc.enabled ? "on" : "off", TraitsOf(options.reliability).name);
  }
  for (const std::string& line : context.requests.Describe())
    text += fmt::format("transport        {}\n", line);
  if (context.uec != nullptr) text += DescribeUec(*context.uec, options);
  if (!options.sprayed_by().empty())
    text += fmt::format("paths            by packet ({})\n", options.sprayed_by());
  if (context.marks) {
    for (const std::string& line : context.ecn->DescribeScaled(RatesOfSwitches(context)))
      text += fmt::format("transport        ECN at {}\n", line);
  }
  if (options.controller.enabled)
    text += fmt::format("controller       {}\n", DescribeController(options.controller));
  return text;
}

std::string PacketBackend::SummarizeReplay() const {
  if (!fabric_.context().options.replay.on()) return "";
  const std::string why = fabric_.WhyNoReplay();
  if (!why.empty()) return fmt::format("replay           none: {}\n", why);
  const ReplayOutcome outcome = *replayed();
  return fmt::format(
      "replay           {:.1f} % of packet-hops not simulated: {} episodes recorded, {} replayed, "
      "{} rebuilt, {} refused; {} collectives replayed whole, {} taken back; {:.1f} % skipped in "
      "cycles; simulated: {:.1f} % in new episodes, {:.1f} % in none\n",
      outcome.not_simulated * 100, outcome.recorded, outcome.replayed, outcome.rebuilt,
      outcome.refused, outcome.whole, outcome.relived, outcome.skipped * 100, outcome.fresh * 100,
      std::max(0.0, 1 - outcome.not_simulated - outcome.fresh) * 100);
}

std::optional<ReplayOutcome> PacketBackend::replayed() const {
  if (!replays()) return std::nullopt;
  const auto share_of = [this](std::int64_t hops) {
    return replayed_hops_of_ > 0
               ? static_cast<double>(hops) / static_cast<double>(replayed_hops_of_)
               : 0;
  };
  return ReplayOutcome{replayed_.recorded,
                       replayed_.replayed,
                       replayed_.rebuilt,
                       replayed_.refused,
                       replayed_.whole,
                       replayed_.relived,
                       share_of(replayed_.hops),
                       share_of(replayed_.skipped),
                       share_of(replayed_.written)};
}

std::string PacketBackend::Summary() const {
  const CentralController* controller = fabric_.controller();
  return (controller != nullptr ? SummarizeController(controller->figures()) : "") +
         SummarizeReplay();
}

}  // namespace heddle
