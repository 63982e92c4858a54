// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/run_estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "core/app/run/estimate/memory_estimate.h"
#include "core/app/run/estimate/open_flows.h"
#include "core/mpi/gather_records.h"

namespace heddle {
namespace {

/// Time to write a row of the result on the machine of docs/performance.md [s].
constexpr double kSecondsPerRow = 1.3e-6;
/// Time between flushes: one second and more, as one waits for a cut that is worth its time. Rows
/// that make one due earlier: kMostUnflushed [s].
constexpr double kSecondsPerFlush = 1.5;
/// The fastest machine that memory is estimated for, over that of docs/performance.md: the faster a
/// machine is, the more rows are in memory at a flush, while an estimate of seconds is rough.
constexpr double kFastest = 2.5;
/// Speedup from each doubling of ranks: on fabrics of kLargeFabric GPUs or more, and on smaller
/// ones.
constexpr double kSpeedup = 1.8, kSmallSpeedup = 1.4;
constexpr std::uint32_t kLargeFabric = 1024;  // GPUs
/// A run that takes longer names what would be faster [s].
constexpr double kLong = 60;

/// The allocator's overhead (block headers and holes), as a share of what is allocated. Then: code
/// that a run loads, and memory that MPI shares between processes of a node [byte].
constexpr double kHoles = 0.08;
/// Records of episodes by flows of the run: most flows are of episodes that repeat [byte].
constexpr double kRecordBytes = 16;
constexpr std::int64_t kCode = 3 << 20, kShared = 6 << 20;

double SecondsOf(const TrafficCost& cost, const Graph& graph, std::uint32_t ranks,
                 std::uint32_t ranks_here, double rows) {
  const double work = cost.seconds + rows * kSecondsPerRow;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const double busy = std::max(1.0, ranks * std::min(1.0, cores / ranks_here));
  return work / SpeedupOf(graph.gpu_count(), busy);
}

TrafficCost CostOfTraffic(const EstimateSource& source) {
  return source.backend->CostOf(
      [&](const TrafficVisit& visit) { source.traffic->ForEachMessage(visit); });
}

/// Returns which share of the links between this rank's domains and other domains leads to other
/// ranks.
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

/// Flows and messages open on this rank. Messages of collectives are assumed to be spread evenly
/// over GPUs.
OpenTraffic FindOpen(const EstimateSource& source, const TrafficCost& cost, RankId here) {
  const RunInput& input = *source.input;
  OpenTraffic open;
  open.message = cost.bytes / std::max(cost.flows, 1.0);
  open.boundary = BoundaryOf(input, here);
  const std::optional<double> messages = source.traffic->OpenMessages();
  open.posted = messages.has_value();
  const std::vector<std::uint32_t> most =
      messages ? std::vector<std::uint32_t>() : MostOpenFlows(*input.graph, input.flows);
  const Backend& backend = *source.backend;
  const double pairs =
      backend.carries_collectives() ? 0 : static_cast<double>(backend.split().queue_pairs);
  std::uint32_t here_count = 0;
  for (std::uint32_t gpu = 0; gpu < input.graph->gpu_count(); ++gpu) {
    if (input.assignment[input.domains.domain_of[gpu].value] != here) continue;
    ++here_count;
    const double flows = pairs * (messages ? *messages / input.graph->gpu_count() : most[gpu]);
    if (flows > 0) open.flows.push_back(flows);
  }
  open.connections = cost.connections * here_count / std::max(1U, input.graph->gpu_count());
  return open;
}

MemoryEstimate EstimateMemory(const Communicator& world, const EstimateSource& source,
                              const TrafficCost& cost) {
  MemoryEstimate memory;
  memory.before = source.before.resident;
  memory.now = ReadProcessMemory().resident;
  const OpenTraffic open = FindOpen(source, cost, world.rank());
  // Rows are kept on the rank of their sender; the root gathers them into one table.
  const double kept =
      static_cast<double>(source.kept_rows) * (world.is_root() ? 1 : 1.0 / world.size());
  // A row of collectives takes half of one of flows: less in the log, more when parts are joined.
  const double written =
      (source.rows.flows + source.rows.steps + source.rows.collectives / 2) / world.size();
  memory.structures = source.now;
  memory.structures.Add(source.backend->GrowthOf(open));
  const double flushes = std::max(cost.seconds / kFastest / world.size() / kSecondsPerFlush, 1.0);
  const auto unflushed = [&](double records) {
    return source.flushes ? std::min(records / flushes, double{kMostUnflushed}) : records;
  };
  const double cuts = source.flushes ? std::max(flushes, written / kMostUnflushed) : 1;
  memory.structures.Add(GrowthOfOutput(open, kept, written, cuts));
  const double shown = world.is_root() ? source.shown_collectives : 0;
  memory.structures.Add(GrowthOfJobs(unflushed(source.collectives),
                                     unflushed(source.rows.steps / world.size()), shown));
  if (source.backend->replays()) {
    const double records = cost.flows * kRecordBytes / world.size();
    memory.structures.Add(
        Structure::kReplay,
        static_cast<std::size_t>(
            std::min(records, static_cast<double>(source.input->transport.replay.bytes()))));
  }
  memory.overhead =
      static_cast<std::int64_t>(kHoles * static_cast<double>(memory.structures.total())) + kCode +
      (world.size() > 1 ? kShared : 0);
  return memory;
}

}  // namespace

double SpeedupOf(std::uint32_t gpus, double ranks) {
  return std::pow(gpus >= kLargeFabric ? kSpeedup : kSmallSpeedup, std::log2(ranks));
}

std::int64_t RunEstimate::most_memory() const {
  std::int64_t most = 0;
  for (const MemoryEstimate& rank : memory) most = std::max(most, rank.peak());
  return most;
}

RunEstimate EstimateRun(const Communicator& world, const EstimateSource& source) {
  RunEstimate estimate;
  TrafficCost cost;
  AgreeOnErrors(world, [&] { cost = CostOfTraffic(source); });
  estimate.has_flows = !source.backend->carries_collectives();
  estimate.flows = cost.flows;
  estimate.packet_hops = cost.packet_hops;
  estimate.events = cost.events;
  estimate.replays = source.backend->replays();
  estimate.result = EstimateResultSize(source.rows);
  const MemoryEstimate mine = EstimateMemory(world, source, cost);
  estimate.demand = DemandOnNode(world, mine.growth());
  estimate.memory = GatherRecords(world, std::vector<MemoryEstimate>{mine});
  if (!world.is_root()) estimate.memory = {mine};
  estimate.seconds = SecondsOf(cost, *source.input->graph, world.size(), estimate.demand.ranks_here,
                               source.rows.flows + source.rows.steps + source.rows.collectives);
  if (estimate.seconds > kLong && !source.input->jobs.empty())
    estimate.faster = source.backend->FasterWith();
  return estimate;
}

}  // namespace heddle
