// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/schedule_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "collectives/pipeline/schedule_picture.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "io/pipeline/pipeline_file.h"

namespace heddle {
namespace {

/// What the stages of this table hold, in micro-batches of a whole stage.
StageLoad LoadOf(const PipelineTable& table) {
  const PipelineRoute route(table.shape);
  const auto held = [&](std::uint32_t stage) {
    return static_cast<double>(MostHeld(table, stage)) / route.layer_parts();
  };
  StageLoad load;
  load.first = held(0);
  load.last = held(route.StageAt(0, route.positions() - 1));
  load.stages = table.shape.placement == ChunkPlacement::kBothEnds ? 2 : 1;
  return load;
}

/// A schedule as the options have it, of which a stage has `least_chunks` to `most_chunks`.
ScheduleChoice ChoiceOf(const PipelineOptions& options, std::int64_t least_chunks,
                        std::int64_t most_chunks) {
  ScheduleChoice choice;
  choice.name = options.schedule;
  choice.least_chunks = least_chunks;
  choice.most_chunks = most_chunks;
  choice.load = [options](const ParallelPlan& plan) {
    PipelineOptions how = options;
    how.chunks = plan.virtual_pipeline;
    how.group = plan.in_a_row;
    how.overlap_experts = plan.overlap_experts;
    return LoadOf(MakePipelineTable(how, static_cast<std::uint32_t>(plan.pipeline),
                                    static_cast<std::uint32_t>(plan.micro_batches()), "schedule"));
  };
  return choice;
}

std::vector<std::string> WordsOfList(const std::string& text) {
  if (text == "all") return ScheduleWords();
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::vector<ScheduleChoice> ScheduleChoices(const std::string& words, std::int64_t most_chunks,
                                            const PipelineOptions& options) {
  std::vector<ScheduleChoice> choices;
  for (const std::string& word : WordsOfList(words)) {
    PipelineOptions how = options;
    how.schedule = word;
    if (!how.File().empty()) {
      LoadPipelineTable(&how);
      choices.push_back(ChoiceOf(how, 1, 1));
      continue;
    }
    const ScheduleRow* const row = FindSchedule(word);
    if (row == nullptr)
      throw UsageError(fmt::format("--schedules: unknown name '{}'{}. Expected: {}, or all",
                                   Printable(word), NearestIs(word, ScheduleWords()),
                                   fmt::join(ScheduleWords(), ", ")));
    choices.push_back(row->takes_chunks ? ChoiceOf(how, 2, most_chunks) : ChoiceOf(how, 1, 1));
  }
  return choices;
}

std::string ScheduleText(const FoundPlan& found) {
  if (found.schedule.empty()) return "-";
  PipelineOptions options;
  options.schedule = found.schedule;
  if (const std::string file = options.File(); !file.empty())
    return std::filesystem::path(file).filename().string();
  const std::int64_t chunks = found.plan.parallel.chunks();
  return chunks > 1 ? fmt::format("{} {}", found.schedule, chunks) : found.schedule;
}

}  // namespace heddle
