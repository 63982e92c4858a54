// SPDX-License-Identifier: GPL-2.0-only
/// Domains with the same neighbours: which of them is on which rank changes nothing of the cut, so
/// it may serve the balance of every single window.
///
/// What servers do moves along them as a wave (a step of a ring, a pipeline's stage): neighbours
/// are busy at the same time, 0.9 of the variance of a server's work in a window of 500 ns is its
/// neighbour's (ring AllReduce, AlibabaHPN, 15,360 GPUs). Ranks with runs of them are busy and idle
/// in turn. Measured in docs/performance.md#many-ranks.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/random.h"
#include "partition/partitioner.h"

namespace heddle {
namespace {

/// What twins have in common: weight to within an eighth, and the rate to each neighbour [Mbps],
/// ascending by neighbour.
struct Likeness {
  std::int64_t weight;
  std::vector<std::pair<std::uint32_t, std::int64_t>> rates;
  bool operator<(const Likeness& other) const {
    return std::tie(weight, rates) < std::tie(other.weight, other.rates);
  }
};

/// The three leading binary digits.
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

/// Each rank's k-th of n places is somewhere in the k-th of n equal stretches: even, as dealing
/// cards in turn is, but without a period that a workload could have as well.
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
