// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/link_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr int kLinksSchema = 1;

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

/// "  leaf 5 -> spine 2 (leaf to spine, 400Gbps), and 3 alike"
std::string LinkText(const StudiedLink& link) {
  return fmt::format("  {} ({}, {}){}", link.name, link.tier,
                     ToText(BitRate{static_cast<std::int64_t>(link.rate_bps)}),
                     link.alike > 1 ? fmt::format(", and {} alike", link.alike - 1) : "");
}

/// In the order of the CSV.
PrintedColumns<StudiedLink> LinkColumns() {
  return {
      {"link", &StudiedLink::name},
      {"tier", &StudiedLink::tier},
      {"rate_bps", [](const StudiedLink& l) { return static_cast<std::int64_t>(l.rate_bps); }},
      {"alike", &StudiedLink::alike},
      {"sent_bytes", [](const StudiedLink& l) { return l.totals.sent_bytes; }},
      {"while_busy", &StudiedLink::while_busy, "while busy", 10,
       [](const StudiedLink& l) { return PercentText(l.while_busy); }},
      {"over_run", &StudiedLink::over_run, "over run", 10,
       [](const StudiedLink& l) { return PercentText(l.over_run); }},
      {"busy_ps", &StudiedLink::busy_ps},
      {"flows", &StudiedLink::flows, "flows", 8},
      {"at_once", &StudiedLink::at_once, "at once", 8},
      {"max_queued_bytes", [](const StudiedLink& l) { return l.totals.max_queued_bytes; }, "queue",
       12, [](const StudiedLink& l) { return ToText(Bytes{l.totals.max_queued_bytes}); }},
      {"ecn_marked", [](const StudiedLink& l) { return l.totals.ecn_marked; }, "marks", 8},
      {"pauses", [](const StudiedLink& l) { return l.totals.pauses; }, "pauses", 8},
      {"paused_ps", [](const StudiedLink& l) { return l.totals.paused_ps; }}};
}

/// The columns of the text, which has none for what is not known, or not asked for.
PrintedColumns<StudiedLink> LinkTextColumns(bool known, bool at) {
  PrintedColumns<StudiedLink> columns = LinkColumns();
  for (PrintedColumn<StudiedLink>& column : columns) {
    const std::string key = column.key;
    const bool shown = key == "while_busy" || key == "at_once" ? known && !at
                       : key == "flows"                        ? known && at
                                                               : true;
    if (!shown) column.width = 0;
  }
  columns.push_back({"link", &StudiedLink::name, "  link", -1, LinkText});
  return columns;
}

PrintedColumns<LinkUser> UserColumns() {
  return {{"name", &LinkUser::name}, {"flows", &LinkUser::flows}, {"bytes", &LinkUser::bytes}};
}

/// A link as the CSV has it, null for what is not known, and its users.
OrderedJson LinkJson(const StudiedLink& link, bool known) {
  OrderedJson object = PrintedObject(LinkColumns(), link);
  if (!known) {
    for (const char* key : {"while_busy", "busy_ps", "flows", "at_once"}) object[key] = nullptr;
  }
  const auto users = static_cast<std::int64_t>(link.use.users.size());  // at a moment: of all
  object["users_count"] = NullUnless(known, std::max(link.use.users_in_all, users));
  object["users"] = PrintedList(UserColumns(), link.use.users);
  return object;
}

}  // namespace

std::string DescribeLinks(const LinkStudy& study, const LinkWish& wish) {
  const bool known = study.unknown.empty(), at = wish.at.has_value();
  const PrintedColumns<StudiedLink> columns = LinkTextColumns(known, at);
  std::string text =
      at ? fmt::format("{} links with flows under way at {}\n", study.links, ToText(*wish.at))
         : fmt::format("{} links that sent, in {}\n", study.links, ToText(Time{study.end_ps}));
  text += PrintedHead(columns);
  for (const StudiedLink& link : study.shown) {
    text += PrintedLine(columns, link);
    if (const std::string users = UsersLine(link); !users.empty())
      text += fmt::format("{:>12}{}\n", "", users);
  }
  if (!known) text += "note: busy times and users are not known: " + study.unknown + "\n";
  return text;
}

OrderedJson LinksJson(const LinkStudy& study, const LinkWish& wish, const std::string& result) {
  OrderedJson document = JsonDocument("analyze links", kLinksSchema);
  document["result"] = result;
  document["end_ps"] = study.end_ps;
  document["at_ps"] = wish.at ? OrderedJson(wish.at->ps) : OrderedJson(nullptr);
  document["links_count"] = study.links;
  document["unknown"] = NullIfEmpty(study.unknown);
  OrderedJson links = OrderedJson::array();
  for (const StudiedLink& link : study.shown)
    links.push_back(LinkJson(link, study.unknown.empty()));
  document["links"] = std::move(links);
  return document;
}

std::string LinkLines(const LinkStudy& study) {
  const PrintedColumns<StudiedLink> columns = LinkColumns();
  std::string text = PrintedCsvHead(columns);
  for (const StudiedLink& link : study.shown) text += PrintedCsvLine(columns, link);
  return text;
}

}  // namespace heddle
