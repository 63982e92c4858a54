// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/analyze/link_text.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "GPU 3 to GPU 9 (12 flows, 40 MiB), ..."
std::string UsersLine(const StudiedLink& link) {
  std::string text;
  for (const LinkUser& user : link.use.users) {
    text += fmt::format("{}{} ({} flow{}, {})", text.empty() ? "" : ", ", user.name, user.flows,
                        user.flows == 1 ? "" : "s", ToText(Bytes{user.bytes}));
  }
  const auto shown = static_cast<std::int64_t>(link.use.users.size());
  if (link.use.users_in_all > shown)
    text += fmt::format(", and {} more", link.use.users_in_all - shown);
  return text;
}

std::string LinkLine(const StudiedLink& link, bool known, bool at) {
  std::string text;
  if (known && !at) text += fmt::format("{:>10}", PercentText(link.while_busy));
  text += fmt::format("{:>10}", PercentText(link.over_run));
  if (known) text += fmt::format("{:>8}", at ? link.flows : link.at_once);
  text +=
      fmt::format("{:>12}{:>8}{:>8}  {} ({}, {}){}", ToText(Bytes{link.totals.max_queued_bytes}),
                  link.totals.ecn_marked, link.totals.pauses, link.name, link.tier,
                  ToText(BitRate{static_cast<std::int64_t>(link.rate_bps)}),
                  link.alike > 1 ? fmt::format(", and {} alike", link.alike - 1) : "");
  return text + "\n";
}

}  // namespace

std::string DescribeLinks(const LinkStudy& study, const LinkWish& wish) {
  const bool known = study.unknown.empty(), at = wish.at.has_value();
  std::string text =
      at ? fmt::format("{} links with flows under way at {}\n", study.links, ToText(*wish.at))
         : fmt::format("{} links that sent, in {}\n", study.links, ToText(Time{study.end_ps}));
  if (known && !at) text += fmt::format("{:>10}", "while busy");
  text += fmt::format("{:>10}", "over run");
  if (known) text += fmt::format("{:>8}", at ? "flows" : "at once");
  text += fmt::format("{:>12}{:>8}{:>8}  link\n", "queue", "marks", "pauses");
  for (const StudiedLink& link : study.shown) {
    text += LinkLine(link, known, at);
    if (const std::string users = UsersLine(link); !users.empty())
      text += fmt::format("{:>12}{}\n", "", users);
  }
  if (!known) text += "note: busy times and users are not known: " + study.unknown + "\n";
  return text;
}

std::string LinkLines(const LinkStudy& study) {
  std::string text =
      "link,tier,rate_bps,alike,sent_bytes,while_busy,over_run,busy_ps,flows,at_once,"
      "max_queued_bytes,ecn_marked,pauses,paused_ps\n";
  for (const StudiedLink& link : study.shown) {
    text += fmt::format("{},{},{:.0f},{},{},{:.6f},{:.6f},{},{},{},{},{},{},{}\n",
                        CsvField(link.name), link.tier, link.rate_bps, link.alike,
                        link.totals.sent_bytes, link.while_busy, link.over_run, link.busy_ps,
                        link.flows, link.at_once, link.totals.max_queued_bytes,
                        link.totals.ecn_marked, link.totals.pauses, link.totals.paused_ps);
  }
  return text;
}

}  // namespace heddle
