// SPDX-License-Identifier: GPL-2.0-only
/// Messages of a pipeline beside collectives in phases (found by collective_fuzz, seed 6548).
#include <gtest/gtest.h>

#include "core/options/enum_words.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// A completion's notice is no later than the least delay of what follows it, of messages between
/// two ranks too, whose delays are not the phases'.
TEST(PipelineInPhases, MessagesAreThoseWithoutPhases) {
  LeafSpineOptions shape;
  shape.gpus = 8;
  shape.gpus_per_server = 4;
  const Graph graph = Generate("Spectrum-X", shape);
  const Job job = testing::MakeJob(
      graph,
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 8 ga: 2 pp_comm: 100000\n"
      "2\nfirst -1 10 NONE 0 10 NONE 0 10 NONE 0 1\nsecond -1 10 NONE 0 10 NONE 0 10 NONE 0 1\n");
  for (const char* latency : {"send_lat", "nccl", "hardware"}) {
    testing::Scenario scenario;
    scenario.collectives.pxn = true;
    scenario.collectives.latency = *FindWord<CollectiveOptions::Latency>(latency);
    const testing::Observed alone = testing::SimulateJobs(graph, {job}, scenario);
    scenario.collectives.phased.collectives = PhasedOptions::Form::kBaseline;
    scenario.collectives.phased.layout = "2x4";
    scenario.collectives.phased.endpoint_delay = MicroSeconds(3);
    scenario.collectives.phased.local_endpoint_delay = MicroSeconds(3);
    const testing::Observed beside = testing::SimulateJobs(graph, {job}, scenario);
    EXPECT_TRUE(beside.waiting.empty()) << beside.waiting.front();
    EXPECT_EQ(GetColumn<std::int64_t>(beside.flows, "start_ps"),
              GetColumn<std::int64_t>(alone.flows, "start_ps"))
        << latency;
  }
}

}  // namespace
}  // namespace heddle
