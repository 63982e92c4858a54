// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/failure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/app/views/analyze/failure_costs_text.h"
#include "core/app/views/analyze/failure_words.h"
#include "core/base/units.h"
#include "io/failures/failure_sums.h"

namespace heddle {
namespace {

constexpr std::size_t kMostHeld = 3;

/// Appends a line of an outage, with its subject in front.
void AddLine(const char* subject, const std::string& line, std::string* text) {
  if (!line.empty()) *text += fmt::format("  {:<15}{}\n", subject, line);
}

/// "down at 40.0 us for 20.0 us", "at 25Gbps from 40.0 us to the end"
std::string SpellText(const Outage& outage, const OutageSpell& spell) {
  const std::string what = outage.is_down()
                               ? fmt::format("down at {:.1f} us", UsOf(spell.from_ps))
                               : fmt::format("at {} from {:.1f} us",
                                             ToText(BitRate{spell.rate_bps}), UsOf(spell.from_ps));
  if (spell.until_ps < 0) return what + (outage.is_down() ? " for good" : " on");
  return fmt::format("{} for {:.1f} us", what, UsOf(spell.until_ps - spell.from_ps));
}

std::string HeadLine(const Outage& outage) {
  constexpr std::size_t kMostSpells = 3;
  std::vector<std::string> spells;
  for (std::size_t i = 0; i < std::min(kMostSpells, outage.spells.size()); ++i)
    spells.push_back(SpellText(outage, outage.spells[i]));
  if (outage.spells.size() > kMostSpells)
    spells.push_back(fmt::format("and {} times more", outage.spells.size() - kMostSpells));
  return outage.name + ": " + JoinParts(spells) + "\n";
}

std::string FlowLine(const OutageFlows& flows, bool is_down) {
  if (flows.on_it == 0) return "none";
  const Recovery& sum = flows.recovery;
  return fmt::format("{}: ", flows.on_it) +
         JoinParts({TextIf(flows.timed_out > 0, fmt::format("{} timed out ({})", flows.timed_out,
                                                            CountText(sum.timeouts, "timeout"))),
                    TextIf(flows.sent_again > 0, fmt::format("{} sent {} again", flows.sent_again,
                                                             ToText(Bytes{sum.resent_bytes}))),
                    TextIf(flows.rerouted > 0,
                           fmt::format("{} went on over another way", flows.rerouted)),
                    TextIf(flows.no_way > 0, fmt::format("{} had no way for a time", flows.no_way)),
                    TextIf(flows.unfinished > 0, fmt::format("{} did not end", flows.unfinished)),
                    TextIf(flows.unharmed > 0,
                           fmt::format(is_down ? "{} lost nothing" : "{} lost no packet",
                                       flows.unharmed))});
}

std::string HeldText(const HeldCollective& held) {
  if (held.time_ps < 0) return held.name + " did not end";
  std::string text = fmt::format("{} took {:.1f} us", held.name, UsOf(held.time_ps));
  if (held.alike == 0) return text;
  return text + fmt::format(" ({:.1f} us is the median of {} alike that no message of was on it)",
                            UsOf(held.alike_ps), held.alike);
}

std::string OutageText(const StudiedOutage& one, bool known) {
  std::string text = HeadLine(one.outage);
  if (known && one.is_unnoticed()) {
    text.insert(text.size() - 1, "; nothing used it");
    return text;
  }
  AddLine("packets lost", TextIf(one.lost_packets > 0, fmt::format("{}", one.lost_packets)), &text);
  if (!known) return text;
  AddLine("flows on it", FlowLine(one.flows, one.outage.is_down()), &text);
  if (!one.longest.empty())
    AddLine("longest wait", fmt::format("{}, {:.1f} us", one.longest, UsOf(one.flows.longest_ps)),
            &text);
  AddLine(
      "other flows",
      JoinParts({TextIf(one.flows.moved > 0,
                        fmt::format("{} moved to another way with the routes", one.flows.moved)),
                 TextIf(one.flows.detours > 0,
                        fmt::format("{} began later on another way", one.flows.detours)),
                 TextIf(one.flows.of_moved.resent_bytes > 0,
                        fmt::format("they sent {} again",
                                    ToText(Bytes{one.flows.of_moved.resent_bytes})))}),
      &text);
  for (std::size_t i = 0; i < std::min(kMostHeld, one.held.size()); ++i)
    AddLine(i == 0 ? "held up" : "", HeldText(one.held[i]), &text);
  if (one.held.size() > kMostHeld) {
    AddLine("", fmt::format("and {} more collectives", one.held.size() - kMostHeld), &text);
  }
  return text;
}

/// What packets and flows met that is no outage's.
std::string OtherLines(const FailureStudy& study) {
  std::string text;
  if (study.no_route_packets > 0) {
    text += fmt::format("{} were dropped at switches without a route on\n",
                        CountText(study.no_route_packets, "packet"));
  }
  if (study.flows_of_others == 0) return text;
  return text + fmt::format("{} had {} and sent {} again{}\n",
                            CountText(study.flows_of_others, "flow"),
                            CountText(study.others.timeouts, "timeout"),
                            ToText(Bytes{study.others.resent_bytes}),
                            study.unknown.empty() ? ", though on nothing that failed" : " in all");
}

}  // namespace

std::string DescribeFailures(const FailureStudy& study, std::size_t shown,
                             const std::string& exact) {
  const bool known = study.unknown.empty();
  std::string text = FailedLine(study) + exact + CostLines(study);
  const std::vector<std::size_t> order = OutagesByHarm(study.outages);
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i)
    text += OutageText(study.outages[order[i]], known);
  if (order.size() > shown) text += fmt::format("and {} more (--top)\n", order.size() - shown);
  text += OtherLines(study);
  if (!known) text += "note: who was on what failed is not known: " + study.unknown + "\n";
  return text;
}

}  // namespace heddle
