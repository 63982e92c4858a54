// SPDX-License-Identifier: GPL-2.0-only
/// "block": consecutive servers to a rank, consecutive leaves and consecutive other switches, each
/// kind in equal shares; by measured weights servers and other switches together are.
///
/// Servers generate the load and switches forward it, so a rank gets its share of each. Leaves
/// follow the order of the servers below them in the generated fabrics, so that they are on the
/// same rank or near. With fewer servers than ranks, all domains are dealt out in one sequence
/// instead.
#include "partition/partitioner.h"

namespace heddle {

namespace {

/// By domain: whether a link joins it to a server.
std::vector<bool> FindLeaves(const PartitionTask& task) {
  std::vector<bool> is_leaf(task.domain_count());
  for (const Link& link : task.graph.links()) {
    const std::uint32_t a = task.domains.domain_of[link.a.value].value,
                        b = task.domains.domain_of[link.b.value].value;
    if (task.HasGpu(a) == task.HasGpu(b)) continue;
    is_leaf[task.HasGpu(a) ? b : a] = true;
  }
  return is_leaf;
}

}  // namespace

Assignment PartitionIntoBlocks(const PartitionTask& task) {
  const std::vector<bool> is_leaf = FindLeaves(task);
  std::vector<std::uint32_t> all, servers, leaves, others;
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    all.push_back(domain);
    (task.HasGpu(domain) ? servers : is_leaf[domain] ? leaves : others).push_back(domain);
  }
  Assignment assignment(task.domain_count());
  if (servers.size() < task.ranks) {
    AssignConsecutive(task, all, 0, task.ranks, &assignment);
  } else {
    AssignConsecutive(task, leaves, 0, task.ranks, &assignment);
    AssignConsecutive(task, others, 0, task.ranks, &assignment);
    if (task.measured) {
      // Servers and spines run in the same windows (docs/engine.md), and a spine is much: whoever
      // has one more has fewer servers.
      AssignConsecutiveBeside(task, servers, LoadsOf(task, others, assignment), &assignment);
    } else {
      AssignConsecutive(task, servers, 0, task.ranks, &assignment);
    }
  }
  return assignment;
}

}  // namespace heddle
