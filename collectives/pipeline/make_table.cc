// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/make_table.h"

#include <fmt/format.h>

#include "collectives/pipeline/known_schedules.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr double kMostTasks = 16e6;

ScheduleRequest RequestOf(const PipelineOptions& options, std::uint32_t stages,
                          std::uint32_t micro_batches) {
  return {stages, micro_batches, static_cast<std::uint32_t>(options.chunks),
          static_cast<std::uint32_t>(options.group), options.overlap_experts};
}

/// The file's table, which is of one number of stages and micro-batches.
PipelineTable TableOfFile(const PipelineTable& table, std::uint32_t stages,
                          std::uint32_t micro_batches, const std::string& who) {
  const PipelineShape& shape = table.shape;
  if (shape.stages == stages && shape.micro_batches == micro_batches) return table;
  throw UserError(
      fmt::format("{}: pipeline.schedule={}: {} micro-batches (ga) on {} pipeline stages (pp). "
                  "Expected: {} on {}, as the table has",
                  who, table.name, micro_batches, stages, shape.micro_batches, shape.stages));
}

}  // namespace

PipelineTable MakePipelineTable(const PipelineOptions& options, std::uint32_t stages,
                                std::uint32_t micro_batches, const std::string& who) {
  if (options.overlap_experts && stages == 1) return OneStageInPairs(micro_batches);
  if (options.own != nullptr) return TableOfFile(*options.own, stages, micro_batches, who);
  const ScheduleRow* const row = FindSchedule(options.schedule);
  HEDDLE_EXPECT(row != nullptr);
  const ScheduleRequest request = RequestOf(options, stages, micro_batches);
  const std::string refusal = row->refuse == nullptr ? std::string() : row->refuse(request);
  if (!refusal.empty())
    throw UserError(fmt::format("{}: pipeline.schedule={}: {}", who, row->word, refusal));
  if (options.overlap_experts && !row->in_pairs)
    throw UserError(fmt::format(
        "{}: pipeline.overlap_experts=true: pipeline.schedule={} does no forward beside a "
        "backward. Expected: interleaved, dualpipe, dualpipev, or one stage",
        who, row->word));
  const double tasks = 3.0 * stages * micro_batches * (row->takes_chunks ? request.chunks : 1);
  if (tasks > kMostTasks)
    throw UserError(fmt::format(
        "{}: pipeline.schedule={}: {} micro-batches (ga) on {} pipeline stages (pp) make "
        "{:.0f} million tasks. Expected: at most {:.0f} million",
        who, row->word, micro_batches, stages, tasks / 1e6, kMostTasks / 1e6));
  PipelineTable table = row->make(request);
  table.name = row->word;
  return table;
}

PipelineUse UseOf(const PipelineOptions& options) {
  // Any known schedule is legal for two stages and four micro-batches in whole groups.
  constexpr std::uint32_t kStages = 2, kMicroBatches = 4;
  const PipelineTable small =
      options.own != nullptr ? PipelineTable()
                             : FindSchedule(options.schedule)->make({kStages, kMicroBatches, 2, 0});
  const PipelineTable& table = options.own != nullptr ? *options.own : small;
  PipelineUse use;
  use.holds_two_stages = table.shape.placement == ChunkPlacement::kBothEnds;
  for (const std::vector<PipelineTask>& order : table.order) {
    for (const PipelineTask& task : order)
      use.splits_backward = use.splits_backward || task.work == PipelineWork::kWeightGradient;
  }
  return use;
}

std::string DescribeSchedule(const PipelineOptions& options, std::uint32_t stages) {
  if (options.own != nullptr) return options.own->name;
  const ScheduleRow* const row = FindSchedule(options.schedule);
  HEDDLE_EXPECT(row != nullptr);
  const char* const beside = options.overlap_experts ? ", experts' exchanges overlap" : "";
  if (!row->takes_chunks) return std::string(row->word) + beside;
  const ScheduleRequest request = RequestOf(options, stages, 1);
  return fmt::format("{}, {} chunk{} in groups of {}{}", row->word, request.chunks,
                     request.chunks == 1 ? "" : "s", request.GroupSize(), beside);
}

}  // namespace heddle
