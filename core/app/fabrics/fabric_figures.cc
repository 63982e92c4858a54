// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/fabrics/fabric_figures.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"
#include "io/analysis/result_view.h"

namespace heddle {
namespace {

constexpr std::array<const char*, 3> kPhaseNames = {"fwd", "ig", "wg"};
const char* const kGroups[] = {"TP", "DP", "DP_EP", "EP", "ALL", "PP"};

/// Type of group by layer and phase of a job's operations.
using GroupOfPhase = std::map<std::pair<std::uint32_t, std::string>, std::string>;

GroupOfPhase GroupsOf(const ReportSource& source, std::uint32_t job) {
  GroupOfPhase groups;
  ForEachBlock(source.reader(), "operations", {"job", "layer", "phase", "group_type"},
               [&](const Table& block) {
                 const auto& jobs = GetColumn<std::uint32_t>(block, "job");
                 const auto& layers = GetColumn<std::uint32_t>(block, "layer");
                 const auto& phases = GetColumn<std::string>(block, "phase");
                 const auto& types = GetColumn<std::string>(block, "group_type");
                 for (std::size_t i = 0; i < jobs.size(); ++i) {
                   if (jobs[i] == job) groups.emplace(std::pair(layers[i], phases[i]), types[i]);
                 }
               });
  return groups;
}

/// Sums over the GPUs of a job [ps], by group: what they only waited for.
std::map<std::string, double> ExposedByGroup(const ReportSource& source, std::uint32_t job) {
  const GroupOfPhase groups = GroupsOf(source, job);
  std::map<std::string, double> sums;
  ForEachBlock(source.reader(), "layers",
               {"job", "layer", "fwd_exposed_ps", "ig_exposed_ps", "wg_exposed_ps"},
               [&](const Table& block) {
                 const auto& jobs = GetColumn<std::uint32_t>(block, "job");
                 const auto& layers = GetColumn<std::uint32_t>(block, "layer");
                 for (const char* phase : kPhaseNames) {
                   const auto& exposed =
                       GetColumn<std::int64_t>(block, std::string(phase) + "_exposed_ps");
                   for (std::size_t i = 0; i < jobs.size(); ++i) {
                     if (jobs[i] != job || exposed[i] == 0) continue;
                     const auto group = groups.find({layers[i], phase});
                     sums[group == groups.end() ? "others" : group->second] +=
                         static_cast<double>(exposed[i]);
                   }
                 }
               });
  return sums;
}

/// The parts of the step. `time`: of the same job.
std::vector<StepShare> SharesOf(const ReportSource& source, std::uint32_t job,
                                const StepTime& time) {
  const std::map<std::string, double> exposed = ExposedByGroup(source, job);
  double sum = 0;
  for (const auto& [group, ps] : exposed) sum += ps;
  const double waited = time.of(StepPart::kForward) + time.of(StepPart::kInputGradient) +
                        time.of(StepPart::kWeightGradient);
  std::vector<StepShare> shares = {{"computing", time.of(StepPart::kCompute) * time.span_ps}};
  const auto add = [&](const std::string& group) {
    const auto found = exposed.find(group);
    const double share = found == exposed.end() || sum <= 0 ? 0 : found->second / sum;
    shares.push_back({"exposed " + group, share * waited * time.span_ps});
  };
  for (const char* group : kGroups) add(group);
  add("others");
  shares.push_back({"waiting for other stages", time.of(StepPart::kStages) * time.span_ps});
  shares.push_back({"ended early", time.of(StepPart::kEnded) * time.span_ps});
  shares.push_back({"changes of state", time.of(StepPart::kStates) * time.span_ps});
  return shares;
}

bool IsNvLink(const std::string& tier) { return tier == "NVLink"; }
bool IsBetweenSwitches(const std::string& tier) {
  return !IsNvLink(tier) && tier.find("host") == std::string::npos;
}

TierUse HottestTier(const ReportSource& source, double* above_leaves) {
  const std::vector<std::string>& names = source.tiers().names();
  std::vector<double> sums(names.size(), 0);
  for (const PortTotals& port : ReadPortTotals(source)) {
    const std::uint32_t tier = source.tiers().Of(port.port);
    sums[tier] += UtilisationOf(source, port);
    if (IsBetweenSwitches(names[tier])) *above_leaves += static_cast<double>(port.sent_bytes);
  }
  TierUse hottest;
  for (std::uint32_t tier = 0; tier < names.size(); ++tier) {
    const double mean = sums[tier] / std::max<double>(source.tiers().links(tier), 1);
    if (IsNvLink(names[tier]) || mean <= hottest.mean) continue;
    hottest = {names[tier], mean, mean};
  }
  if (!source.HasRows("tier_load")) return hottest;
  ForEachBlock(source.reader(), "tier_load", {"tier", "utilisation"}, [&](const Table& block) {
    const auto& tiers = GetColumn<std::string>(block, "tier");
    const auto& use = GetColumn<double>(block, "utilisation");
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      if (tiers[i] == hottest.name) hottest.highest = std::max(hottest.highest, use[i]);
    }
  });
  return hottest;
}

}  // namespace

FabricFigures ReadFabricFigures(const std::string& result) {
  FabricFigures figures;
  std::vector<StepExplanation> jobs = ExplainSteps(result);
  const auto last = std::max_element(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.end_ps, b.job) < std::tie(b.end_ps, a.job);
  });
  figures.why = std::move(*last);
  figures.step_ps = static_cast<double>(figures.why.end_ps - figures.why.start_ps);
  const ReportSource source(result);
  figures.shares = SharesOf(source, figures.why.job, figures.why.time);
  if (source.HasRows("collectives"))
    figures.collectives =
        TimesOfKinds(source.reader().ReadTable("collectives"), WarmupPasses(source.root()));
  figures.hottest = HottestTier(source, &figures.above_leaves);
  return figures;
}

}  // namespace heddle
