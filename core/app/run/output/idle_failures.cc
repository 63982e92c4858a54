// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/idle_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/options/quantity_text.h"
#include "io/failures/outages.h"

namespace heddle {
namespace {

/// By link: whether a packet was put on it at either end.
std::vector<bool> UsedLinks(const Graph& graph, const Table& ports) {
  std::vector<bool> used(graph.links().size(), false);
  const auto& node = GetColumn<std::uint32_t>(ports, "node");
  const auto& port = GetColumn<std::uint32_t>(ports, "port");
  const auto& packets = GetColumn<std::int64_t>(ports, "sent_packets");
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (packets[i] > 0) used[graph.ports(NodeId(node[i]))[port[i]].link.value] = true;
  }
  return used;
}

/// How long an outage lasted in a run that ended at `end`.
Time LengthOf(const Outage& outage, Time end) {
  std::int64_t ps = 0;
  for (const OutageSpell& spell : outage.spells)
    ps += (spell.until_ps < 0 ? end.ps : std::min(spell.until_ps, end.ps)) - spell.from_ps;
  return Time{ps};
}

}  // namespace

std::string IdleFailureLines(const Graph& graph, const std::vector<FailureEvent>& events,
                             const Table& ports, Time end) {
  constexpr std::size_t kMost = 3;
  if (events.empty() || ports.columns.empty()) return "";
  const std::vector<bool> used = UsedLinks(graph, ports);
  std::string text;
  std::size_t idle = 0;
  for (const Outage& outage : FindOutages(graph, events, end.ps).all) {
    if (std::any_of(outage.links.begin(), outage.links.end(),
                    [&](LinkId link) { return used[link.value]; }))
      continue;
    if (++idle > kMost) continue;
    text += fmt::format("{:<16} {} was {} for {} us; nothing was sent over it in this run\n",
                        idle == 1 ? "idle failures" : "", outage.name,
                        outage.is_down() ? "down" : "slow", MicrosecondText(LengthOf(outage, end)));
  }
  if (idle > kMost) text += fmt::format("{:<16} and {} more\n", "", idle - kMost);
  return text;
}

}  // namespace heddle
