// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

#include "collectives/pipeline/known_schedules.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostChunks = 1024;
constexpr std::int64_t kMostGroup = 1'000'000;

/// "1f1b: one forward, one backward; interleaved: ...".
std::string TitlesOfSchedules() {
  std::string text;
  for (const ScheduleRow& row : KnownSchedules())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", row.word, row.title);
  return text;
}

}  // namespace

std::string PipelineOptions::File() const {
  const std::string begin = kScheduleFile;
  return schedule.rfind(begin, 0) == 0 ? schedule.substr(begin.size()) : "";
}

void PipelineOptions::Declare(OptionSet* options) {
  options->AddGroup({"pipeline", "in which order pipeline stages work on micro-batches",
                     "docs/models/pipelines.md"});
  Option word;
  word.key = "pipeline.schedule";
  word.help = "order of a stage's micro-batches: " + TitlesOfSchedules() +
              "; or a file with a table of one's own";
  word.source = "Megatron-LM: 1f1b";
  word.range = fmt::format("{}, or {}NAME", fmt::join(ScheduleWords(), ", "), kScheduleFile);
  word.set = [this, range = word.range](std::string_view text) {
    PipelineOptions given;
    given.schedule = std::string(text);
    if (FindSchedule(given.schedule) == nullptr && given.File().empty())
      throw UserError("expected " + range + NearestIs(text.substr(0, 60), ScheduleWords()));
    schedule = given.schedule;
  };
  word.get = [this] { return schedule; };
  options->Add(std::move(word));
  options->Add({"pipeline.chunks", "",
                "chunks of the model on a stage, with pipeline.schedule=interleaved; a divisor of "
                "the stage's layers",
                "", "heddle; Megatron-LM: num_layers_per_virtual_pipeline_stage"},
               &chunks, 1, kMostChunks);
  options->Add({"pipeline.group", "",
                "micro-batches in a row on one chunk, with pipeline.schedule=interleaved; 0: as "
                "many as stages",
                "", "Megatron-LM: microbatch_group_size_per_vp_stage, as many as stages"},
               &group, 0, kMostGroup);
  options->Add({"pipeline.senders", "",
                "what a stage does after it has sent an activation or a gradient; go-on: its next "
                "task, as with overlap_p2p_comm; wait: it waits until the message is sent, as in "
                "joint calls that send and receive",
                "", "heddle; Megatron-LM: wait, go-on if interleaved"},
               &senders);
  options->Add({"pipeline.overlap_experts", "",
                "one micro-batch's exchanges with experts run under the computing of another: "
                "forwards and backwards are done in pairs, with one stage, interleaved, dualpipe "
                "or dualpipev",
                "", "Megatron-LM: --overlap-moe-expert-parallel-comm, off"},
               &overlap_experts);
}

}  // namespace heddle
