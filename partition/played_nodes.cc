// SPDX-License-Identifier: GPL-2.0-only
#include "partition/played_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

void CheckRanks(std::size_t players, std::uint32_t ranks, std::uint32_t each) {
  const std::size_t needed = (players + each - 1) / each;
  if (ranks == needed) return;
  const std::uint64_t fitting = (players + ranks - 1) / ranks;
  const bool can_share = ranks < needed && (players + fitting - 1) / fitting == ranks;
  throw UserError(fmt::format(
      "--backend physical: {} GPU{} take{} part, and {} rank{} play{} {} each. Expected: mpirun -n "
      "{}{}",
      players, players == 1 ? "" : "s", players == 1 ? "s" : "", ranks, ranks == 1 ? "" : "s",
      ranks == 1 ? "s" : "", each, needed,
      can_share ? fmt::format(", or --gpus-per-rank {}", fitting) : ""));
}

}  // namespace

Domains PlayedNodes(const Graph& graph, const std::vector<NodeId>& players, std::uint32_t ranks,
                    std::uint32_t each) {
  CheckRanks(players.size(), ranks, each);
  Domains domains;
  domains.domain_of.assign(graph.node_count(), DomainId(0));
  for (std::size_t i = 0; i < players.size(); ++i)
    domains.domain_of[players[i].value] = DomainId(static_cast<std::uint32_t>(i / each));
  for (std::uint32_t id = graph.gpu_count(); id < graph.gpu_count() + graph.nvswitch_count();
       ++id) {
    NodeId first;  // none: above all
    for (const Attachment& port : graph.ports(NodeId(id))) {
      if (port.peer < first && std::binary_search(players.begin(), players.end(), port.peer))
        first = port.peer;
    }
    if (first.valid()) domains.domain_of[id] = domains.domain_of[first.value];
  }
  domains.nodes.resize(ranks);
  for (std::uint32_t id = 0; id < graph.node_count(); ++id)
    domains.nodes[domains.domain_of[id].value].emplace_back(id);
  domains.lookahead = Time::Max();
  return domains;
}

}  // namespace heddle
