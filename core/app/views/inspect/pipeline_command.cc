// SPDX-License-Identifier: GPL-2.0-only
/// `heddle pipeline`: the time line of a pipeline schedule on ideal stages, or its table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "collectives/pipeline/schedule_picture.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/options/nearest_name.h"
#include "io/pipeline/pipeline_file.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kPipelineSchema = 1;
constexpr std::uint32_t kMostListed = 24;  ///< stages whose activations are in the text

struct PipelineArguments {
  PipelineOptions schedule;
  std::uint32_t stages = 0, micro_batches = 0;  ///< 0: the file's, or 4 and 8
  std::vector<double> times = {1, 1, 1};        ///< forward, gradients of inputs, of weights
  double message = 0;
  bool wait = false, table = false, json = false;
  std::size_t columns = 120;
};

void CheckPipeline(const PipelineArguments& given) {
  const std::vector<std::string> words = ScheduleWords();
  if (given.schedule.File().empty() && FindSchedule(given.schedule.schedule) == nullptr)
    throw UsageError(fmt::format(
        "'{}' is no schedule.{} Expected: {}, or {}NAME", Printable(given.schedule.schedule),
        DidYouMean(given.schedule.schedule, words), fmt::join(words, ", "), kScheduleFile));
  const bool sound =
      given.times.size() == 3 && std::all_of(given.times.begin(), given.times.end(),
                                             [](double time) { return time >= 0 && time <= 1e9; });
  if (!sound || given.times[0] + given.times[1] + given.times[2] <= 0)
    throw UsageError(fmt::format(
        "--times: found {}. Expected: three times from 0 to 1e9, not all 0: forward, gradients of "
        "inputs, gradients of weights",
        fmt::join(given.times, ",")));
  CheckJsonWithout(given.json, {{"--table", given.table}});
}

bool ParsePipeline(const std::vector<std::string>& arguments, PipelineArguments* given) {
  constexpr std::uint64_t kMost = 100'000;
  CLI::App app(
      "Draw a pipeline schedule on ideal stages, of equal times, and say how long they idle.",
      "pipeline");
  app.add_option("SCHEDULE", given->schedule.schedule, "as pipeline.schedule of heddle run")
      ->capture_default_str()
      ->type_name(fmt::format("{}|{}NAME", fmt::join(ScheduleWords(), "|"), kScheduleFile));
  app.add_option("-p,--stages", given->stages, "pipeline stages (default: 4, or the file's)")
      ->check(WholeNumber(1, kMost));
  app.add_option("-m,--micro-batches", given->micro_batches,
                 "micro-batches of a step (default: 8, or the file's)")
      ->check(WholeNumber(1, kMost));
  app.add_option("--chunks", given->schedule.chunks, "of the model on a stage, with interleaved")
      ->capture_default_str()
      ->check(WholeNumber(1, 1024));
  app.add_option("--group", given->schedule.group,
                 "micro-batches in a row on one chunk, with interleaved; 0: as many as stages")
      ->capture_default_str()
      ->check(WholeNumber(0, kMost));
  app.add_option("--times", given->times,
                 "of a stage, all its chunks: forward, gradients of inputs, gradients of weights "
                 "(default: 1,1,1)")
      ->delimiter(',')
      ->type_name("F,B,W");
  app.add_option("--message", given->message, "time of a message between two stages")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  app.add_flag("--wait", given->wait, "senders wait for their messages (pipeline.senders=wait)");
  app.add_option("--columns", given->columns, "width of the time line")
      ->capture_default_str()
      ->check(WholeNumber(1, 10'000));
  app.add_flag("--table", given->table,
               "print the table as a file, for pipeline.schedule=file:NAME");
  AddJsonFlag(&app, &given->json);
  app.footer(
      Examples({"heddle pipeline zb-h1", "heddle pipeline interleaved --chunks 4 -p 8 -m 32",
                "heddle pipeline dualpipe -p 8 -m 20 --times 1,1.2,0.8 --message 0.1",
                "heddle pipeline zb-h1 --table > mine.txt", "heddle pipeline file:mine.txt"}));
  if (!ParseArguments(&app, arguments)) return false;
  CheckPipeline(*given);
  return true;
}

/// The table that is asked for; sizes that are not given are the file's.
PipelineTable TableOfArguments(PipelineArguments* given) {
  LoadPipelineTable(&given->schedule);
  const PipelineTable* own = given->schedule.own.get();
  if (given->stages == 0) given->stages = own != nullptr ? own->shape.stages : 4;
  if (given->micro_batches == 0)
    given->micro_batches = own != nullptr ? own->shape.micro_batches : 8;
  return MakePipelineTable(given->schedule, given->stages, given->micro_batches, "heddle pipeline");
}

PipelineTimes TimesOfArguments(const PipelineArguments& given, const PipelineTable& table) {
  PipelineTimes times;
  times.message = given.message;
  times.held = given.wait ? given.message : 0;
  const double parts = PipelineRoute(table.shape).layer_parts();
  times.task = [of = given.times, parts](std::uint32_t, const PipelineTask& task) {
    const double time = task.work == PipelineWork::kForward          ? of[0]
                        : task.work == PipelineWork::kInputGradient  ? of[1]
                        : task.work == PipelineWork::kWeightGradient ? of[2]
                                                                     : of[1] + of[2];
    return time / parts;
  };
  return times;
}

std::string HeldText(const PipelineTable& table) {
  std::vector<std::uint32_t> held;
  for (std::uint32_t stage = 0; stage < std::min(table.shape.stages, kMostListed); ++stage)
    held.push_back(MostHeld(table, stage));
  return fmt::format("{}{}", fmt::join(held, " "), table.shape.stages > kMostListed ? " ..." : "");
}

std::string PipelineText(const PipelineArguments& given, const PipelineTable& table,
                         const PipelineTimes& times) {
  const IdealRun run = RunIdeally(table, times);
  const PipelineShape& shape = table.shape;
  const double busy = *std::min_element(run.busy.begin(), run.busy.end());
  const ScheduleRow* const row = FindSchedule(given.schedule.schedule);
  return fmt::format(
             "schedule          {}{}{}\n"
             "pipeline          {} stages, {} micro-batches, {} chunk{} of the model on a stage\n"
             "time              {:.6g}, of which a stage works {:.6g} and is idle {:.6g} ({:.1f} "
             "%)\n"
             "messages          {}\n"
             "held activations  {} at most, by stage\n\n",
             DescribeSchedule(given.schedule, shape.stages), row == nullptr ? "" : ": ",
             row == nullptr ? "" : row->title, shape.stages, shape.micro_batches, shape.chunks,
             shape.chunks == 1 ? "" : "s", run.total, busy, run.total - busy,
             (run.total - busy) / run.total * 100, run.messages, HeldText(table)) +
         DrawSchedule(table, times, given.columns) +
         "\n> forward, < backward, - gradients of inputs, = of weights, + two together, . idle\n";
}

/// A stage's row.
struct StageRow {
  std::uint32_t stage = 0;
  double end = 0, busy = 0;
  std::uint32_t held = 0;
  std::size_t tasks = 0;
};

OrderedJson PipelineJson(const PipelineArguments& given, const PipelineTable& table,
                         const PipelineTimes& times) {
  const IdealRun run = RunIdeally(table, times);
  std::vector<StageRow> rows;
  for (std::uint32_t stage = 0; stage < table.shape.stages; ++stage)
    rows.push_back({stage, run.ends[stage], run.busy[stage], MostHeld(table, stage),
                    table.order[stage].size()});
  const PrintedColumns<StageRow> columns = {{"stage", &StageRow::stage},
                                            {"end", &StageRow::end},
                                            {"busy", &StageRow::busy},
                                            {"held_activations", &StageRow::held},
                                            {"tasks", &StageRow::tasks}};
  OrderedJson document = JsonDocument("pipeline", kPipelineSchema);
  document["schedule"] = DescribeSchedule(given.schedule, table.shape.stages);
  document["stages"] = table.shape.stages;
  document["micro_batches"] = table.shape.micro_batches;
  document["chunks"] = table.shape.chunks;
  document["time"] = run.total;
  document["messages"] = run.messages;
  document["by_stage"] = PrintedList(columns, rows);
  return document;
}

}  // namespace

int PipelineCommand(const std::vector<std::string>& arguments) {
  PipelineArguments given;
  if (!ParsePipeline(arguments, &given)) return 0;
  const PipelineTable table = TableOfArguments(&given);
  const PipelineTimes times = TimesOfArguments(given, table);
  if (given.table) {
    PrintText(PipelineTableText(table));
  } else if (given.json) {
    PrintJson(PipelineJson(given, table, times));
  } else {
    PrintText(PipelineText(given, table, times));
  }
  return 0;
}

}  // namespace heddle
