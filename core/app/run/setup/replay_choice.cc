// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/replay_choice.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr double kLeastShare = 0.5, kLeastOfLeaves = 0.1;
/// If so much repeats, more servers that can follow each other in a domain save more than small
/// domains do.
constexpr double kNearlyAll = 0.9;
/// Share of the packet-hops of what repeats that is not simulated, as measured
/// (docs/performance.md).
constexpr double kReplayed = 0.97;

/// Where all groups of a type lie.
enum class Place : std::uint8_t {
  kApart,
  kServer,  ///< each in one server with NVSwitches
  kLeaf,    ///< each under one leaf
  kRails    ///< each under several, and GPUs of equal place in their servers under the same one
};

bool HasNvSwitch(const Graph& graph, NodeId gpu) {
  const auto& ports = graph.ports(gpu);
  return std::any_of(ports.begin(), ports.end(), [&](const auto& port) {
    return graph.kind(port.peer) == NodeKind::kNvSwitch;
  });
}

/// The only switch that a GPU has a link to; invalid if it has none, or several.
NodeId LeafOf(const Graph& graph, NodeId gpu) {
  NodeId leaf;
  for (const auto& port : graph.ports(gpu)) {
    if (graph.kind(port.peer) != NodeKind::kSwitch) continue;
    if (leaf.valid()) return {};
    leaf = port.peer;
  }
  return leaf;
}

/// `gpus`: of one group.
Place PlaceOf(const Graph& graph, const std::vector<NodeId>& gpus) {
  std::vector<NodeId> leaves(graph.gpus_per_server());  // by place in the server
  std::uint32_t in_server = 0;
  bool along_rails = true;
  for (NodeId gpu : gpus) {
    if (graph.SameServer(gpu, gpus[0])) ++in_server;
    NodeId* leaf = &leaves[graph.PlaceInServer(gpu)];
    const NodeId found = LeafOf(graph, gpu);
    along_rails = along_rails && found.valid() && (!leaf->valid() || *leaf == found);
    *leaf = found;
  }
  const bool nvlinks = HasNvSwitch(graph, gpus[0]);
  if (in_server == gpus.size() && nvlinks) return Place::kServer;
  // Rings through all GPUs of each server load NVLinks and NICs alike, and hardly ever repeat.
  if (!along_rails || (nvlinks && in_server == graph.gpus_per_server())) return Place::kApart;
  const auto is_used = [](NodeId leaf) { return leaf.valid(); };
  const NodeId first = *std::find_if(leaves.begin(), leaves.end(), is_used);
  const bool one = std::all_of(leaves.begin(), leaves.end(),
                               [&](NodeId leaf) { return !leaf.valid() || leaf == first; });
  return one ? Place::kLeaf : Place::kRails;
}

Place PlaceOf(const Graph& graph, const Job& job, GroupType type) {
  Place all = Place::kApart;
  for (std::uint32_t group = 0; group < job.groups.count(type); ++group) {
    std::vector<NodeId> gpus;
    for (std::uint32_t rank : job.groups.Members(type, group)) gpus.push_back(job.gpus[rank]);
    const Place place = PlaceOf(graph, gpus);
    if (place == Place::kApart || (group > 0 && place != all)) return Place::kApart;
    all = place;
  }
  return all;
}

bool IsOfRings(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kAllGather ||
         operation == Operation::kReduceScatter;
}

/// Whether NVSwitches may take part, whose messages are not replayed.
bool MayAddInSwitches(const Graph& graph, Operation operation, const CollectiveOptions& options) {
  if (!options.nvls || !HasNvls(graph.gpu_type())) return false;
  return operation == Operation::kAllReduce || !options.as_nccl();
}

}  // namespace

IslandShares FindIslandShares(const Graph& graph, const std::vector<Job>& jobs,
                              const CollectiveOptions& options) {
  double all = 0;
  IslandShares bytes;
  for (const Job& job : jobs) {
    std::optional<Place> places[kGroupTypes];
    for (const ProgramOp& op : job.program.ops) {
      const std::uint32_t size = job.groups.size(op.spec.group);
      if (size < 2) continue;
      std::optional<Place>& place = places[static_cast<std::size_t>(op.spec.group)];
      if (!place) place = PlaceOf(graph, job, op.spec.group);
      const double sent = static_cast<double>(op.spec.bytes) * BusFactor(op.spec.operation, size) *
                          job.program.passes * job.groups.ranks();
      all += sent;
      if (*place == Place::kServer && !MayAddInSwitches(graph, op.spec.operation, options))
        bytes.servers += sent;
      if (*place == Place::kLeaf || (*place == Place::kRails && IsOfRings(op.spec.operation)))
        bytes.leaves += sent;
    }
  }
  if (all <= 0) return {};
  return {bytes.servers / all, bytes.leaves / all};
}

bool IsWorthReplaying(const IslandShares& shares, bool leaves) {
  return shares.servers + (leaves ? shares.leaves : 0) >= kLeastShare;
}

std::uint32_t PlanSegmentDomains(const IslandShares& shares, std::uint32_t ranks,
                                 std::uint32_t segments) {
  if (shares.leaves < kLeastOfLeaves && shares.servers + shares.leaves < kNearlyAll) return 0;
  const std::uint32_t domains = std::min(ranks, std::max(1U, segments));
  const auto time = [](double repeats, std::uint32_t processes) {
    return (1 - kReplayed * repeats) / processes;
  };
  const bool pays = time(shares.servers + shares.leaves, domains) < time(shares.servers, ranks);
  return domains == ranks || pays ? domains : 0;
}

}  // namespace heddle
