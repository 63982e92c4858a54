// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of pipeline schedules: what is accepted comes to its end on ideal stages,
/// sends each message once, and is read again as it is written; or it is refused in words.
#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "io/pipeline/pipeline_file.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

std::uint64_t CountBorders(const PipelineShape& shape) {
  const PipelineRoute route(shape);
  std::uint64_t borders = 0;
  for (std::uint32_t m = 0; m < shape.micro_batches; ++m) {
    for (std::uint32_t i = 0; i + 1 < route.positions(); ++i)
      borders += route.SendsAfter(m, i) ? 1 : 0;
  }
  return borders;
}

void CheckRun(const PipelineTable& table) {
  PipelineTimes times;
  times.task = [](std::uint32_t, const PipelineTask&) { return 1.0; };
  times.message = 0.5;
  const IdealRun run = RunIdeally(table, times);
  double busy = 0;
  for (std::uint32_t stage = 0; stage < table.shape.stages; ++stage) {
    if (run.busy[stage] != static_cast<double>(table.order[stage].size()))
      Complain("a stage has not done its tasks");
    busy += run.busy[stage];
  }
  if (!(run.total > 0) || run.total > busy + 0.5 * static_cast<double>(run.messages))
    Complain("it takes longer than one task after the other");
  if (run.messages != 2 * CountBorders(table.shape)) Complain("a message is missing or sent twice");
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const PipelineTable table = ParsePipelineTable(text, kFile);
    CheckRun(table);
    if (ParsePipelineTable(PipelineTableText(table), kFile).order != table.order)
      Complain("it is not read again as it is written");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "pipeline";
  reader.check = &Check;
  reader.words = {"stages 2\n",
                  "micro_batches 2\n",
                  "chunks 2\n",
                  "placement v\n",
                  "placement both-ends\n",
                  "stage 0:",
                  "stage 1:",
                  "F0",
                  "B0",
                  "I1",
                  "W1",
                  "F1.1",
                  "+",
                  ":",
                  "#",
                  "4294967296"};
  PipelineOptions options;
  for (const std::string& word : ScheduleWords()) {
    options.schedule = word;
    reader.seeds.push_back(PipelineTableText(MakePipelineTable(options, 2, 4, kFile)));
  }
  return reader;
}

}  // namespace heddle
