// SPDX-License-Identifier: GPL-2.0-only
/// "pod": servers stay on one rank with their leaves, so that only leaf-spine links join ranks.
///
/// A segment is a set of servers and of the switches linked to their GPUs, directly or through each
/// other. With fewer ranks than segments, a rank gets consecutive segments; with more, a segment
/// gets a number of ranks by its weight and is distributed over them as by "block". Spines are
/// spread over all ranks; with measured weights they go to the ranks with the lightest servers, as
/// both run in the same windows.
#include <algorithm>
#include <numeric>

#include "partition/partitioner.h"

namespace heddle {
namespace {

struct Segment {
  std::vector<std::uint32_t> servers, leaves;
  std::int64_t weight = 0;
};

struct Pods {
  std::vector<Segment> segments;
  std::vector<std::uint32_t> spines;
};

/// Joins domains with a link that ends at a GPU; `root[d]` is the lowest domain of d's segment.
class SegmentFinder {
 public:
  explicit SegmentFinder(const PartitionTask& task) : root_(task.domain_count()) {
    std::iota(root_.begin(), root_.end(), 0u);
    for (const Link& link : task.graph.links()) {
      if (task.graph.is_gpu(link.a) || task.graph.is_gpu(link.b)) {
        Join(task.domains.domain_of[link.a.value].value,
             task.domains.domain_of[link.b.value].value);
      }
    }
  }
  std::uint32_t Root(std::uint32_t domain) {
    while (root_[domain] != domain) {
      domain = root_[domain] = root_[root_[domain]];
    }
    return domain;
  }

 private:
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Root(a);
    b = Root(b);
    root_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> root_;
};

Pods FindPods(const PartitionTask& task) {
  SegmentFinder finder(task);
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> index(task.domain_count(), kNone);
  Pods pods;
  // Servers come before switches, so a leaf's segment is known when the loop reaches the leaf.
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    std::uint32_t& segment = index[finder.Root(domain)];
    if (segment == kNone && !task.HasGpu(domain)) {
      pods.spines.push_back(domain);
      continue;
    }
    if (segment == kNone) {
      segment = static_cast<std::uint32_t>(pods.segments.size());
      pods.segments.emplace_back();
    }
    Segment& pod = pods.segments[segment];
    (task.HasGpu(domain) ? pod.servers : pod.leaves).push_back(domain);
    pod.weight += task.weight[domain];
  }
  return pods;
}

/// Number of ranks for each segment, in proportion to its weight, at least one (largest remainder).
std::vector<std::uint32_t> ShareRanks(const std::vector<Segment>& segments, std::uint32_t ranks) {
  std::vector<std::uint32_t> share(segments.size(), 1);
  for (std::uint32_t given = static_cast<std::uint32_t>(segments.size()); given < ranks; ++given) {
    std::size_t neediest = 0;
    for (std::size_t i = 1; i < segments.size(); ++i) {
      if (segments[i].weight * share[neediest] > segments[neediest].weight * share[i]) {
        neediest = i;
      }
    }
    ++share[neediest];
  }
  return share;
}

void AssignWholeSegments(const PartitionTask& task, const Pods& pods, Assignment* assignment) {
  std::int64_t total = 0, sum = 0;
  for (const Segment& segment : pods.segments) {
    total += segment.weight;
  }
  const auto count = static_cast<std::uint32_t>(pods.segments.size());
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Segment& segment = pods.segments[i];
    const double middle = static_cast<double>(sum) + static_cast<double>(segment.weight) / 2;
    const auto wanted =
        static_cast<std::uint32_t>(middle / static_cast<double>(total) * task.ranks);
    if (i > 0 && rank + 1 < task.ranks && (wanted > rank || count - i < task.ranks - rank)) {
      ++rank;
    }
    for (const auto* part : {&segment.servers, &segment.leaves}) {
      for (const std::uint32_t domain : *part) {
        (*assignment)[domain] = RankId(rank);
      }
    }
    sum += segment.weight;
  }
}

}  // namespace

std::uint32_t SegmentsOf(const PartitionTask& task) {
  return static_cast<std::uint32_t>(FindPods(task).segments.size());
}

Assignment PartitionByPod(const PartitionTask& task) {
  const Pods pods = FindPods(task);
  Assignment assignment(task.domain_count(), RankId(0));
  if (pods.segments.size() >= task.ranks) {
    AssignWholeSegments(task, pods, &assignment);
  } else if (!pods.segments.empty()) {
    const auto share = ShareRanks(pods.segments, task.ranks);
    std::uint32_t first_rank = 0;
    for (std::size_t i = 0; i < pods.segments.size(); ++i) {
      AssignConsecutive(task, pods.segments[i].servers, first_rank, share[i], &assignment);
      AssignConsecutive(task, pods.segments[i].leaves, first_rank, share[i], &assignment);
      first_rank += share[i];
    }
  }
  if (task.measured) {
    std::vector<std::uint32_t> servers;
    for (const Segment& segment : pods.segments)
      servers.insert(servers.end(), segment.servers.begin(), segment.servers.end());
    std::vector<std::int64_t> loads = LoadsOf(task, servers, assignment);
    AssignToLightest(task, pods.spines, &loads, &assignment);
  } else {
    AssignConsecutive(task, pods.spines, 0, task.ranks, &assignment);
  }
  return assignment;
}

}  // namespace heddle
