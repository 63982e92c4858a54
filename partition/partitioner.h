// SPDX-License-Identifier: GPL-2.0-only
/// What partitioners are given and share; for partition/ only. The public call is AssignDomains.
#ifndef HEDDLE_PARTITION_PARTITIONER_H_
#define HEDDLE_PARTITION_PARTITIONER_H_

#include <cstdint>
#include <map>
#include <vector>

#include "partition/partition.h"

namespace heddle {

/// A fabric cut into domains, and what is asked of its distribution.
struct PartitionTask {
  const Graph& graph;
  const Domains& domains;
  std::uint32_t ranks;  ///< 1 <= ranks <= domains
  std::uint64_t seed;   ///< "random" only
  std::vector<std::int64_t>
      weight;  ///< by domain, at least 1: total rate of its ports [Mbps], or measured time [us]
  bool measured =
      false;  ///< the latter, so that kinds of domains can be weighed against each other

  std::uint32_t domain_count() const { return static_cast<std::uint32_t>(domains.nodes.size()); }
  /// Whether a domain holds a GPU, so is a server.
  bool HasGpu(std::uint32_t domain) const;
};

/// By domain: its neighbours, and the rate of all links to each [Mbps].
std::vector<std::map<std::uint32_t, std::int64_t>> RatesToNeighbours(const PartitionTask& task);

/// One function an algorithm, each in the file of its name; deterministic. A rank may be left
/// without a domain (FillEmptyRanks follows).
Assignment PartitionIntoBlocks(const PartitionTask& task);
Assignment PartitionByPod(const PartitionTask& task);
Assignment PartitionWithMetis(const PartitionTask& task);
Assignment PartitionAtRandom(const PartitionTask& task);

/// Gives items, in their order, to the ranks from first_rank on in consecutive pieces of about
/// equal weight; every one of `ranks` gets an item if there are enough.
void AssignConsecutive(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                       std::uint32_t first_rank, std::uint32_t ranks, Assignment* assignment);

/// Gives items, in their order, to the ranks so that each comes to an even share of these and of
/// what `loads` says it has.
void AssignConsecutiveBeside(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                             const std::vector<std::int64_t>& loads, Assignment* assignment);

/// Gives each item, in their order, to the rank that has least; adds it to `loads`.
void AssignToLightest(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                      std::vector<std::int64_t>* loads, Assignment* assignment);

/// What each rank has of the items.
std::vector<std::int64_t> LoadsOf(const PartitionTask& task,
                                  const std::vector<std::uint32_t>& items,
                                  const Assignment& assignment);

/// Deals out domains with the same neighbours anew among the ranks that have them, so that
/// consecutive ones are on different ranks. Keeps how many of them a rank has, the load of ranks to
/// within an eighth, and the links between any two ranks.
void DealTwins(const PartitionTask& task, Assignment* assignment);

/// Gives every rank without a domain one of the lightest of the rank that has most domains.
void FillEmptyRanks(const PartitionTask& task, Assignment* assignment);

}  // namespace heddle

#endif  // HEDDLE_PARTITION_PARTITIONER_H_
