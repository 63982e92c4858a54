// SPDX-License-Identifier: GPL-2.0-only
/// "random": shuffles domains by the seed and assigns them to ranks in turn. It gives the most
/// links between ranks, and exists to show that results do not depend on the partition.
#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "partition/partitioner.h"

namespace heddle {

Assignment PartitionAtRandom(const PartitionTask& task) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    order.emplace_back(RandomStream(task.seed, domain, RandomPurpose::kPartition).Next(), domain);
  }
  std::sort(order.begin(), order.end());
  Assignment assignment(task.domain_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    assignment[order[i].second] = RankId(i % task.ranks);
  }
  return assignment;
}

}  // namespace heddle
