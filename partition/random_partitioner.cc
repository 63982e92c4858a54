// SPDX-License-Identifier: GPL-2.0-only
/// "random": domains shuffled by the seed and dealt out in turn. The worst case for the cut; it
/// exists to show that results do not depend on the partition.
#include <algorithm>
#include <numeric>

#include "partition/partitioner.h"

namespace heddle {
namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers with every compiler and library.
std::uint64_t Scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Assignment PartitionAtRandom(const PartitionTask& task) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    order.emplace_back(Scramble(Scramble(task.seed) ^ domain), domain);
  }
  std::sort(order.begin(), order.end());
  Assignment assignment(task.domain_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    assignment[order[i].second] = RankId(i % task.ranks);
  }
  return assignment;
}

}  // namespace heddle
