// SPDX-License-Identifier: GPL-2.0-only
/// Orders of the known schedules against those of their sources.
#include <gtest/gtest.h>

#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_proof.h"
#include "tests/unit/collectives/pipeline/pipeline_test_util.h"

namespace heddle {
namespace {

TEST(PipelineOrder, OneForwardOneBackward) {
  const PipelineTable table = TableOf("1f1b", {3, 4});
  EXPECT_EQ(OrderText(table, 0), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(OrderText(table, 1), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(OrderText(table, 2), "F0 B0 F1 B1 F2 B2 F3 B3");
}

TEST(PipelineOrder, FewerMicroBatchesThanStagesFillAndDrain) {
  const PipelineTable table = TableOf("1f1b", {4, 2});
  EXPECT_EQ(OrderText(table, 0), "F0 F1 B0 B1");
  EXPECT_EQ(OrderText(table, 2), "F0 F1 B0 B1");
  EXPECT_EQ(OrderText(table, 3), "F0 B0 F1 B1");
}

TEST(PipelineOrder, GPipe) {
  const PipelineTable table = TableOf("gpipe", {2, 3});
  EXPECT_EQ(OrderText(table, 0), "F0 F1 F2 B2 B1 B0");
  EXPECT_EQ(OrderText(table, 1), "F0 F1 F2 B2 B1 B0");
}

/// The example of Megatron-LM's get_schedule_table: groups of 3, 5 micro-batches, 2 chunks.
TEST(PipelineOrder, InterleavedGroups) {
  const PipelineTable table = TableOf("interleaved", {3, 5, 2, 3});
  std::string micro_batches, chunks;
  for (const PipelineTask& task : table.order[0]) {
    if (task.work != PipelineWork::kForward) continue;
    micro_batches += fmt::format("{} ", task.micro_batch);
    chunks += fmt::format("{} ", task.chunk);
  }
  EXPECT_EQ(micro_batches, "0 1 2 0 1 2 3 4 3 4 ");
  EXPECT_EQ(chunks, "0 0 0 1 1 1 0 0 1 1 ");
}

TEST(PipelineOrder, Interleaved) {
  const PipelineTable table = TableOf("interleaved", {2, 4, 2});
  // 2 (p - 1 - s) + (v - 1) n forwards first: 4 and 2.
  EXPECT_EQ(OrderText(table, 0),
            "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
  EXPECT_EQ(OrderText(table, 1),
            "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
}

/// Megatron-LM: one more forward first, then each forward with the backward behind it.
TEST(PipelineOrder, InterleavedInPairs) {
  const PipelineTable table = TableOf("interleaved", {2, 4, 2, 0, true});
  EXPECT_EQ(OrderText(table, 1),
            "F0.0 F1.0 F0.1 F1.1+B0.1 F2.0+B1.1 F3.0+B0.0 F2.1+B1.0 F3.1+B2.1 B3.1 B2.0 B3.0");
  std::size_t pairs = 0;
  for (const PipelineTask& task : table.order[1]) {
    EXPECT_TRUE(!task.with_next || task.work == PipelineWork::kForward);
    pairs += task.with_next ? 1 : 0;
  }
  EXPECT_EQ(pairs, 5u);  // 8 forwards, of which 3 come first
}

TEST(PipelineOrder, InterleavedInPairsComesToItsEnd) {
  for (std::uint32_t stages = 2; stages <= 6; ++stages) {
    for (std::uint32_t chunks = 2; chunks <= 3; ++chunks) {
      for (std::uint32_t m = stages; m <= 3 * stages; ++m) {
        if (m % stages != 0) continue;
        EXPECT_NO_THROW(ProveTable(TableOf("interleaved", {stages, m, chunks, 0, true})));
      }
    }
  }
}

TEST(PipelineOrder, OneStageInPairs) {
  const PipelineTable table = OneStageInPairs(3);
  EXPECT_EQ(OrderText(table, 0), "F0 B0+F1 B1+F2 B2");
  EXPECT_TRUE(table.order[0][1].with_next && table.order[0][3].with_next);
  EXPECT_FALSE(table.order[0][0].with_next || table.order[0][5].with_next);
  EXPECT_NO_THROW(ProveTable(table));
}

TEST(PipelineOrder, ZeroBubbleH1) {
  const PipelineTable table = TableOf("zb-h1", {3, 4});
  // The first stage runs each gradient of weights right behind that of inputs.
  EXPECT_EQ(OrderText(table, 0), "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3");
  EXPECT_EQ(OrderText(table, 1), "F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3");
  EXPECT_EQ(OrderText(table, 2), "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3");
}

/// 4 stages, 8 micro-batches of which 0 to 3 enter at stage 0 and 4 to 7 at stage 3.
TEST(PipelineOrder, DualPipe) {
  const PipelineTable table = TableOf("dualpipe", {4, 8});
  EXPECT_EQ(OrderText(table, 0),
            "F0.0 F1.0 F2.0 F4.1 I4.1 W4.1 F5.1 F3.0+B5.1 F6.1+B0.0 B6.1 F7.1+B1.0 B7.1 I2.0 W2.0 "
            "I3.0 W3.0");
  EXPECT_EQ(OrderText(table, 1),
            "F0.0 F4.1 F1.0 F5.1 F2.0 B4.1 F6.1+B0.0 F3.0+B5.1 F7.1+B1.0 B6.1 B2.0 I7.1 I3.0 W7.1 "
            "W3.0");
  for (const std::uint32_t stage : {0U, 1U}) {
    // From the other end the same, with directions and micro-batches exchanged.
    const std::vector<PipelineTask>& near = table.order[stage];
    const std::vector<PipelineTask>& far = table.order[3 - stage];
    ASSERT_EQ(near.size(), far.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
      PipelineTask mirrored = near[i];
      mirrored.chunk = 1 - mirrored.chunk;
      mirrored.micro_batch = (mirrored.micro_batch + 4) % 8;
      EXPECT_EQ(mirrored, far[i]);
    }
  }
}

TEST(PipelineOrder, DualPipeVIsAHalfOfDualPipe) {
  const PipelineTable both = TableOf("dualpipe", {8, 20}), half = TableOf("dualpipev", {4, 10});
  EXPECT_EQ(half.shape.placement, ChunkPlacement::kV);
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    ASSERT_EQ(half.order[stage].size(), both.order[stage].size());
    for (std::size_t i = 0; i < half.order[stage].size(); ++i) {
      PipelineTask task = both.order[stage][i];
      task.micro_batch %= 10;
      EXPECT_EQ(half.order[stage][i], task);
    }
  }
}

TEST(PipelineOrder, RoutesOfPlacements) {
  const PipelineRoute loop({3, 2, 2, ChunkPlacement::kLoop});
  const PipelineRoute bent({3, 2, 2, ChunkPlacement::kV});
  const PipelineRoute ends({3, 2, 2, ChunkPlacement::kBothEnds});
  const auto stages = [](const PipelineRoute& route, std::uint32_t micro_batch) {
    std::string text;
    for (std::uint32_t i = 0; i < route.positions(); ++i)
      text += std::to_string(route.StageAt(micro_batch, i));
    return text;
  };
  EXPECT_EQ(stages(loop, 0), "012012");
  EXPECT_EQ(stages(bent, 0), "012210");
  EXPECT_EQ(stages(ends, 0), "012");
  EXPECT_EQ(stages(ends, 1), "210");
  EXPECT_TRUE(loop.SendsAfter(0, 2));
  EXPECT_FALSE(bent.SendsAfter(0, 2)) << "the middle of a V is on one stage";
  EXPECT_EQ(loop.PositionOf(1, 1), 4u);
  EXPECT_EQ(bent.PositionOf(1, 1), 4u);
  EXPECT_EQ(bent.PositionOf(0, 1), 5u);
  EXPECT_EQ(ends.PositionOf(0, 1), 2u);
  EXPECT_TRUE(ends.Passes(0, 0) && ends.Passes(1, 1));
  EXPECT_FALSE(ends.Passes(0, 1) || ends.Passes(1, 0));
}

/// All sizes up to 6 stages: each table is proved, and positions are those of the route.
TEST(PipelineOrder, EveryLegalTableIsProved) {
  int proved = 0;
  for (const ScheduleRow& row : KnownSchedules()) {
    for (std::uint32_t stages = 1; stages <= 6; ++stages) {
      for (std::uint32_t micro_batches = 1; micro_batches <= 26; ++micro_batches) {
        for (std::uint32_t chunks = 1; chunks <= (row.takes_chunks ? 4 : 1); ++chunks) {
          for (std::uint32_t group = 0; group <= (row.takes_chunks ? 8 : 0); ++group) {
            const ScheduleRequest request{stages, micro_batches, chunks, group};
            if (row.refuse != nullptr && !row.refuse(request).empty()) continue;
            const PipelineTable table = TableOf(row.word, request);
            ASSERT_NO_THROW(ProveTable(table)) << row.word << ' ' << stages << ' ' << micro_batches;
            const PipelineRoute route(table.shape);
            for (std::uint32_t stage = 0; stage < stages; ++stage) {
              for (const PipelineTask& task : table.order[stage]) {
                ASSERT_EQ(route.StageAt(task.micro_batch, route.PositionOf(stage, task.chunk)),
                          stage);
              }
            }
            ++proved;
          }
        }
      }
    }
  }
  EXPECT_GT(proved, 1000);
}

TEST(PipelineOrder, ActivationsThatAreLive) {
  for (const std::uint32_t stages : {2U, 4U, 8U}) {
    const std::uint32_t micro_batches = 3 * stages;
    const PipelineTable plain = TableOf("1f1b", {stages, micro_batches});
    const PipelineTable zero = TableOf("zb-h1", {stages, micro_batches});
    const PipelineTable chunked = TableOf("interleaved", {stages, micro_batches, 3});
    const PipelineTable dual = TableOf("dualpipe", {stages, micro_batches + micro_batches % 2});
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      EXPECT_EQ(MostLive(plain, stage), stages - stage);
      EXPECT_EQ(MostLive(zero, stage), stages - stage);
      EXPECT_EQ(MostLive(chunked, stage), 2 * (stages - 1 - stage) + 2 * stages + 1);
      EXPECT_EQ(MostLive(dual, stage), stages + 1);
    }
    EXPECT_EQ(MostLive(TableOf("gpipe", {stages, micro_batches}), 0), micro_batches);
  }
}

}  // namespace
}  // namespace heddle
