// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/collision_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/app/views/analyze/collision_figures.h"
#include "core/app/views/analyze/failure_words.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "io/result/graph_table.h"
#include "topology/graph/node_names.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

constexpr std::size_t kSpinesShown = 16;  // of a tier

std::string TimeText(std::int64_t ps) { return fmt::format("{:.1f} us", Time{ps}.microseconds()); }

std::string Count(std::uint64_t n, const char* noun) {
  return CountText(static_cast<std::int64_t>(n), noun);
}

std::string CountLine(const char* what, std::uint64_t a, std::uint64_t b) {
  return fmt::format("  {:<34}{:>16}{:>18}\n", what, a, b);
}

std::string CountLines(const CollisionStudy& study) {
  const CollisionCounts& any = study.figures.any_time;
  const CollisionCounts& now = study.figures.at_once;
  return fmt::format("  {:<34}{:>16}{:>18}\n", "", "ignoring time", "at the same time") +
         CountLine("pairs of flows that share a link", any.pairs, now.pairs) +
         CountLine("links with two or more flows", any.ports, now.ports) +
         CountLine("most flows on a link", any.most_on_port, now.most_on_port);
}

/// Collisions as the run had them, against those of the hosts' own ports at the same times.
std::string AvoidedLines(const CollisionStudy& study) {
  if (!study.controlled) return "";
  const CollisionFigures& now = study.figures;
  const CollisionFigures& own = *study.own_ports;
  std::string text = fmt::format("\ncentral controller: chose the source port of {} of {}\n",
                                 study.chosen, Count(study.completion.flows, "flow"));
  text +=
      fmt::format("  {:<34}{:>16}{:>18}{:>12}\n", "", "as it ran", "hosts' own ports", "avoided");
  const auto line = [&](const char* what, std::uint64_t ran, std::uint64_t hosts) {
    text += fmt::format("  {:<34}{:>16}{:>18}{:>12}\n", what, ran, hosts,
                        static_cast<std::int64_t>(hosts) - static_cast<std::int64_t>(ran));
  };
  line("pairs that share a link, ignoring time", now.any_time.pairs, own.any_time.pairs);
  line("pairs, at the same time", now.at_once.pairs, own.at_once.pairs);
  line("links with two or more at once", now.at_once.ports, own.at_once.ports);
  line("most flows at once on a link", now.at_once.most_on_port, own.at_once.most_on_port);
  text +=
      "  (hosts' own ports: the paths that 10000, 10001, ... lead to, at the times at which the "
      "flows ran)\n";
  if (study.max_wait_ps > 0) {
    text += fmt::format(
        "  flows waited for it {} on average, {} at most (not part of completion times)\n",
        TimeText(study.mean_wait_ps), TimeText(study.max_wait_ps));
  }
  return text;
}

std::string SpineLines(const CollisionStudy& study) {
  const NodeNames names(study.graph);
  std::string text;
  for (const SpineTier& tier : study.spines) {
    const SpineSums sums = SumsOf(tier);
    text +=
        fmt::format("\n{} switches in the middle of paths: {} of {} carry {}; ",
                    TierName(tier.tier), sums.used, tier.spines.size(), Count(sums.flows, "flow"));
    text += fmt::format("the fullest has {:.2f} times the mean in flows, {:.2f} in bytes\n",
                        sums.flows_ratio, sums.bytes_ratio);
    const std::vector<SpineLoad> shown = FullestOf(tier, kSpinesShown);
    for (const SpineLoad& spine : shown) {
      text += fmt::format("  {:<12}{:>12}{:>14}\n", names.Of(spine.spine),
                          Count(spine.flows, "flow"), ToText(Bytes{spine.bytes}));
    }
    if (shown.size() < tier.spines.size())
      text += fmt::format("  ... and {} with no more\n", tier.spines.size() - shown.size());
  }
  return text;
}

std::string WorstLines(const CollisionStudy& study, std::size_t worst) {
  const NodeNames names(study.graph);
  const WorstPorts found = FindWorstPorts(study.over_time, worst);
  if (found.ports.empty()) return "";
  const HopNumbers hops(study.graph);
  std::string text =
      fmt::format("\nmost shared links ({} of {}; flows are #row source -> destination)\n",
                  found.ports.size(), found.all);
  for (const PortSharing& port : found.ports) {
    const FullestPeriods& periods = found.fullest.at(port.port);
    const Hop hop = hops.At(port.port);
    text += fmt::format("  {} (port {}): {}, {}, up to {} at once, shared for {}\n",
                        names.Link(hop.node, hop.port), hop.port.value, Count(port.flows, "flow"),
                        Count(port.pairs, "pair"), port.most_at_once, TimeText(port.shared_ps));
    for (const FullPeriod& period : periods.periods) {
      text += fmt::format("      {} to {}  {} flows: {}\n", TimeText(period.when.from),
                          TimeText(period.when.until), period.flows,
                          NamesOfFlows(study, names, period));
    }
    const std::size_t left_out = periods.all - periods.periods.size();
    if (left_out == 0) continue;
    text += fmt::format("      ... and {} of other sets of flows (--csv lists all)\n",
                        Count(left_out, "period"));
  }
  return text;
}

std::string Caveats(const CollisionStudy& study) {
  std::string text;
  for (const std::string& note : CaveatsOf(study)) text += "  note: " + note + "\n";
  return text;
}

/// "-33.1%"; empty if there is nothing to compare with.
std::string ChangeText(double from, double to) {
  return from == 0 ? (to == 0 ? "0.0%" : "-") : fmt::format("{:+.1f}%", 100 * (to - from) / from);
}

}  // namespace

std::string DescribeCollisions(const CollisionStudy& study, std::size_t worst) {
  std::string text = fmt::format(
      "{}: {}, {} between servers over {} (ports of switches; last hops to GPUs do not count)\n",
      study.file, Count(study.completion.flows, "flow"), study.between_servers,
      Count(study.figures.any_time.ports_used, "link"));
  text += Caveats(study);
  if (study.figures.any_time.ports_used == 0) {
    return text +
           "  no flow crosses a link between switches: whatever its source port, none shares one\n";
  }
  return text + CountLines(study) + AvoidedLines(study) + SpineLines(study) +
         WorstLines(study, worst);
}

std::string CompareCollisions(const CollisionStudy& study, const CollisionStudy& other) {
  const std::size_t width =
      std::max<std::size_t>({14, study.file.size() + 2, other.file.size() + 2});
  std::string text = fmt::format("\n  {:<34}{:>{}}{:>{}}{:>12}\n", "", study.file, width,
                                 other.file, width, "change");
  const auto line = [&](const char* what, const std::string& a, const std::string& b, double to,
                        double from) {
    text +=
        fmt::format("  {:<34}{:>{}}{:>{}}{:>12}\n", what, a, width, b, width, ChangeText(from, to));
  };
  const auto time = [&](const char* what, double a, double b) {
    line(what, TimeText(static_cast<std::int64_t>(a)), TimeText(static_cast<std::int64_t>(b)), a,
         b);
  };
  const auto ratio = [&](const char* what, double a, double b) {
    line(what, fmt::format("{:.3f}x", a), fmt::format("{:.3f}x", b), a, b);
  };
  const auto count = [&](const char* what, std::uint64_t a, std::uint64_t b) {
    line(what, fmt::format("{}", a), fmt::format("{}", b), static_cast<double>(a),
         static_cast<double>(b));
  };
  if (Digest(LinkTable(study.graph)) != Digest(LinkTable(other.graph)))
    text += "  note: the two fabrics differ\n";
  const CompletionFigures& a = study.completion;
  const CompletionFigures& b = other.completion;
  count("flows finished", a.finished, b.finished);
  time("mean completion time", a.mean_fct_ps, b.mean_fct_ps);
  time("99th percentile", static_cast<double>(a.p99_fct_ps), static_cast<double>(b.p99_fct_ps));
  time("longest", static_cast<double>(a.max_fct_ps), static_cast<double>(b.max_fct_ps));
  ratio("mean slowdown", a.mean_slowdown, b.mean_slowdown);
  ratio("largest slowdown", a.max_slowdown, b.max_slowdown);
  time("last flow finished at", static_cast<double>(a.last_end_ps),
       static_cast<double>(b.last_end_ps));
  count("colliding pairs, ignoring time", study.figures.any_time.pairs,
        other.figures.any_time.pairs);
  count("colliding pairs, at the same time", study.figures.at_once.pairs,
        other.figures.at_once.pairs);
  return text;
}

}  // namespace heddle
