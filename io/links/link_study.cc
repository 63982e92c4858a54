// SPDX-License-Identifier: GPL-2.0-only
#include "io/links/link_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "io/collisions/recorded_flows.h"
#include "io/links/link_times.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

constexpr const char* kNvLink = "NVLink";

/// The ports of the wished tier.
std::vector<PortTotals> PortsOf(const ReportSource& source, const std::string& file,
                                const std::string& wished) {
  const std::vector<std::string>& names = source.tiers().names();
  if (!wished.empty() && std::find(names.begin(), names.end(), wished) == names.end()) {
    std::string known;
    for (std::uint32_t tier = 0; tier < names.size(); ++tier) {
      if (source.tiers().links(tier) > 0) known += (known.empty() ? "" : ", ") + names[tier];
    }
    FailInput({file, 0}, "no tier '" + Printable(wished) + "'", "one of " + known);
  }
  std::vector<PortTotals> all = ReadPortTotals(source), some;
  const auto tier = [&](const PortTotals& port) { return names[source.tiers().Of(port.port)]; };
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const PortTotals& port) {
    return port.sent_bytes > 0 && (wished.empty() ? tier(port) != kNvLink : tier(port) == wished);
  });
  if (some.empty() && wished.empty()) some = std::move(all);
  return some;
}

StudiedLink Describe(const ReportSource& source, const PortTotals& port, const LinkTimes* times) {
  StudiedLink link;
  link.totals = port;
  link.tier = source.tiers().names()[source.tiers().Of(port.port)];
  link.rate_bps = source.RateOf(port.port);
  link.over_run = UtilisationOf(source, port);
  if (times == nullptr) return link;
  const LinkTimes::Use& use = (*times)[port.port];
  link.busy_ps = use.busy_ps;
  link.flows = use.flows;
  link.at_once = use.at_once;
  if (use.busy_ps > 0) {
    link.while_busy = std::min(1.0, link.over_run * static_cast<double>(source.end_ps()) /
                                        static_cast<double>(use.busy_ps));
  }
  return link;
}

/// Whether `a` comes before `b`. What held flows up for long was full for long: a link that was
/// full for a moment comes after one that was nearly full all the time. Links that are alike stand
/// one after the other.
bool IsBusier(const StudiedLink& a, const StudiedLink& b) {
  const auto key = [](const StudiedLink& link) {
    const double full = link.busy_ps > 0 ? link.over_run * link.while_busy : 0;
    return std::tuple(-full, -link.over_run, -link.at_once, std::string_view(link.tier),
                      link.totals.sent_bytes, link.totals.port);
  };
  return key(a) < key(b);
}

bool AreAlike(const StudiedLink& a, const StudiedLink& b) {
  return a.tier == b.tier && a.totals.sent_bytes == b.totals.sent_bytes && a.busy_ps == b.busy_ps &&
         a.at_once == b.at_once;
}

void AddNamesAndUsers(const ReportSource& source, bool with_users,
                      std::vector<StudiedLink>* links) {
  const NodeNames& names = source.names();
  std::vector<HopIndex> ports;
  for (StudiedLink& link : *links) {
    const Hop at = source.numbers().At(link.totals.port);
    link.name = names.Link(at.node, at.port);
    ports.push_back(link.totals.port);
  }
  if (!with_users) return;
  const std::vector<LinkUse> uses =
      FindLinkUsers(source, ports, LinkWish::kUsers, std::numeric_limits<std::uint64_t>::max());
  for (std::size_t i = 0; i < uses.size(); ++i) (*links)[i].use = uses[i];
}

}  // namespace

std::vector<StudiedLink> BusiestOf(std::vector<StudiedLink> links, std::size_t most,
                                   bool by_flows) {
  std::sort(links.begin(), links.end(), [&](const StudiedLink& a, const StudiedLink& b) {
    return by_flows && a.flows != b.flows ? a.flows > b.flows : IsBusier(a, b);
  });
  std::vector<StudiedLink> groups;
  for (StudiedLink& link : links) {
    if (!groups.empty() && AreAlike(groups.back(), link)) {
      ++groups.back().alike;
    } else if (groups.size() < most) {
      groups.push_back(std::move(link));
    } else {
      break;
    }
  }
  return groups;
}

LinkStudy StudyLinks(const std::string& file, const LinkWish& wish) {
  const ReportSource source(file);
  LinkStudy study;
  study.end_ps = source.end_ps();
  study.unknown = WhyNoPaths(source);
  if (wish.at && !study.unknown.empty())
    FailInput({file, 0}, "--at asks for flows: " + study.unknown, "a result with all flows");
  if (wish.at && wish.at->ps > study.end_ps) {
    FailInput({file, 0}, "--at " + ToText(*wish.at) + " is after the end",
              "a time up to " + ToText(Time{study.end_ps}));
  }
  const std::vector<PortTotals> ports = PortsOf(source, file, wish.tier);
  std::optional<LinkTimes> times;
  if (study.unknown.empty()) times.emplace(source, wish.at);
  for (const PortTotals& port : ports) {
    StudiedLink link = Describe(source, port, times ? &*times : nullptr);
    if (!wish.at || link.flows > 0) study.shown.push_back(std::move(link));
  }
  study.links = study.shown.size();
  study.shown = BusiestOf(std::move(study.shown), wish.top, wish.at.has_value());
  AddNamesAndUsers(source, study.unknown.empty() && !wish.at, &study.shown);
  if (wish.at) {
    const NodeNames& names = source.names();
    for (StudiedLink& link : study.shown)
      link.use.users = times->UsersOf(link.totals.port, names, LinkWish::kUsers);
  }
  return study;
}

}  // namespace heddle
