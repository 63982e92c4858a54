// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <set>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"
#include "io/collisions/link_users.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Adds the `most` ports with the largest `value` that is not 0.
template <class Value>
void TakeMost(const std::vector<PortTotals>& ports, std::size_t most, Value value,
              std::set<std::size_t>* chosen) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (value(ports[i]) > 0) order.push_back(i);
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return value(ports[a]) != value(ports[b]) ? value(ports[a]) > value(ports[b]) : a < b;
  });
  chosen->insert(order.begin(), end);
}

Json UsersOf(const LinkUse& use) {
  Json users = Json::array();
  for (const LinkUser& user : use.users)
    users.push_back({{"name", user.name}, {"flows", user.flows}, {"bytes", user.bytes}});
  return {{"flows", use.flows}, {"bytes", use.bytes}, {"all", use.users_in_all}, {"users", users}};
}

}  // namespace

Json ReportHotLinks(const ReportSource& source, const ReportLimits& limits) {
  constexpr std::size_t kBusiest = 15, kQueued = 8, kPaused = 8, kUsers = 3;
  const std::vector<PortTotals> ports = ReadPortTotals(source);
  if (ports.empty()) return nullptr;
  std::set<std::size_t> chosen;
  TakeMost(
      ports, kBusiest, [&](const PortTotals& port) { return UtilisationOf(source, port); },
      &chosen);
  TakeMost(
      ports, kQueued,
      [](const PortTotals& port) { return static_cast<double>(port.max_queued_bytes); }, &chosen);
  TakeMost(
      ports, kPaused, [](const PortTotals& port) { return static_cast<double>(port.paused_ps); },
      &chosen);
  std::vector<PortTotals> hot;
  for (const std::size_t i : chosen) hot.push_back(ports[i]);
  std::stable_sort(hot.begin(), hot.end(), [&](const PortTotals& a, const PortTotals& b) {
    return UtilisationOf(source, a) > UtilisationOf(source, b);
  });
  std::vector<HopIndex> links;
  for (const PortTotals& port : hot) links.push_back(port.port);
  // What only some of the flows use would be counted too low, so it is not counted at all.
  const bool all = source.HasRows("flows") && source.reader().CountRows("flows") <= limits.traced;
  const std::vector<LinkUse> uses =
      all ? FindLinkUsers(source, links, kUsers, limits.traced) : std::vector<LinkUse>();
  Json rows = Json::array();
  for (std::size_t i = 0; i < hot.size(); ++i) {
    const PortTotals& port = hot[i];
    const Hop at = source.numbers().At(port.port);
    rows.push_back({{"from", source.NodeName(at.node.value)},
                    {"to", source.PeerName(port.port)},
                    {"port", at.port.value},
                    {"tier", source.tiers().names()[source.tiers().Of(port.port)]},
                    {"rate", source.RateOf(port.port)},
                    {"bytes", port.sent_bytes},
                    {"utilisation", Rounded(UtilisationOf(source, port))},
                    {"queue", port.max_queued_bytes},
                    {"marks", port.ecn_marked},
                    {"pauses", port.pauses},
                    {"paused_ps", port.paused_ps},
                    {"use", i < uses.size() ? UsersOf(uses[i]) : Json()}});
  }
  return {
      {"links", rows}, {"ports", ports.size()}, {"untraced", all ? Json() : Json(limits.traced)}};
}

Json ReportDrops(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("drops")) return nullptr;
  struct Drop {
    std::uint32_t node, port;
    std::string reason;
    std::int64_t packets;
  };
  std::vector<Drop> drops;
  ForEachBlock(source.reader(), "drops", {"node", "port", "reason", "packets"},
               [&](const Table& block) {
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& reason = GetColumn<std::string>(block, "reason");
                 const auto& packets = GetColumn<std::int64_t>(block, "packets");
                 for (std::size_t i = 0; i < node.size(); ++i)
                   drops.push_back({node[i], port[i], reason[i], packets[i]});
               });
  std::stable_sort(drops.begin(), drops.end(),
                   [](const Drop& a, const Drop& b) { return a.packets > b.packets; });
  Json rows = Json::array();
  for (std::size_t i = 0; i < drops.size() && i < std::min<std::size_t>(limits.table_rows, 50);
       ++i) {
    const HopIndex hop = source.HopOf("drops", drops[i].node, drops[i].port);
    rows.push_back({{"node", source.NodeName(drops[i].node)},
                    {"port", drops[i].port},
                    {"peer", source.PeerName(hop)},
                    {"reason", drops[i].reason},
                    {"packets", drops[i].packets}});
  }
  return {{"rows", rows}, {"all", drops.size()}};
}

}  // namespace heddle
