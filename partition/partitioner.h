// SPDX-License-Identifier: GPL-2.0-only
/// Input and shared code of partitioners; for partition/ only. The public function is
/// AssignDomains.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "partition/partition.h"

namespace heddle {

/// A fabric divided into domains, and the requirements of their distribution.
struct PartitionTask {
  const Graph& graph;
  const Domains& domains;
  std::uint32_t ranks;  ///< 1 <= ranks <= domains
  std::uint64_t seed;   ///< used by "random" only
  /// Weight by domain, at least 1: total rate of its ports [Mbps], or measured time [us].
  std::vector<std::int64_t> weight;
  /// Whether weights are measured times, so that different kinds of domains can be compared.
  bool measured = false;

  /// Returns the number of domains, those without servers included.
  std::uint32_t domain_count() const { return static_cast<std::uint32_t>(domains.nodes.size()); }
  /// Whether a domain contains a GPU and so is a server.
  bool HasGpu(std::uint32_t domain) const;
};

/// Returns, by domain, its neighbours and the total rate of links to each [Mbps].
std::vector<std::map<std::uint32_t, std::int64_t>> RatesToNeighbours(const PartitionTask& task);

/// Returns, by domain, 1 plus the rates of its ports, those between its nodes included [Mbps].
std::vector<std::int64_t> PortRates(const Graph& graph, const Domains& domains);

/// Returns the number of segments: sets of servers that share leaves. Requires servers without
/// grouping.
std::uint32_t SegmentsOf(const PartitionTask& task);

/// Cuts the domains into consecutive blocks. Each algorithm is in the file of its name and
/// deterministic. It may leave a rank without a domain (FillEmptyRanks follows).
Assignment PartitionIntoBlocks(const PartitionTask& task);
/// Keeps servers on one rank with their leaves.
Assignment PartitionByPod(const PartitionTask& task);
/// Cuts links of low rate, by METIS' recursive bisection.
Assignment PartitionWithMetis(const PartitionTask& task);
/// Shuffles the domains by the seed and deals them to the ranks in turn.
Assignment PartitionAtRandom(const PartitionTask& task);

/// Distributes items, in order, over `ranks` ranks from first_rank on, in consecutive runs of about
/// equal weight; every rank gets an item if there are enough.
void AssignConsecutive(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                       std::uint32_t first_rank, std::uint32_t ranks, Assignment* assignment);

/// Distributes items, in order, over the ranks so that the sums of their weights and the existing
/// `loads` are about equal.
void AssignConsecutiveBeside(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                             const std::vector<std::int64_t>& loads, Assignment* assignment);

/// Assigns each item, in order, to the rank with the least load, and adds it to `loads`.
void AssignToLightest(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                      std::vector<std::int64_t>* loads, Assignment* assignment);

/// Returns the total weight of the items on each rank.
std::vector<std::int64_t> LoadsOf(const PartitionTask& task,
                                  const std::vector<std::uint32_t>& items,
                                  const Assignment& assignment);

/// Redistributes domains with the same neighbours among the ranks that have them, so that
/// consecutive ones are on different ranks. Keeps the number of them on each rank, the load of
/// ranks to within an eighth, and the links between any two ranks.
void DealTwins(const PartitionTask& task, Assignment* assignment);

/// Moves one of the lightest domains of the rank with the most domains to each rank without one.
void FillEmptyRanks(const PartitionTask& task, Assignment* assignment);

}  // namespace heddle
