// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/step_shares.h"

#include <array>
#include <map>
#include <utility>

#include "core/base/table.h"

namespace heddle {
namespace {

constexpr std::array<const char*, 3> kPhaseNames = {"fwd", "ig", "wg"};
constexpr std::array<const char*, 8> kGroups = {"TP",  "DP", "DP_EP", "EP",
                                                "ALL", "CP", "PP",    "others"};

/// Type of group by layer and phase of a job's operations.
using GroupOfPhase = std::map<std::pair<std::uint32_t, std::string>, std::string>;

GroupOfPhase GroupsOf(const ReportSource& source, std::uint32_t job) {
  GroupOfPhase groups;
  if (!source.HasRows("operations")) return groups;
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

}  // namespace

StepTimes ReadStepTimes(const ReportSource& source) {
  StepTimes times;
  const ResultReader& reader = source.reader();
  ForEachBlock(reader, "jobs", StepTimes::JobColumns(),
               [&](const Table& block) { times.AddJobs(block); });
  ForEachBlock(reader, "ranks", StepTimes::RankColumns(),
               [&](const Table& block) { times.AddRanks(block); });
  ForEachBlock(reader, "layers", StepTimes::LayerColumns(),
               [&](const Table& block) { times.AddLayers(block); });
  return times;
}

std::vector<StepShare> StepSharesOf(const ReportSource& source, std::uint32_t job,
                                    const StepTime& time) {
  const std::map<std::string, double> exposed = ExposedByGroup(source, job);
  double sum = 0;
  for (const auto& [group, ps] : exposed) sum += ps;
  const double waited = time.of(StepPart::kForward) + time.of(StepPart::kInputGradient) +
                        time.of(StepPart::kWeightGradient);
  std::vector<StepShare> shares = {{"computing", "", time.of(StepPart::kCompute) * time.span_ps}};
  for (const char* group : kGroups) {
    const auto found = exposed.find(group);
    const double share = found == exposed.end() || sum <= 0 ? 0 : found->second / sum;
    shares.push_back({std::string("exposed ") + group, group, share * waited * time.span_ps});
  }
  shares.push_back({"waiting for other stages", "", time.of(StepPart::kStages) * time.span_ps});
  shares.push_back({"ended early", "", time.of(StepPart::kEnded) * time.span_ps});
  shares.push_back({"changes of state", "", time.of(StepPart::kStates) * time.span_ps});
  return shares;
}

}  // namespace heddle
