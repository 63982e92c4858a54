// SPDX-License-Identifier: GPL-2.0-only
#include "io/pipeline/pipeline_file.h"

#include <gtest/gtest.h>

#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/make_table.h"
#include "core/base/check.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

constexpr const char* kTable =
    "# two stages, the second overlaps\n"
    "stages 2\n"
    "micro_batches 3\n"
    "\n"
    "stage 0: F0 F1 F2   # all forwards\n"
    "stage 0: B0 B1 B2\n"
    "stage 1: F0 F1+B0 F2+I1 W1 B2\n";

std::string Refuse(const std::string& text) {
  return MessageOf([&] { ParsePipelineTable(text, "mine.txt"); });
}

TEST(PipelineFile, ReadsATable) {
  const PipelineTable table = ParsePipelineTable(kTable, "mine.txt");
  EXPECT_EQ(table.name, "mine.txt");
  EXPECT_EQ(table.shape.stages, 2u);
  EXPECT_EQ(table.shape.micro_batches, 3u);
  EXPECT_EQ(table.shape.chunks, 1u);
  EXPECT_EQ(table.order[0].size(), 6u);
  EXPECT_EQ(PipelineTableText(table),
            "stages 2\nmicro_batches 3\nchunks 1\nplacement loop\nstage 0: F0 F1 F2 B0 B1 B2\n"
            "stage 1: F0 F1+B0 F2+I1 W1 B2\n");
}

TEST(PipelineFile, ReadsWhatItWrites) {
  PipelineOptions options;
  for (const std::string& word : ScheduleWords()) {
    options.schedule = word;
    const PipelineTable table = MakePipelineTable(options, 4, 12, "w.txt");
    const PipelineTable read = ParsePipelineTable(PipelineTableText(table), "mine.txt");
    EXPECT_EQ(read.order, table.order) << word;
    EXPECT_EQ(read.shape.placement, table.shape.placement);
    EXPECT_EQ(read.shape.chunks, table.shape.chunks);
  }
}

TEST(PipelineFile, MistakesNameTheLine) {
  EXPECT_EQ(Refuse(""),
            "mine.txt: no stage. Expected: stages, micro_batches, and a line for each stage");
  EXPECT_EQ(Refuse("stage 0: F0 B0\n"),
            "mine.txt:1: a stage. Expected: stages and micro_batches before it");
  EXPECT_EQ(Refuse("stags 2\n"),
            "mine.txt:1: 'stags'. Expected: stages, micro_batches, chunks, placement, stage; the "
            "nearest is stages");
  EXPECT_EQ(Refuse("stages 0\n"), "mine.txt:1: stages '0'. Expected: an integer from 1 to 100000");
  EXPECT_EQ(Refuse("stages 2\nstages 2\n"), "mine.txt:2: stages twice. Expected: each once");
  EXPECT_EQ(Refuse("placement w\n"), "mine.txt:1: placement 'w'. Expected: loop, v, both-ends");
  EXPECT_EQ(Refuse("stages 1\nmicro_batches 1\nstage 1: F0\n"),
            "mine.txt:3: stage '1'. Expected: a number below 1 and a colon");
  EXPECT_EQ(Refuse("stages 1\nmicro_batches 1\nstage 0: F0 B0 +\n").substr(0, 28),
            "mine.txt:3: task ''. Expecte");
  EXPECT_EQ(Refuse("stages 1\nmicro_batches 1\nstage 0: F0 G0\n").substr(0, 30),
            "mine.txt:3: task 'G0'. Expecte");
  EXPECT_EQ(Refuse("stages 1\nmicro_batches 1\nstage 0: F0. B0\n").substr(0, 31),
            "mine.txt:3: task 'F0.'. Expecte");
  EXPECT_EQ(Refuse("stages 1\nmicro_batches 1\nstage 0: F0 B0\nchunks 2\n"),
            "mine.txt:4: chunks after a stage. Expected: it before the stages");
  EXPECT_EQ(Refuse("stages 2\nmicro_batches 2\nchunks 3\nplacement both-ends\nstage 0: F0\n"),
            "mine.txt:5: 3 chunks from both ends. Expected: chunks 2, one from each end");
}

TEST(PipelineFile, TablesAreProved) {
  EXPECT_EQ(Refuse("stages 2\nmicro_batches 1\nstage 0: F0 B0\nstage 1: F0 F0\n"),
            "mine.txt: stage 1: F0 is there twice. Expected: each forward once");
  EXPECT_EQ(
      Refuse("stages 100000\nmicro_batches 1000000\nchunks 1024\nstage 0: F0 B0\n"),
      "mine.txt: 2 tasks. Expected: a forward and a backward of each of 1000000 micro-batches "
      "on 100000 stages, 204800000000000 or more tasks")
      << "before memory for them is taken";
}

}  // namespace
}  // namespace heddle
