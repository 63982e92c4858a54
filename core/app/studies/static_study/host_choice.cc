// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/host_choice.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

/// Draws servers until they have a host for each rank.
std::vector<std::uint32_t> DrawServers(const DrawnServers& of, RandomStream* random) {
  std::vector<std::uint32_t> order(of.servers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::size_t count = 0;
  for (std::size_t hosts = 0; hosts < of.ranks && count < order.size(); ++count) {
    DrawPlaces(count, order.size(), 1, &order, random);
    hosts += of.servers[order[count]].size();
  }
  order.resize(count);
  return order;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> EqualServers(std::uint32_t hosts, std::uint32_t size) {
  std::vector<std::vector<std::uint32_t>> servers;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    if (host % size == 0) servers.emplace_back();
    servers.back().push_back(host);
  }
  return servers;
}

std::vector<std::uint32_t> DrawnHosts::MappingOf(std::uint64_t run) const {
  RandomStream of_run(servers_.seed, run, RandomPurpose::kRankMapping);
  RandomStream of_all = SubsetStream(servers_.seed);
  std::vector<std::uint32_t> drawn =
      DrawServers(servers_, servers_.fixed_subset ? &of_all : &of_run);
  if (servers_.fixed_subset) DrawPlaces(0, drawn.size(), drawn.size(), &drawn, &of_run);
  std::vector<std::uint32_t> hosts;
  for (const std::uint32_t server : drawn) {
    const std::vector<std::uint32_t>& its = servers_.servers[server];
    hosts.insert(hosts.end(), its.begin(), its.end());
  }
  hosts.resize(servers_.ranks);
  return hosts;
}

RandomStream SubsetStream(std::uint64_t seed) {
  constexpr std::uint64_t kAllRuns = ~std::uint64_t{0};
  return RandomStream(seed, kAllRuns, RandomPurpose::kRankMapping);
}

void DrawPlaces(std::size_t begin, std::size_t end, std::size_t count,
                std::vector<std::uint32_t>* hosts, RandomStream* random) {
  for (std::size_t i = begin; i < begin + count && i + 1 < end; ++i)
    std::swap((*hosts)[i], (*hosts)[i + random->Below(end - i)]);
}

}  // namespace heddle
