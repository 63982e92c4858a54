// SPDX-License-Identifier: GPL-2.0-only
/// "block": each rank gets consecutive servers, consecutive leaves and consecutive other switches,
/// equal shares of each kind; with measured weights, equal shares of servers and other switches
/// together.
///
/// Servers generate the load and switches forward it, so each rank gets a share of both. In
/// generated fabrics, leaves follow the order of the servers below them, so that they are on the
/// same rank or a near one. With fewer servers than ranks, all domains are distributed in one
/// sequence instead.
#include "partition/partitioner.h"

namespace heddle {

namespace {

/// Returns by domain whether it has a link to a server.
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
      // Servers and spines run in the same windows (docs/engine.md), and a spine is heavy: a rank
      // with an extra spine gets fewer servers.
      AssignConsecutiveBeside(task, servers, LoadsOf(task, others, assignment), &assignment);
    } else {
      AssignConsecutive(task, servers, 0, task.ranks, &assignment);
    }
  }
  return assignment;
}

}  // namespace heddle
