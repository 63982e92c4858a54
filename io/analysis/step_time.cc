// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/step_time.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace heddle {
namespace {

struct LayerColumn {
  const char* name;
  StepPart part;
};

constexpr LayerColumn kLayerColumns[] = {
    {"fwd_compute_ps", StepPart::kCompute},      {"ig_compute_ps", StepPart::kCompute},
    {"wg_compute_ps", StepPart::kCompute},       {"fwd_exposed_ps", StepPart::kForward},
    {"ig_exposed_ps", StepPart::kInputGradient}, {"wg_exposed_ps", StepPart::kWeightGradient},
    {"pp_exposed_ps", StepPart::kStages},
};

/// Cannot overflow, whatever a file says.
double Difference(std::int64_t later, std::int64_t earlier) {
  return static_cast<double>(later) - static_cast<double>(earlier);
}

template <class Value>
Value& PartOf(std::array<Value, kStepParts>& parts, StepPart part) {
  return parts[static_cast<std::size_t>(part)];
}

}  // namespace

const char* ToText(StepPart part) {
  static constexpr const char* kNames[kStepParts] = {
      "computed",     "forward",   "input gradient", "weight gradient",
      "other stages", "had ended", "changed state"};
  return kNames[static_cast<std::size_t>(part)];
}

const std::vector<std::string>& StepTimes::JobColumns() {
  static const std::vector<std::string> columns = {"job", "gpus", "start_ps", "end_ps"};
  return columns;
}

const std::vector<std::string>& StepTimes::RankColumns() {
  static const std::vector<std::string> columns = {"job", "rank", "end_ps"};
  return columns;
}

const std::vector<std::string>& StepTimes::LayerColumns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names = {"job", "rank", "wg_tail_ps"};
    for (const LayerColumn& column : kLayerColumns) names.emplace_back(column.name);
    return names;
  }();
  return columns;
}

void StepTimes::AddJobs(const Table& jobs) {
  const auto& job = GetColumn<std::uint32_t>(jobs, "job");
  const auto& gpus = GetColumn<std::uint32_t>(jobs, "gpus");
  const auto& start = GetColumn<std::int64_t>(jobs, "start_ps");
  const auto& end = GetColumn<std::int64_t>(jobs, "end_ps");
  for (std::size_t i = 0; i < job.size(); ++i) {
    Sums& sums = jobs_[job[i]];
    sums.start = start[i];
    sums.end = end[i];
    sums.gpus = gpus[i];
  }
}

void StepTimes::AddRanks(const Table& ranks) {
  const auto& job = GetColumn<std::uint32_t>(ranks, "job");
  const auto& rank = GetColumn<std::uint32_t>(ranks, "rank");
  const auto& end = GetColumn<std::int64_t>(ranks, "end_ps");
  for (std::size_t i = 0; i < job.size(); ++i) {
    Sums& sums = jobs_[job[i]];
    if (sums.end < 0 || end[i] < 0) continue;
    sums.without_tail[rank[i]] += Difference(end[i], sums.start);
    PartOf(sums.parts, StepPart::kEnded) += Sum{sums.end} - end[i];
  }
}

void StepTimes::AddLayers(const Table& layers) {
  const auto& job = GetColumn<std::uint32_t>(layers, "job");
  const auto& rank = GetColumn<std::uint32_t>(layers, "rank");
  const auto& tail = GetColumn<std::int64_t>(layers, "wg_tail_ps");
  for (const LayerColumn& column : kLayerColumns) {
    const auto& time = GetColumn<std::int64_t>(layers, column.name);
    for (std::size_t i = 0; i < job.size(); ++i)
      PartOf(jobs_[job[i]].parts, column.part) += time[i];
  }
  for (std::size_t i = 0; i < job.size(); ++i) {
    jobs_[job[i]].ranks.insert(rank[i]);
    if (tail[i] != 0) jobs_[job[i]].without_tail[rank[i]] -= static_cast<double>(tail[i]);
  }
}

StepTime StepTimes::Of(std::uint32_t job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.end < 0) return {};
  const Sums& sums = found->second;
  StepTime time;
  time.ended = true;
  time.span_ps = Difference(sums.end, sums.start);
  for (const auto& [rank, lasted] : sums.without_tail) {
    if (!sums.ranks.empty() && sums.ranks.count(rank) == 0) continue;
    time.span_without_tail_ps = std::max(time.span_without_tail_ps, lasted);
  }
  const double whole = time.span_ps * sums.gpus;
  if (whole <= 0) return time;
  const auto with_layers = static_cast<std::uint32_t>(sums.ranks.size());
  const bool in_parts = with_layers > 0 && sums.gpus % with_layers == 0;
  const std::uint32_t stands_for = in_parts ? sums.gpus / with_layers : 1;
  for (std::size_t i = 0; i < time.share.size(); ++i) {
    const bool of_layers = static_cast<StepPart>(i) != StepPart::kEnded;
    time.share[i] = static_cast<double>(sums.parts[i] * (of_layers ? stands_for : 1)) / whole;
  }
  const double named = std::accumulate(time.share.begin(), time.share.end(), 0.0);
  PartOf(time.share, StepPart::kStates) = std::max(0.0, 1 - named);
  return time;
}

}  // namespace heddle
