// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/failure_costs_text.h"

#include <fmt/format.h>

#include "core/app/views/analyze/failure_words.h"
#include "core/base/units.h"
#include "io/failures/failure_sums.h"

namespace heddle {
namespace {

double ShareOf(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string CostText(const JobCost& cost, const StudiedOutage& one, std::int64_t span) {
  const auto part = [](std::int64_t ps, const char* what) {
    return TextIf(ps > 0, fmt::format("{:.1f} {}", UsOf(ps), what));
  };
  if (cost.all_ps() == 0) {
    return fmt::format(
        "messages that took another way because of {} lost {:.1f} us, some of it in any case",
        one.outage.name, UsOf(cost.detour_ps));
  }
  std::string text = fmt::format("{:.1f} us ({:.1f} %) lost to {}", UsOf(cost.all_ps()),
                                 ShareOf(cost.all_ps(), span), one.outage.name);
  const std::string parts =
      JoinParts({part(cost.timeouts_ps, "in timeouts"), part(cost.no_way_ps, "without a way"),
                 part(cost.other_ps, one.outage.is_down() ? "in queues or sent again"
                                                          : "at the low rate or behind it")});
  text += ": " + parts;
  if (cost.detour_ps > 0) {
    text += fmt::format("; messages that took another way lost {:.1f}, some of it in any case",
                        UsOf(cost.detour_ps));
  }
  return text;
}

std::string JobLines(const JobOfFailures& job, const FailureStudy& study) {
  const std::string name = NameOfJob(job.job, job.name);
  if (job.span_ps < 0) return name + " did not end\n";
  std::string text = fmt::format("{}: {:.1f} us", name, UsOf(job.span_ps));
  if (!job.has_path) return text + ", its critical path is not known (--record timeline=all)\n";
  if (job.costs.empty()) return text + "; no failure was on its critical path\n";
  text += ", on its critical path\n";
  for (const JobCost& cost : job.costs)
    text += "  " + CostText(cost, study.outages[cost.outage], job.span_ps) + "\n";
  return text;
}

std::string LastFlowLine(const FailureStudy& study) {
  const LastFlow& last = study.last_flow;
  if (last.name.empty()) return "";
  std::string text =
      fmt::format("the last flow to end, {}, ended at {:.1f} us", last.name, UsOf(last.end_ps));
  if (last.outage == FlowFate::kNoOutage) return text + "; no failure met it\n";
  const std::string& name = study.outages[last.outage].outage.name;
  if (!last.on_it) return text + ", on another way because of " + name + "\n";
  return text + fmt::format("; it waited {:.1f} us because of {}\n", UsOf(last.waited_ps), name);
}

}  // namespace

std::string FailedLine(const FailureStudy& study) {
  const OutageCounts counts = CountOutages(study.outages);
  std::string down = TextIf(counts.links > 0, CountText(counts.links, "link"));
  if (counts.nodes > 0) down += (down.empty() ? "" : " and ") + CountText(counts.nodes, "node");
  std::string text = JoinParts(
      {TextIf(!down.empty(), down + " failed"),
       TextIf(counts.slow_links > 0, CountText(counts.slow_links, "link") + " got slow")});
  text =
      (text.empty() ? "nothing failed" : text) + fmt::format(" in {:.1f} us", UsOf(study.end_ps));
  if (!down.empty()) {
    text += study.convergence_ps == 0
                ? "; routes followed at once"
                : fmt::format("; routes followed after {:.1f} us", UsOf(study.convergence_ps));
  }
  if (study.after_end > 0)
    text +=
        "; " + CountText(static_cast<std::int64_t>(study.after_end), "event") + " after the end";
  return text + "\n";
}

std::string CostLines(const FailureStudy& study) {
  std::string text;
  if (NobodyNoticed(study)) {
    text = fmt::format("nobody noticed: none of {} was on what failed, and none took another way\n",
                       CountText(study.flows_started, "flow"));
  }
  for (const JobOfFailures& job : study.jobs) text += JobLines(job, study);
  return study.jobs.empty() ? text + LastFlowLine(study) : text;
}

}  // namespace heddle
