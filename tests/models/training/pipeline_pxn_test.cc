// SPDX-License-Identifier: GPL-2.0-only
/// Messages of a pipeline that PXN sends over a GPU of a third stage (found by collective_fuzz,
/// seed 128).
#include <gtest/gtest.h>

#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

TEST(PipelineOverPxn, AThirdStageHandsOnWhatItsProgramDoesNotKnow) {
  LeafSpineOptions shape;
  shape.gpus = 8;
  shape.gpus_per_server = 4;
  const Graph graph = Generate("Spectrum-X", shape);
  // Stage 3, on the last GPU of the first server, sends to stage 4, on the first GPU of the second,
  // by way of GPU 0, stage 0.
  const Job job = testing::MakeJob(
      graph,
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 8 ga: 2 pp_comm: 100000\n"
      "2\nfirst -1 10 NONE 0 10 NONE 0 10 NONE 0 1\nsecond -1 10 NONE 0 10 NONE 0 10 NONE 0 1\n");
  for (const bool pxn : {false, true}) {
    testing::Scenario scenario;
    scenario.collectives.pxn = pxn;
    const testing::Observed outcome = testing::SimulateJobs(graph, {job}, scenario);
    EXPECT_TRUE(outcome.waiting.empty()) << outcome.waiting.front();
    // 7 pairs of stages, 2 micro-batches, both directions; with PXN the pair between servers has
    // one more message each time.
    EXPECT_EQ(GetColumn<std::uint32_t>(outcome.flows, "src").size(), pxn ? 32u : 28u);
    for (const Table& table : outcome.jobs) {
      if (table.name != "collectives") continue;
      for (const std::int64_t end : GetColumn<std::int64_t>(table, "end_ps")) EXPECT_GT(end, 0);
    }
  }
}

}  // namespace
}  // namespace heddle
