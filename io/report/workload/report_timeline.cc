// SPDX-License-Identifier: GPL-2.0-only
// Time lines of GPUs by pipeline stage: computing, and the communication of each type of group.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"
#include "io/report/workload/timeline_lanes.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostShownJobs = 4;

/// A GPU whose time line is shown.
struct ShownGpu {
  std::uint32_t job = 0, gpu = 0, stage = 0;
  std::map<std::uint32_t, std::vector<TimelineBar>> lanes;  ///< by lane
};
using GpuKey = std::pair<std::uint32_t, std::uint32_t>;  // job, GPU

/// What the operations of a job's pass are called, and their lanes.
struct OperationNames {
  std::vector<std::uint32_t> lane, label;  ///< by operation
};

class TimelineMaker {
 public:
  TimelineMaker(const ReportSource& source, const ReportLimits& limits)
      : source_(source),
        most_rows_(
            static_cast<std::uint32_t>(std::clamp<std::size_t>(limits.heat_rows / 8, 12, 24))),
        least_ps_(
            std::max<std::int64_t>(1, source.end_ps() / static_cast<std::int64_t>(limits.points))) {
    LaneOf("computing");
    ChooseGpus();
    NameOperations();
    ReadSteps();
  }

  Json Make() {
    Json rows = Json::array();
    for (ShownGpu& gpu : shown_) {
      Json bars = Json::array();
      for (auto& [lane, list] : gpu.lanes) {
        for (const TimelineBar& bar : JoinShortBars(std::move(list), least_ps_)) {
          for (const std::int64_t value :
               {std::int64_t{lane}, bar.start_ps, bar.end_ps - bar.start_ps,
                std::int64_t{bar.label}, std::int64_t{bar.together}})
            bars.push_back(value);
        }
      }
      if (bars.empty()) continue;
      rows.push_back({{"name", source_.NodeName(gpu.gpu)},
                      {"job", gpu.job},
                      {"stage", gpu.stage},
                      {"bars", std::move(bars)}});
    }
    if (rows.empty()) return nullptr;
    Json labels = Json::array();
    for (const std::string& label : labels_) labels.push_back(label);
    return {{"end_ps", source_.end_ps()}, {"lanes", lanes_},      {"labels", std::move(labels)},
            {"rows", std::move(rows)},    {"gpus", gpus_},        {"stages", most_stages_},
            {"jobs", shown_jobs_},        {"least_ps", least_ps_}};
  }

 private:
  std::uint32_t LaneOf(const std::string& name) {
    const auto at =
        static_cast<std::size_t>(std::find(lanes_.begin(), lanes_.end(), name) - lanes_.begin());
    if (at == lanes_.size()) lanes_.push_back(name);
    return static_cast<std::uint32_t>(at);
  }
  std::uint32_t LabelOf(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(labels_.size());
    const auto [at, is_new] = label_numbers_.try_emplace(name, next);
    if (is_new) labels_.push_back(name);
    return at->second;
  }

  /// Equally many of each stage of each job, evenly spread, among GPUs that have time lines.
  void ChooseGpus() {
    std::map<GpuKey, bool> has_line;
    ForEachBlock(source_.reader(), "steps", {"job", "gpu"}, [&](const Table& block) {
      const auto& job = GetColumn<std::uint32_t>(block, "job");
      const auto& gpu = GetColumn<std::uint32_t>(block, "gpu");
      for (std::size_t i = 0; i < job.size(); ++i) has_line[{job[i], gpu[i]}] = true;
    });
    const Table jobs = source_.reader().ReadTable("jobs");
    const auto& number = GetColumn<std::uint32_t>(jobs, "job");
    const auto& gpus = GetColumn<std::uint32_t>(jobs, "gpus");
    const auto& pp = GetColumn<std::uint32_t>(jobs, "pp");
    const Table ranks = source_.reader().ReadTable("ranks");
    const auto& rank = GetColumn<std::uint32_t>(ranks, "rank");
    const auto& of_job = GetColumn<std::uint32_t>(ranks, "job");
    const auto& at_gpu = GetColumn<std::uint32_t>(ranks, "gpu");
    shown_jobs_ = static_cast<std::uint32_t>(std::min<std::size_t>(number.size(), kMostShownJobs));
    for (std::size_t j = 0; j < shown_jobs_; ++j) {
      const std::uint32_t stages = std::max(1U, pp[j]);
      const std::uint32_t in_stage = std::max(1U, gpus[j] / stages);
      most_stages_ = std::max(most_stages_, stages);
      std::map<std::uint32_t, std::vector<std::uint32_t>> of_stage;  // GPUs by rank
      for (std::size_t i = 0; i < rank.size(); ++i) {
        if (of_job[i] != number[j]) continue;
        ++gpus_;
        if (has_line.count({number[j], at_gpu[i]}) > 0)
          of_stage[std::min(rank[i] / in_stage, stages - 1)].push_back(at_gpu[i]);
      }
      const auto shown_stages = static_cast<std::uint32_t>(of_stage.size());
      const std::uint32_t each =
          std::max(1U, most_rows_ / std::max(1U, shown_jobs_ * shown_stages));
      std::uint32_t place = 0;
      const std::vector<std::uint32_t> kept =
          SpreadEvenly(shown_stages, std::max(1U, most_rows_ / shown_jobs_));
      for (const auto& [stage, list] : of_stage) {
        if (std::binary_search(kept.begin(), kept.end(), place++)) {
          for (const std::uint32_t i :
               SpreadEvenly(static_cast<std::uint32_t>(list.size()), each)) {
            index_[{number[j], list[i]}] = shown_.size();
            shown_.push_back({number[j], list[i], stage, {}});
          }
        }
      }
    }
  }

  void NameOperations() {
    if (!source_.HasRows("operations")) return;
    ForEachBlock(
        source_.reader(), "operations", {"job", "phase", "op", "group_type", "layer", "layer_name"},
        [&](const Table& block) {
          const auto& job = GetColumn<std::uint32_t>(block, "job");
          const auto& phase = GetColumn<std::string>(block, "phase");
          const auto& op = GetColumn<std::string>(block, "op");
          const auto& group = GetColumn<std::string>(block, "group_type");
          const auto& layer = GetColumn<std::uint32_t>(block, "layer");
          const auto& name = GetColumn<std::string>(block, "layer_name");
          for (std::size_t i = 0; i < job.size(); ++i) {
            OperationNames& names = operations_[job[i]];
            names.lane.push_back(LaneOf(group[i]));
            names.label.push_back(LabelOf(fmt::format("{} {} of {}, layer {} {}", phase[i], op[i],
                                                      group[i], layer[i], name[i])));
          }
        });
  }

  void ReadSteps() {
    ForEachBlock(source_.reader(), "steps",
                 {"job", "gpu", "layer", "phase", "operation", "start_ps", "end_ps"},
                 [&](const Table& block) {
                   const auto& job = GetColumn<std::uint32_t>(block, "job");
                   const auto& gpu = GetColumn<std::uint32_t>(block, "gpu");
                   const auto& layer = GetColumn<std::uint32_t>(block, "layer");
                   const auto& phase = GetColumn<std::string>(block, "phase");
                   const auto& operation = GetColumn<std::int64_t>(block, "operation");
                   const auto& start = GetColumn<std::int64_t>(block, "start_ps");
                   const auto& end = GetColumn<std::int64_t>(block, "end_ps");
                   for (std::size_t i = 0; i < job.size(); ++i) {
                     const auto at = index_.find({job[i], gpu[i]});
                     if (at == index_.end()) continue;
                     const std::int64_t until = end[i] < 0 ? source_.end_ps() : end[i];
                     if (until <= start[i]) continue;
                     std::uint32_t lane = 0, label = 0;
                     if (operation[i] < 0) {
                       label = LabelOf(fmt::format("{} computing of layer {}", phase[i], layer[i]));
                     } else if (!FindOperation(job[i], operation[i], &lane, &label)) {
                       continue;
                     }
                     shown_[at->second].lanes[lane].push_back({start[i], until, label, 1});
                   }
                 });
  }

  /// Operations are numbered on across passes.
  bool FindOperation(std::uint32_t job, std::int64_t operation, std::uint32_t* lane,
                     std::uint32_t* label) const {
    const auto names = operations_.find(job);
    if (names == operations_.end()) return false;
    const std::size_t at = static_cast<std::size_t>(operation) % names->second.lane.size();
    *lane = names->second.lane[at];
    *label = names->second.label[at];
    return true;
  }

  const ReportSource& source_;
  std::uint32_t most_rows_;
  std::int64_t least_ps_;
  std::vector<std::string> lanes_, labels_;
  std::map<std::string, std::uint32_t> label_numbers_;
  std::vector<ShownGpu> shown_;
  std::map<GpuKey, std::size_t> index_;  ///< into shown_
  std::map<std::uint32_t, OperationNames> operations_;
  std::uint64_t gpus_ = 0;
  std::uint32_t most_stages_ = 1, shown_jobs_ = 0;
};

}  // namespace

Json ReportTimeline(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("steps") || !source.HasRows("jobs") || !source.HasRows("ranks"))
    return nullptr;
  return TimelineMaker(source, limits).Make();
}

}  // namespace heddle
