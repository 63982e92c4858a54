// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/estimate/run_estimate.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/app/estimate/memory_estimate.h"
#include "core/app/estimate/open_flows.h"
#include "core/mpi/gather_records.h"
#include "topology/routes/packet_hops.h"

namespace heddle {
namespace {

/// Events of a packet-hop (an arrival; a wake-up where something waits) and of a flow (posted,
/// started, told of its end): measured, docs/performance.md.
constexpr double kEventsPerHop = 1.4, kEventsPerFlow = 3;

/// Rates of one core on the machine of docs/performance.md: packet-hops a second by nodes, and what
/// a flow and a row cost.
constexpr double kSmallNodes = 512, kSmallRate = 9.6e6;
constexpr double kLargeNodes = 17'000, kLargeRate = 2.9e6;
constexpr double kSecondsPerFlow = 1.0e-6, kSecondsPerRow = 1.3e-6;
/// Each doubling of ranks makes a run so many times as fast, on fabrics from 1,024 GPUs on and on
/// smaller ones.
constexpr double kSpeedup = 1.8, kSmallSpeedup = 1.4;
constexpr std::uint32_t kLargeFabric = 1024;  // GPUs

/// Allocator: heads of blocks and holes, as a share of what is allocated. Code that a run reads,
/// and what MPI shares between processes of a node [byte].
constexpr double kHoles = 0.08;
constexpr std::int64_t kCode = 3 << 20, kShared = 6 << 20;

double RateOf(std::uint32_t nodes) {
  const double position = std::log(nodes / kSmallNodes) / std::log(kLargeNodes / kSmallNodes);
  return kSmallRate * std::pow(kLargeRate / kSmallRate, std::clamp(position, 0.0, 1.0));
}

double SecondsOf(const RunEstimate& estimate, const Graph& graph, std::uint32_t ranks,
                 std::uint32_t ranks_here, double rows) {
  const double work = estimate.packet_hops / RateOf(graph.node_count()) +
                      estimate.flows * kSecondsPerFlow + rows * kSecondsPerRow;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const double busy = std::max(1.0, ranks * std::min(1.0, cores / ranks_here));
  return work /
         std::pow(graph.gpu_count() >= kLargeFabric ? kSpeedup : kSmallSpeedup, std::log2(busy));
}

PacketHops CountTraffic(const EstimateSource& source) {
  const TransportOptions& options = source.input->transport;
  PacketHops hops(source.fabric->routes(), {options.payload, options.nic.qps_per_connection,
                                            options.reliability.ack_interval});
  for (const FlowRequest& flow : source.input->flows)
    hops.Add(flow.source, flow.destination, flow.size.count, 1);
  if (source.coordinator == nullptr) return hops;
  for (const auto& job : source.coordinator->context().jobs) {
    job->ForEachTraffic(
        [&](const PlacedJob::Traffic& t) { hops.Add(t.source, t.destination, t.bytes, t.count); });
  }
  return hops;
}

/// Share of the links between this rank's domains and others that lead to other ranks.
double BoundaryOf(const RunInput& input, RankId here) {
  double own = 0, crossing = 0;
  for (const Link& link : input.graph->links()) {
    const DomainId a = input.domains.domain_of[link.a.value],
                   b = input.domains.domain_of[link.b.value];
    const RankId at_a = input.assignment[a.value], at_b = input.assignment[b.value];
    if (a == b || (at_a != here && at_b != here)) continue;
    own += 1;
    if (at_a != at_b) crossing += 1;
  }
  return own > 0 ? crossing / own : 0;
}

/// What is open on this rank. Messages of collectives are taken to be spread evenly over GPUs.
Underway FindUnderway(const EstimateSource& source, const PacketHops& hops, RankId here) {
  const RunInput& input = *source.input;
  Underway underway;
  underway.message = hops.bytes() / std::max(hops.flows(), 1.0);
  underway.boundary = BoundaryOf(input, here);
  underway.posted = source.coordinator != nullptr;
  const std::vector<std::uint32_t> open =
      underway.posted ? std::vector<std::uint32_t>() : MostOpenFlows(*input.graph, input.flows);
  double messages = 0;
  if (underway.posted) {
    for (const auto& job : source.coordinator->context().jobs)
      messages += static_cast<double>(job->CountOpenMessages());
  }
  const auto pairs = static_cast<double>(input.transport.nic.qps_per_connection);
  for (std::uint32_t gpu = 0; gpu < input.graph->gpu_count(); ++gpu) {
    if (input.assignment[input.domains.domain_of[gpu].value] != here) continue;
    const double flows =
        pairs * (underway.posted ? messages / input.graph->gpu_count() : open[gpu]);
    if (flows == 0) continue;
    underway.flows += flows;
    underway.packets += PacketsOf(flows, underway.message, source.fabric->context());
  }
  return underway;
}

MemoryEstimate EstimateMemory(const Communicator& world, const EstimateSource& source,
                              const PacketHops& hops) {
  MemoryEstimate memory;
  memory.before = source.before.resident;
  memory.now = ReadProcessMemory().resident;
  const Underway underway = FindUnderway(source, hops, world.rank());
  // Rows are kept where their senders are; the root makes one table of all.
  const double kept =
      static_cast<double>(source.kept_rows) * (world.is_root() ? 1 : 1.0 / world.size());
  const double written = (source.rows.flows + source.rows.steps) / world.size();
  memory.structures = source.now;
  memory.structures.Add(GrowthOf(underway, *source.fabric, kept, written));
  memory.overhead =
      static_cast<std::int64_t>(kHoles * static_cast<double>(memory.structures.total())) + kCode +
      (world.size() > 1 ? kShared : 0);
  return memory;
}

}  // namespace

std::int64_t RunEstimate::most_memory() const {
  std::int64_t most = 0;
  for (const MemoryEstimate& rank : memory) most = std::max(most, rank.peak());
  return most;
}

RunEstimate EstimateRun(const Communicator& world, const EstimateSource& source) {
  RunEstimate estimate;
  const PacketHops hops = CountTraffic(source);
  estimate.flows = hops.flows();
  estimate.packet_hops = hops.packet_hops();
  estimate.events = kEventsPerHop * hops.packet_hops() + kEventsPerFlow * hops.flows();
  estimate.result = EstimateResultSize(source.rows);
  const MemoryEstimate mine = EstimateMemory(world, source, hops);
  estimate.demand = DemandOnNode(world, mine.growth());
  estimate.memory = GatherRecords(world, std::vector<MemoryEstimate>{mine});
  if (!world.is_root()) estimate.memory = {mine};
  estimate.seconds = SecondsOf(estimate, *source.input->graph, world.size(),
                               estimate.demand.ranks_here, source.rows.flows + source.rows.steps);
  return estimate;
}

}  // namespace heddle
