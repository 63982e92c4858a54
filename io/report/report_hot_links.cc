// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

bool IsNvLink(const ReportSource& source, const PortTotals& port) {
  return source.tiers().names()[source.tiers().Of(port.port)] == "NVLink";
}

/// Share of the time for which a flow was on the link during which it sent, 0 to 1; of the run, if
/// that is not known.
double WhileBusy(const ReportSource& source, const TracedLinks& traced, const PortTotals& port) {
  const double over_run = UtilisationOf(source, port);
  if (!traced.times) return over_run;
  const std::int64_t busy_ps = (*traced.times)[port.port].busy_ps;
  if (busy_ps <= 0) return 0;  // acknowledgements only
  return std::min(1.0,
                  over_run * static_cast<double>(source.end_ps()) / static_cast<double>(busy_ps));
}

/// One port for all that are alike in all that is shown of them, and how many these are. Each tier
/// of a collective over all servers is full of such.
std::vector<PortTotals> WithoutAlike(const ReportSource& source, const TracedLinks& traced,
                                     const std::vector<PortTotals>& ports,
                                     std::vector<std::uint32_t>* alike) {
  using Look = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                          std::int64_t, std::int64_t>;
  std::map<Look, std::size_t> known;
  std::vector<PortTotals> kept;
  for (const PortTotals& port : ports) {
    const LinkTimes::Use use = traced.times ? (*traced.times)[port.port] : LinkTimes::Use();
    const Look look(source.tiers().Of(port.port), port.sent_bytes, port.max_queued_bytes,
                    port.ecn_marked, port.paused_ps, use.busy_ps, use.at_once);
    const auto [at, is_new] = known.try_emplace(look, kept.size());
    if (is_new) {
      kept.push_back(port);
      alike->push_back(0);
    }
    ++(*alike)[at->second];
  }
  return kept;
}

Json UsersOf(const LinkUse& use) {
  Json users = Json::array();
  for (const LinkUser& user : use.users)
    users.push_back({{"name", user.name}, {"flows", user.flows}, {"bytes", user.bytes}});
  return {{"flows", use.flows}, {"bytes", use.bytes}, {"all", use.users_in_all}, {"users", users}};
}

}  // namespace

Json ReportHotLinks(const ReportSource& source, const TracedLinks& traced,
                    const ReportLimits& limits) {
  constexpr std::size_t kBusiest = 10, kFullest = 6, kNvLinks = 2, kQueued = 6, kPaused = 6,
                        kUsers = 3;
  const std::vector<PortTotals> all_ports = ReadPortTotals(source);
  if (all_ports.empty()) return nullptr;
  std::vector<std::uint32_t> alike;
  const std::vector<PortTotals> ports = WithoutAlike(source, traced, all_ports, &alike);
  std::set<std::size_t> chosen;
  // NVLinks that a server's own rings fill would hide the network.
  const bool network = std::any_of(ports.begin(), ports.end(), [&](const PortTotals& port) {
    return !IsNvLink(source, port) && port.sent_bytes > 0;
  });
  const auto busy = [&](const PortTotals& port) {
    return network && IsNvLink(source, port) ? 0 : WhileBusy(source, traced, port);
  };
  const auto over_run = [&](bool nvlinks) {
    return [&source, nvlinks](const PortTotals& port) {
      return IsNvLink(source, port) == nvlinks ? UtilisationOf(source, port) : 0;
    };
  };
  TakeMost(ports, kFullest, busy, &chosen);
  TakeMost(ports, kBusiest, over_run(false), &chosen);
  TakeMost(ports, network ? kNvLinks : kBusiest, over_run(true), &chosen);
  TakeMost(
      ports, kQueued,
      [](const PortTotals& port) { return static_cast<double>(port.max_queued_bytes); }, &chosen);
  TakeMost(
      ports, kPaused, [](const PortTotals& port) { return static_cast<double>(port.paused_ps); },
      &chosen);
  std::vector<std::size_t> hot(chosen.begin(), chosen.end());
  std::stable_sort(hot.begin(), hot.end(),
                   [&](std::size_t a, std::size_t b) { return busy(ports[a]) > busy(ports[b]); });
  std::vector<HopIndex> links;
  for (const std::size_t i : hot) links.push_back(ports[i].port);
  // What only some of the flows use would be counted too low, so it is not counted at all.
  const bool all = source.HasRows("flows") && source.reader().CountRows("flows") <= limits.traced;
  const std::vector<LinkUse> uses =
      all ? FindLinkUsers(source, links, kUsers, limits.traced) : std::vector<LinkUse>();
  Json rows = Json::array();
  for (std::size_t i = 0; i < hot.size(); ++i) {
    const PortTotals& port = ports[hot[i]];
    const Hop at = source.numbers().At(port.port);
    rows.push_back(
        {{"from", source.NodeName(at.node.value)},
         {"to", source.PeerName(port.port)},
         {"port", at.port.value},
         {"tier", source.tiers().names()[source.tiers().Of(port.port)]},
         {"rate", source.RateOf(port.port)},
         {"alike", alike[hot[i]]},
         {"bytes", port.sent_bytes},
         {"utilisation", Rounded(UtilisationOf(source, port))},
         {"while_busy", traced.times ? Json(Rounded(WhileBusy(source, traced, port))) : Json()},
         {"at_once", traced.times ? Json((*traced.times)[port.port].at_once) : Json()},
         {"queue", port.max_queued_bytes},
         {"marks", port.ecn_marked},
         {"pauses", port.pauses},
         {"paused_ps", port.paused_ps},
         {"use", i < uses.size() ? UsersOf(uses[i]) : Json()}});
  }
  return {{"links", rows},
          {"ports", all_ports.size()},
          {"untraced", all ? Json() : Json(limits.traced)}};
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
