// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/report_headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/printable.h"
#include "core/base/table.h"
#include "io/analysis/measured_times.h"
#include "io/analysis/port_totals.h"

namespace heddle {
namespace {

constexpr const char* kNvLink = "NVLink";
constexpr double kToldShare = 0.02;    ///< of a step, below which a part is not named
constexpr double kBusyShare = 0.3;     ///< of the run, below which the busiest link is not named
constexpr double kTellingShare = 0.1;  ///< of the run, for which a tier must be full
constexpr double kSameShare = 5e-4;    ///< times that differ by a smaller share are called equal
constexpr std::size_t kMostTold = 3;   ///< parts that are named

struct TimeUnit {
  double ps;
  const char* name;
};

/// The unit in which a time reads best.
TimeUnit UnitOf(double ps) {
  static constexpr std::array<TimeUnit, 4> kUnits = {
      {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}}};
  for (const TimeUnit& unit : kUnits) {
    if (std::fabs(ps) >= unit.ps) return unit;
  }
  return {1, "ps"};
}

/// With four digits, three after the point at most.
std::string NumberIn(const TimeUnit& unit, double ps) {
  const double value = ps / unit.ps, size = std::fabs(value);
  const int digits = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

std::string TimeText(double ps) {
  const TimeUnit unit = UnitOf(ps);
  return NumberIn(unit, ps) + " " + unit.name;
}

/// "0.600 to 1.600 ms", "201.0 -> 357.0 us": in the unit of the larger one.
std::string TwoTimes(double a, const char* between, double b) {
  const TimeUnit unit = UnitOf(std::max(a, b));
  return fmt::format("{} {} {} {}", NumberIn(unit, a), between, NumberIn(unit, b), unit.name);
}

using KindsOfGroup = std::map<std::string, KindTotal>;  // by operation

/// By type of group.
std::map<std::string, KindsOfGroup> ReadKinds(const ReportSource& source) {
  std::map<std::string, KindsOfGroup> kinds;
  if (!source.HasRows("collectives")) return kinds;
  const std::uint32_t warmup = WarmupPasses(source.root());
  std::vector<std::string> columns = {"op", "group_type", "time_ps"};
  if (warmup > 0) columns.emplace_back("pass");
  ForEachBlock(source.reader(), "collectives", columns, [&](const Table& block) {
    const auto& op = GetColumn<std::string>(block, "op");
    const auto& group = GetColumn<std::string>(block, "group_type");
    const auto& time = GetColumn<std::int64_t>(block, "time_ps");
    for (std::size_t i = 0; i < op.size(); ++i) {
      if (time[i] < 0) continue;
      if (warmup > 0 && GetColumn<std::uint32_t>(block, "pass")[i] < warmup) continue;
      KindTotal& kind = kinds[group[i]][op[i]];
      kind.sum_ps += static_cast<double>(time[i]);
      kind.number += 1;
    }
  });
  return kinds;
}

/// The longest time in which a tier was full.
void FindFullTier(const ReportSource& source, BusiestLinks* links) {
  if (!source.HasRows("tier_load")) return;
  BusiestLinks open;
  const auto close = [&] {
    if (open.to_ps - open.from_ps > links->to_ps - links->from_ps) {
      links->tier = open.tier;
      links->from_ps = open.from_ps;
      links->to_ps = open.to_ps;
    }
    open = {};
  };
  ForEachBlock(source.reader(), "tier_load", {"from_ps", "to_ps", "tier", "utilisation"},
               [&](const Table& block) {
                 const auto& from = GetColumn<std::int64_t>(block, "from_ps");
                 const auto& to = GetColumn<std::int64_t>(block, "to_ps");
                 const auto& tier = GetColumn<std::string>(block, "tier");
                 const auto& use = GetColumn<double>(block, "utilisation");
                 for (std::size_t i = 0; i < from.size(); ++i) {  // by tier, then by time
                   if (tier[i] == kNvLink || use[i] < BusiestLinks::kFull) {
                     close();
                     continue;
                   }
                   if (open.tier != tier[i] || open.to_ps != from[i]) {
                     close();
                     open.tier = tier[i];
                     open.from_ps = from[i];
                   }
                   open.to_ps = to[i];
                 }
               });
  close();
}

BusiestLinks FindBusiestLinks(const ReportSource& source) {
  BusiestLinks links;
  FindFullTier(source, &links);
  const double full = static_cast<double>(links.to_ps - links.from_ps);
  if (full < kTellingShare * static_cast<double>(source.end_ps())) links.tier.clear();
  for (const PortTotals& port : ReadPortTotals(source)) {
    const double share = UtilisationOf(source, port);
    if (share <= links.share || source.tiers().names()[source.tiers().Of(port.port)] == kNvLink)
      continue;
    links.share = share;
    links.link = source.LinkName(port.port);
  }
  return links;
}

/// "leaf to spine links full from 0.600 to 1.600 ms", or "leaf 5 -> spine 2 busiest, 93 % of the
/// run"; empty if no link was busy.
std::string LinksText(const BusiestLinks& links) {
  if (!links.tier.empty()) {
    return fmt::format(
        "{} links full from {}", links.tier,
        TwoTimes(static_cast<double>(links.from_ps), "to", static_cast<double>(links.to_ps)));
  }
  if (links.share < kBusyShare) return "";
  return fmt::format("{} busiest, {:.0f} % of the run", links.link, 100 * links.share);
}

/// "3 timeouts (up to 4.194 ms a flow)"; empty if there were none.
std::string TimeoutsText(const HeadlineRun& run) {
  if (run.timeouts == 0) return "";
  return fmt::format("{} timeout{} (up to {} a flow)", run.timeouts, run.timeouts == 1 ? "" : "s",
                     TimeText(run.longest_wait_ps));
}

void ReadTimeouts(const ReportSource& source, HeadlineRun* run) {
  if (!source.HasRows("recovery")) return;
  ForEachBlock(source.reader(), "recovery", {"timeouts", "waited_ps"}, [&](const Table& block) {
    const auto& timeouts = GetColumn<std::uint16_t>(block, "timeouts");
    const auto& waited = GetColumn<std::int64_t>(block, "waited_ps");
    for (std::size_t i = 0; i < timeouts.size(); ++i) {
      run->timeouts += timeouts[i];
      run->longest_wait_ps = std::max(run->longest_wait_ps, static_cast<double>(waited[i]));
    }
  });
}

/// Digests of what was to be sent.
std::string TrafficOf(const ReportSource& source) {
  std::string traffic;
  for (const auto& [name, attribute] : source.root().all()) {
    const bool of_traffic =
        name.find("workload_digest") != std::string::npos || name == "flows_input_digest";
    if (of_traffic) traffic += name + " " + source.root().Text(name).value_or("") + " ";
  }
  return traffic;
}

/// "ALLTOALL 201.0 us": the kind of collective of a group that took the longest together.
std::string LongestKind(const HeadlineRun& run, const std::string& group) {
  const auto of_group = run.kinds.find(group);
  if (of_group == run.kinds.end()) return "";
  const auto longest = std::max_element(
      of_group->second.begin(), of_group->second.end(),
      [](const auto& a, const auto& b) { return a.second.sum_ps < b.second.sum_ps; });
  return fmt::format("{} {}", longest->first, TimeText(longest->second.mean_ps()));
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// "The step takes 1.238 ms: 41.2 % computing, 30.1 % exposed EP (ALLTOALL 201.0 us), ..."
std::string OfOne(const HeadlineRun& run) {
  if (!run.step) {
    const std::string links = Joined({TimeoutsText(run), LinksText(run.links)});
    return fmt::format("The run takes {}{}{}{}.", TimeText(run.end_ps),
                       run.flows > 0
                           ? fmt::format(" for {:.0f} flow{}", run.flows, run.flows == 1 ? "" : "s")
                           : "",
                       links.empty() ? "" : ": ", links);
  }
  std::vector<StepShare> parts = run.step->parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const StepShare& a, const StepShare& b) { return a.ps > b.ps; });
  std::vector<std::string> texts;
  for (const StepShare& part : parts) {
    const double share = part.ps / run.step->ps;
    if (texts.size() == kMostTold || share < kToldShare) break;
    const std::string kind = part.group.empty() ? "" : LongestKind(run, part.group);
    texts.push_back(fmt::format("{:.1f} % {}{}", 100 * share, part.name,
                                kind.empty() ? "" : fmt::format(" ({})", kind)));
  }
  texts.push_back(TimeoutsText(run));
  texts.push_back(LinksText(run.links));
  return fmt::format("The step takes {}: {}.", TimeText(run.step->ps), Joined(texts));
}

/// "ALLTOALL of EP 201.0 -> 357.0 us": the kind of collective of a group that grew the most
/// together; empty if none did.
std::string GrownKind(const HeadlineRun& fast, const HeadlineRun& slow, const std::string& group) {
  const auto a = fast.kinds.find(group), b = slow.kinds.find(group);
  if (a == fast.kinds.end() || b == slow.kinds.end()) return "";
  double most = 0;
  std::string text;
  for (const auto& [op, kind] : b->second) {
    const auto before = a->second.find(op);
    if (before == a->second.end()) continue;
    const double grown = kind.sum_ps - before->second.sum_ps;
    if (grown <= most || kind.mean_ps() < before->second.mean_ps() * (1 + kSameShare)) continue;
    most = grown;
    text = fmt::format("{} of {} {}", op, group,
                       TwoTimes(before->second.mean_ps(), "->", kind.mean_ps()));
  }
  return text;
}

/// Why `slow` takes longer: the parts of the step that grew the most.
std::string ReasonsOf(const HeadlineRun& fast, const HeadlineRun& slow) {
  std::vector<std::string> texts;
  if (fast.step && slow.step) {
    struct Grown {
      double ps;
      const StepShare* part;
    };
    std::vector<Grown> grown;
    double whole = 0;
    for (std::size_t i = 0; i < slow.step->parts.size(); ++i) {
      const double ps = slow.step->parts[i].ps - fast.step->parts[i].ps;
      if (ps <= 0) continue;
      grown.push_back({ps, &slow.step->parts[i]});
      whole += ps;
    }
    std::stable_sort(grown.begin(), grown.end(),
                     [](const Grown& a, const Grown& b) { return a.ps > b.ps; });
    for (const Grown& part : grown) {
      if (texts.size() == kMostTold || part.ps < 5 * kToldShare * whole) break;
      const std::string kind =
          part.part->group.empty() ? "" : GrownKind(fast, slow, part.part->group);
      texts.push_back(fmt::format("{} +{}{}", part.part->name, TimeText(part.ps),
                                  kind.empty() ? "" : fmt::format(" ({})", kind)));
    }
  }
  if (slow.timeouts > fast.timeouts) texts.push_back(TimeoutsText(slow));
  texts.push_back(LinksText(slow.links));
  return Joined(texts);
}

std::string OfSeveral(const std::vector<HeadlineRun>& runs) {
  const auto order = std::minmax_element(
      runs.begin(), runs.end(),
      [](const HeadlineRun& a, const HeadlineRun& b) { return a.time_ps() < b.time_ps(); });
  const HeadlineRun& fast = *order.first;
  const HeadlineRun& slow = *order.second;
  const bool steps = std::all_of(runs.begin(), runs.end(),
                                 [](const HeadlineRun& r) { return r.step.has_value(); });
  const std::string unit = steps ? " a step" : "";
  const double more = slow.time_ps() / fast.time_ps() - 1;
  const std::string who = runs.size() == 2
                              ? fmt::format("{} is", slow.name)
                              : fmt::format("Of {} runs {} is the fastest; {}, the slowest, is",
                                            runs.size(), fast.name, slow.name);
  if (more < kSameShare) {
    return fmt::format("{} take the same time: {}{}.",
                       runs.size() == 2 ? fast.name + " and " + slow.name
                                        : fmt::format("All {} runs", runs.size()),
                       TimeText(fast.time_ps()), unit);
  }
  const bool same = std::all_of(runs.begin(), runs.end(), [&](const HeadlineRun& r) {
    return r.traffic == runs.front().traffic;
  });
  const std::string reasons =
      same ? ReasonsOf(fast, slow) : "the runs did not carry the same traffic";
  return fmt::format("{} {:.1f} % slower{} ({}{}){}{}.", who, 100 * more,
                     runs.size() == 2 ? " than " + fast.name : "",
                     TwoTimes(fast.time_ps(), "->", slow.time_ps()), unit,
                     reasons.empty() ? "" : ": ", reasons);
}

}  // namespace

HeadlineRun ReadHeadlineRun(const ReportSource& source, const std::string& name,
                            const std::vector<ReportedStep>& steps) {
  HeadlineRun run;
  run.name = Printable(name);
  run.traffic = TrafficOf(source);
  run.end_ps = static_cast<double>(source.end_ps());
  for (const ReportedStep& step : steps) {
    if (!run.step || step.ps > run.step->ps) run.step = step;
  }
  run.kinds = ReadKinds(source);
  ReadTimeouts(source, &run);
  run.links = FindBusiestLinks(source);
  run.flows = source.root().Number("flows_planned").value_or(0);
  return run;
}

std::string HeadlineOf(std::vector<HeadlineRun> runs) {
  if (runs.empty()) return "";
  const bool mixed = std::any_of(runs.begin(), runs.end(), [&](const HeadlineRun& run) {
    return run.step.has_value() != runs.front().step.has_value();
  });
  if (mixed) {
    for (HeadlineRun& run : runs) run.step.reset();
  }
  return runs.size() == 1 ? OfOne(runs.front()) : OfSeveral(runs);
}

}  // namespace heddle
