// SPDX-License-Identifier: GPL-2.0-only
/// Training loops of ASTRA-SIM against time lines made by hand: every collective takes 100 us, and
/// those of a communicator follow each other.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <map>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// What a run of a job was, seen from GPU 0; all GPUs are alike.
struct Played {
  Time end;
  std::vector<LayerRecord> layers;
  std::map<std::string, std::size_t> collectives;  ///< by type of group
};

Played Play(std::uint32_t gpus, const std::string& workload, std::uint32_t passes) {
  const Graph graph = Star(std::vector<Cable>(gpus, Cable{400}));
  const std::vector<Job> jobs = {MakeJob(graph, workload, {}, Time{0}, passes)};
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, MicroSeconds(100));
  AnalyticalBackend backend(fixed.Input());
  backend.Drive(&coordinator);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  ns3::Simulator::Destroy();
  const ExecutionContext& context = coordinator.context();
  Played played;
  for (const FinishRecord& finish : context.finishes) {
    EXPECT_TRUE(played.end == Time{} || played.end == finish.end) << "GPUs end together";
    played.end = finish.end;
  }
  for (const LayerRecord& layer : context.layers) {
    if (layer.rank == 0) played.layers.push_back(layer);
  }
  const auto ops = static_cast<std::uint32_t>(jobs[0].program.ops.size());
  for (const CollectiveRecord& record : context.collectives)
    ++played.collectives[ToText(jobs[0].program.ops[record.operation % ops].spec.group)];
  return played;
}

Time Exposed(const Played& played, std::size_t layer, Phase phase) {
  return played.layers.at(layer).exposed[static_cast<int>(phase)];
}

/// Layer 1 is the last bottom one.
std::string Dlrm(const std::string& policy, const std::string& embeddings = "ALLTOALL") {
  return policy + " 1\n3\nembeddings -1 10000 " + embeddings + " 4096 5000 " + embeddings +
         " 4096 20000 NONE 0 0\n"
         "bottom -1 30000 NONE 0 7000 NONE 0 8000 NONE 0 0\n"
         "top -1 1000 NONE 0 2000 NONE 0 3000 NONE 0 0\n";
}

TEST(TrainingLoops, DlrmExchangesEmbeddingsBesideItsBottomLayers) {
  // Forward: embeddings 0 to 10 us, exchange to 110; bottom 10.001 to 40.001, waits; top from
  // 110.001 on, with its gradients to 116.003; exchange back to 216.003. Bottom from 116.004 on, to
  // 131.005; the embeddings' weights to 151.006; waits.
  const Played played = Play(2, Dlrm("HYBRID_DLRM"), 1);
  EXPECT_EQ(Exposed(played, 0, Phase::kForward), NanoSeconds(69'999));
  EXPECT_EQ(Exposed(played, 0, Phase::kInputGradient), NanoSeconds(64'997));
  EXPECT_EQ(played.end, NanoSeconds(216'004));
  EXPECT_EQ(Play(2, Dlrm("HYBRID_DLRM"), 2).end, NanoSeconds(432'008)) << "passes are alike";
}

TEST(TrainingLoops, EnhancedDlrmGoesOnWithoutTheExchangeBack) {
  EXPECT_EQ(Play(2, Dlrm("HYBRID_DLRM_ENHANCED"), 1).end, NanoSeconds(216'003))
      << "the program's end waits for it";
  // The second pass begins at 151.007. Its exchange is issued at 161.007, begins behind the one
  // back at 216.003 and ends at 316.003; bottom ends at 191.008 and waits. The next exchange back
  // is issued at 322.006, and the embeddings' weights end at 357.009.
  const Played played = Play(2, Dlrm("HYBRID_DLRM_ENHANCED"), 2);
  EXPECT_EQ(Exposed(played, 0, Phase::kForward), NanoSeconds(69'999 + 124'995));
  EXPECT_EQ(Exposed(played, 0, Phase::kInputGradient), NanoSeconds(64'996)) << "at the end";
  EXPECT_EQ(played.end, NanoSeconds(422'006));
}

TEST(TrainingLoops, OnlyAnAllToAllOfTheForwardColumnsIsIssued) {
  const Played played = Play(2, Dlrm("HYBRID_DLRM", "ALLREDUCE"), 1);
  EXPECT_EQ(Exposed(played, 0, Phase::kForward), Time{});
  EXPECT_EQ(played.collectives.at("DP"), 1u) << "back";
}

TEST(TrainingLoops, CustomizedLayersHaveTheirOwnGroupsAndCollectives) {
  // Forward: data to 1 us, model 1.001 to 5.001, its collective to 105.001; hybrid 105.002 to
  // 112.002, its to 212.002. Backward: hybrid's inputs 212.003 to 220.003, collective to 320.003;
  // weights to 229.004, collective to 329.004; waits to 320.003. Model's inputs 320.004 to 325.004,
  // collective to 425.004; weights to 331.005; waits. Data's inputs 425.005 to 427.005, weights
  // 427.006 to 430.006, collective to 530.006.
  const Played played =
      Play(4,
           "HYBRID_CUSTOMIZED model_parallel_NPU_group: 2\n3\n"
           "data -1 1000 ALLREDUCE 4096 2000 ALLREDUCE 4096 3000 ALLREDUCE 4096 0 DATA\n"
           "model -1 4000 ALLREDUCE 4096 5000 ALLREDUCE 4096 6000 ALLREDUCE 4096 0 MODEL\n"
           "both -1 7000 ALLREDUCE 4096 8000 ALLREDUCE 4096 9000 ALLREDUCE 4096 0 "
           "HYBRID_DATA_MODEL\n",
           1);
  EXPECT_EQ(played.end, NanoSeconds(530'006));
  EXPECT_EQ(Exposed(played, 0, Phase::kForward), Time{});
  EXPECT_EQ(Exposed(played, 0, Phase::kWeightGradient), NanoSeconds(99'999)) << "at the end";
  EXPECT_EQ(Exposed(played, 1, Phase::kForward), MicroSeconds(100));
  EXPECT_EQ(Exposed(played, 1, Phase::kInputGradient), NanoSeconds(93'999));
  EXPECT_EQ(Exposed(played, 2, Phase::kForward), MicroSeconds(100));
  EXPECT_EQ(Exposed(played, 2, Phase::kInputGradient), NanoSeconds(90'999));
  const std::map<std::string, std::size_t> groups = {{"ALL", 3}, {"TP", 4}, {"DP", 2}};
  EXPECT_EQ(played.collectives, groups);
}

}  // namespace
}  // namespace heddle::testing
