// SPDX-License-Identifier: GPL-2.0-only
/// "block": consecutive servers to a rank, and consecutive switches, each kind in equal shares.
///
/// Servers generate the load and switches forward it, so a rank gets its share of both. With fewer
/// servers than ranks, all domains are dealt out in one sequence instead.
#include "partition/partitioner.h"

namespace heddle {

Assignment PartitionIntoBlocks(const PartitionTask& task) {
  std::vector<std::uint32_t> all, servers, switches;
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    all.push_back(domain);
    (task.HasGpu(domain) ? servers : switches).push_back(domain);
  }
  Assignment assignment(task.domain_count());
  if (servers.size() < task.ranks) {
    AssignConsecutive(task, all, 0, task.ranks, &assignment);
  } else {
    AssignConsecutive(task, servers, 0, task.ranks, &assignment);
    AssignConsecutive(task, switches, 0, task.ranks, &assignment);
  }
  return assignment;
}

}  // namespace heddle
