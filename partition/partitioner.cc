// SPDX-License-Identifier: GPL-2.0-only
#include "partition/partitioner.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

struct Entry {
  const char* name;
  Assignment (*partition)(const PartitionTask&);
  bool deal_twins = true;
};
constexpr Entry kPartitioners[] = {{"block", PartitionIntoBlocks},
                                   {"pod", PartitionByPod},
                                   {"metis", PartitionWithMetis},
                                   {"random", PartitionAtRandom, false}};

const Entry& FindPartitioner(const std::string& name) {
  for (const Entry& entry : kPartitioners) {
    if (name == entry.name) {
      return entry;
    }
  }
  throw UserError(fmt::format("unknown partitioner \"{}\". Expected: {}{}", Printable(name),
                              fmt::join(PartitionerNames(), ", "),
                              NearestIs(name, PartitionerNames())));
}

}  // namespace

std::vector<std::int64_t> PortRates(const Graph& graph, const Domains& domains) {
  constexpr std::int64_t kMegabit = 1'000'000;
  std::vector<std::int64_t> weight(domains.nodes.size(), 1);
  for (const Link& link : graph.links()) {
    for (const NodeId end : {link.a, link.b}) {
      weight[domains.domain_of[end.value].value] += link.rate.bps / kMegabit;
    }
  }
  return weight;
}

const std::vector<std::string>& PartitionerNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Entry& entry : kPartitioners) {
      names.emplace_back(entry.name);
    }
    return names;
  }();
  return kNames;
}

void CheckPartitioner(const std::string& name) {
  const std::vector<std::string>& known = PartitionerNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError("--partition: unknown partitioner '" + Printable(name) + "'." +
                   DidYouMean(name, known) + " Expected: block, pod, metis or random");
}

Assignment AssignDomains(const Graph& graph, const Domains& domains, std::uint32_t ranks,
                         const std::string& partitioner, std::uint64_t seed,
                         const std::vector<std::int64_t>& weights) {
  const Entry& entry = FindPartitioner(partitioner);
  const std::size_t count = domains.nodes.size();
  if (ranks == 0 || ranks > count) {
    throw UserError(
        fmt::format("{} ranks for {} domains. Expected: 1 to {} ranks (or a smaller grain)", ranks,
                    count, count));
  }
  if (ranks == 1) {
    return Assignment(count, RankId(0));
  }
  HEDDLE_EXPECT(weights.empty() || weights.size() == count);
  const PartitionTask task{
      graph,           domains, ranks, seed, weights.empty() ? PortRates(graph, domains) : weights,
      !weights.empty()};
  Assignment assignment = entry.partition(task);
  FillEmptyRanks(task, &assignment);
  if (entry.deal_twins) DealTwins(task, &assignment);
  return assignment;
}

bool PartitionTask::HasGpu(std::uint32_t domain) const {
  // A domain's nodes ascend, and GPUs have the lowest ids.
  return graph.is_gpu(domains.nodes[domain].front());
}

std::vector<std::map<std::uint32_t, std::int64_t>> RatesToNeighbours(const PartitionTask& task) {
  std::vector<std::map<std::uint32_t, std::int64_t>> rates(task.domain_count());
  for (const Link& link : task.graph.links()) {
    const std::uint32_t a = task.domains.domain_of[link.a.value].value,
                        b = task.domains.domain_of[link.b.value].value;
    if (a == b) continue;
    rates[a][b] += link.rate.bps / 1'000'000;
    rates[b][a] += link.rate.bps / 1'000'000;
  }
  return rates;
}

void AssignConsecutive(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                       std::uint32_t first_rank, std::uint32_t ranks, Assignment* assignment) {
  std::int64_t total = 0;
  for (const std::uint32_t item : items) {
    total += task.weight[item];
  }
  const std::size_t n = items.size();
  std::int64_t sum = 0;
  std::uint32_t piece = 0;
  std::size_t in_piece = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t weight = task.weight[items[i]];
    // Placed by its middle, so that an item goes where most of its weight belongs.
    const auto wanted = static_cast<std::uint32_t>(
        std::min<double>(ranks - 1, (static_cast<double>(sum) + static_cast<double>(weight) / 2) /
                                        static_cast<double>(total) * ranks));
    const std::size_t left = n - i;
    const bool must_advance = in_piece > 0 && left < ranks - piece;
    if (piece + 1 < ranks && in_piece > 0 && (wanted > piece || must_advance)) {
      // With at least one item a rank, no share is skipped, so that none stays empty.
      piece = n >= ranks ? piece + 1 : std::max(piece + 1, wanted);
      in_piece = 0;
    } else if (n < ranks && in_piece == 0) {
      piece = std::max(piece, wanted);
    }
    (*assignment)[items[i]] = RankId(first_rank + piece);
    ++in_piece;
    sum += weight;
  }
}

std::vector<std::int64_t> LoadsOf(const PartitionTask& task,
                                  const std::vector<std::uint32_t>& items,
                                  const Assignment& assignment) {
  std::vector<std::int64_t> loads(task.ranks, 0);
  for (const std::uint32_t item : items) loads[assignment[item].value] += task.weight[item];
  return loads;
}

void AssignConsecutiveBeside(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                             const std::vector<std::int64_t>& loads, Assignment* assignment) {
  std::int64_t total = 0;
  for (const std::uint32_t item : items) total += task.weight[item];
  const double even =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), total)) / task.ranks;
  std::vector<double> room;
  for (const std::int64_t load : loads)
    room.push_back(std::max(0.0, even - static_cast<double>(load)));
  const double scale = static_cast<double>(total) / std::accumulate(room.begin(), room.end(), 0.0);
  std::uint32_t rank = 0;
  double end = room[0] * scale, sum = 0;
  for (const std::uint32_t item : items) {
    const double weight = static_cast<double>(task.weight[item]);
    // Placed by its middle, so that an item goes where most of its weight belongs.
    while (rank + 1 < task.ranks && sum + weight / 2 > end) end += room[++rank] * scale;
    (*assignment)[item] = RankId(rank);
    sum += weight;
  }
}

void AssignToLightest(const PartitionTask& task, const std::vector<std::uint32_t>& items,
                      std::vector<std::int64_t>* loads, Assignment* assignment) {
  for (const std::uint32_t item : items) {
    const auto lightest = std::min_element(loads->begin(), loads->end());
    *lightest += task.weight[item];
    (*assignment)[item] = RankId(static_cast<std::uint32_t>(lightest - loads->begin()));
  }
}

void FillEmptyRanks(const PartitionTask& task, Assignment* assignment) {
  std::vector<std::vector<std::uint32_t>> owned(task.ranks);
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    owned[(*assignment)[domain].value].push_back(domain);
  }
  for (std::uint32_t rank = 0; rank < task.ranks; ++rank) {
    if (!owned[rank].empty()) {
      continue;
    }
    auto& richest = *std::max_element(owned.begin(), owned.end(), [](const auto& a, const auto& b) {
      return a.size() < b.size();
    });
    const auto lightest = std::min_element(
        richest.begin(), richest.end(),
        [&](std::uint32_t a, std::uint32_t b) { return task.weight[a] < task.weight[b]; });
    (*assignment)[*lightest] = RankId(rank);
    owned[rank].push_back(*lightest);
    richest.erase(lightest);
  }
}

}  // namespace heddle
