// SPDX-License-Identifier: GPL-2.0-only
/// Domains with equal neighbours ("twins" in graph theory) can be swapped between ranks without
/// changing the links between ranks. The swap improves the balance within single windows.
///
/// Work moves along the servers as a wave (a step of a ring, a pipeline's stage), so neighbours are
/// busy at the same time: in a window of 500 ns, 0.9 of the variance of a server's work is shared
/// with its neighbour (ring AllReduce, AlibabaHPN, 15,360 GPUs). Ranks with runs of neighbours are
/// busy and idle in turn. Measured in docs/performance.md#many-ranks.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/random.h"
#include "partition/partitioner.h"

namespace heddle {
namespace {

/// Equal for twins: weight to within an eighth, and the rate to each neighbour [Mbps], ascending by
/// neighbour.
struct Likeness {
  std::int64_t weight;
  std::vector<std::pair<std::uint32_t, std::int64_t>> rates;
  bool operator<(const Likeness& other) const {
    return std::tie(weight, rates) < std::tie(other.weight, other.rates);
  }
};

/// Rounds down to the three leading binary digits.
std::int64_t Rounded(std::int64_t weight) {
  std::int64_t unit = 1;
  while (weight / unit >= 8) unit *= 2;
  return weight / unit * unit;
}

std::vector<std::vector<std::uint32_t>> FindTwins(const PartitionTask& task) {
  const auto rates = RatesToNeighbours(task);
  std::map<Likeness, std::vector<std::uint32_t>> alike;
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain) {
    alike[{Rounded(task.weight[domain]), {rates[domain].begin(), rates[domain].end()}}].push_back(
        domain);
  }
  std::vector<std::vector<std::uint32_t>> twins;
  for (auto& [likeness, domains] : alike) {
    if (domains.size() > 1) twins.push_back(std::move(domains));
  }
  return twins;
}

/// Draws a rank's k-th of n places at random within the k-th of n equal intervals: even, as dealing
/// cards in turn is, but without a period that a workload could share.
void Deal(const std::vector<std::uint32_t>& twins, Assignment* assignment) {
  std::map<RankId, std::uint32_t> counts;
  for (const std::uint32_t domain : twins) ++counts[(*assignment)[domain]];
  RandomStream random(0, twins.front(), RandomPurpose::kPartition);
  std::vector<std::pair<double, RankId>> places;
  for (const auto& [rank, count] : counts) {
    for (std::uint32_t k = 0; k < count; ++k)
      places.emplace_back((k + random.Uniform()) / count, rank);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < twins.size(); ++i) (*assignment)[twins[i]] = places[i].second;
}

}  // namespace

void DealTwins(const PartitionTask& task, Assignment* assignment) {
  for (const auto& twins : FindTwins(task)) Deal(twins, assignment);
}

}  // namespace heddle
