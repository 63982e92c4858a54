// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_costs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/table.h"
#include "io/step/step_explanation.h"

namespace heddle {
namespace {

/// Adds a lost part of a message on the critical path.
void AddPart(const CausePart& part, const FlowFate& fate, std::int64_t* no_way_left,
             JobCost* cost) {
  if (part.cause == StepCause::kLineRate || part.cause == StepCause::kSlowLink) return;
  if (fate.kind != FlowFate::Kind::kOnIt) {
    cost->detour_ps += part.ps;
    return;
  }
  if (part.cause == StepCause::kTimeouts) {
    cost->timeouts_ps += part.ps;
    return;
  }
  const std::int64_t no_way = std::min(part.ps, *no_way_left);
  *no_way_left -= no_way;
  cost->no_way_ps += no_way;
  cost->other_ps += part.ps - no_way;
}

}  // namespace

std::vector<JobCost> CostsOf(const std::vector<CausedPiece>& pieces,
                             const std::vector<FlowFate>& fates) {
  std::map<std::uint32_t, JobCost> by_outage;
  std::map<std::size_t, std::int64_t> no_way_left;  // by row
  for (const CausedPiece& piece : pieces) {
    if (piece.piece.kind != PathPiece::Kind::kMessage) continue;
    const std::size_t row = piece.piece.row;
    const FlowFate& fate = fates[row];
    if (fate.outage == FlowFate::kNoOutage) continue;
    JobCost& cost = by_outage[fate.outage];
    cost.outage = fate.outage;
    AddPart(piece.part, fate, &no_way_left.try_emplace(row, fate.no_way_ps).first->second, &cost);
  }
  std::vector<JobCost> costs;
  for (const auto& [outage, cost] : by_outage) {
    if (cost.all_ps() + cost.detour_ps > 0) costs.push_back(cost);
  }
  std::stable_sort(costs.begin(), costs.end(), [](const JobCost& a, const JobCost& b) {
    return std::make_pair(a.all_ps(), a.detour_ps) > std::make_pair(b.all_ps(), b.detour_ps);
  });
  return costs;
}

std::vector<JobOfFailures> FindJobCosts(const ReportSource& source, const FlowLosses& losses) {
  std::vector<JobOfFailures> jobs;
  if (!source.HasRows("jobs")) return jobs;
  const Table table = source.reader().ReadTable("jobs");
  const auto& number = GetColumn<std::uint32_t>(table, "job");
  const auto& name = GetColumn<std::string>(table, "name");
  const auto& start = GetColumn<std::int64_t>(table, "start_ps");
  const auto& end = GetColumn<std::int64_t>(table, "end_ps");
  bool any_ended = false;
  for (std::size_t i = 0; i < number.size(); ++i) {
    jobs.push_back({number[i], name[i], end[i] < 0 ? -1 : end[i] - start[i], false, {}});
    any_ended |= end[i] >= 0;
  }
  if (!any_ended || !source.HasRows("steps")) return jobs;
  for (const StepExplanation& study : ExplainSteps(source.path())) {
    const auto job = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const JobOfFailures& one) { return one.job == study.job; });
    if (job == jobs.end() || !study.has_messages) continue;
    job->has_path = true;
    job->costs = CostsOf(study.pieces, losses.fates());
  }
  return jobs;
}

}  // namespace heddle
