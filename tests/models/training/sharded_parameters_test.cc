// SPDX-License-Identifier: GPL-2.0-only
/// Parameters that are gathered ahead (ZeRO 3), on a fabric whose collectives all take one time:
/// the step by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/program/make_program.h"
#include "io/plan/plan_file.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kReplicas = 8;
constexpr std::int64_t kLayers = 4;

/// Four layers on eight replicas, one micro-batch each; a block takes the table's times.
constexpr const char* kSharded =
    "model = \"llama-7b\"\nlayers = 4\nhidden = 512\nvocabulary = 4096\nsequence = 256\ngpus = 8\n"
    "zero = 3\n";

heddle::Workload WorkloadWith(const std::string& times) {
  StepPlan step = ResolvePlanFile(ParsePlan(kSharded, "step.toml", ""), "step.toml");
  step.speed.table = ParseComputeTable(times, "times.txt");
  return MakeStepWorkload(step.shape, step.parallel, step.speed);
}

/// The end of a step whose collectives take `each`.
double MicrosecondsOf(const heddle::Workload& workload, Time each) {
  LeafSpineOptions options;
  options.gpus = kReplicas;
  const Graph graph = Generate("Spectrum-X", options);
  const ParallelGroups groups({1, 1, 1}, kReplicas, "step");
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < kReplicas; ++gpu) gpus.emplace_back(gpu);
  std::vector<Job> jobs;
  jobs.push_back({"step", workload, groups, MakeProgram(workload, groups, 1), gpus, Time{0},
                  Placement::kPacked});
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, each);
  AnalyticalBackend backend(fixed.Input());
  backend.Drive(&coordinator);
  EngineSetup setup;
  setup.on_cut = [](const Cut&) {};
  backend.Run(EngineKind::kDomain, Communicator::Serial(), setup);
  ns3::Simulator::Destroy();
  Time end;
  for (const FinishRecord& finish : coordinator.context().finishes) end = std::max(end, finish.end);
  return end.microseconds();
}

double ComputeMicroseconds(const heddle::Workload& workload) {
  double sum = 0;
  for (const Layer& layer : workload.layers)
    sum += layer.forward.compute.microseconds() + layer.input_gradient.compute.microseconds() +
           layer.weight_gradient.compute.microseconds();
  return sum;
}

constexpr double kBlocks[] = {20, 300, 300, 100, 50};  // embedding, attention, mlp, output, loss

std::string Times(double factor) {
  const char* const names[] = {"embedding", "attention", "mlp", "output", "loss"};
  std::string text = "optimizer 1\n";
  for (std::size_t i = 0; i < 5; ++i)
    text += fmt::format("{0} {1} {1} {1}\n", names[i], kBlocks[i] * factor);
  return text;
}

/// Pauses of a nanosecond and 100 ns behind each of the 14 collectives.
constexpr double kTolerance = 2;

// A layer computes 600 us forward and 1,200 us backward; a collective takes 500 us. Exposed are the
// gather of what is in no layer, that of the first layer but for the embedding's 20 us, of the last
// layer's second gather what the 300 us of output and loss leave, and behind the last layer's
// gradients the reductions of the first layer and of what is in none, but for the embedding's 40 us
// and Adam's 1 us.
TEST(ShardedParameters, LayersHideTheirGathers) {
  const heddle::Workload workload = WorkloadWith(Times(1));
  const double exposed = 500 + (500 - 20) + (500 - 300) + (2 * 500 - 40 - 1);
  EXPECT_NEAR(MicrosecondsOf(workload, MicroSeconds(500)), ComputeMicroseconds(workload) + exposed,
              kTolerance);
}

// Collectives of 10 ms one after the other: 1 + 4 gathers, 4 again, 4 + 1 reductions; beside them
// only what computes while none runs: ahead of the last layer's second gather all the forward pass
// of the last layer, its output and loss, and the backward pass of the first layer.
TEST(ShardedParameters, ShortLayersLeaveAllCommunicationExposed) {
  const heddle::Workload workload = WorkloadWith(Times(0.001));
  const double communication = 10000.0 * (1 + 3 * kLayers + 1);
  const double found = MicrosecondsOf(workload, MicroSeconds(10000));
  EXPECT_GE(found, communication);
  EXPECT_LE(found, communication + ComputeMicroseconds(workload) + kTolerance);
}

TEST(ShardedParameters, AreGatheredTwiceAndReducedOnceInEachMicroBatch) {
  const StepPlan step = ResolvePlanFile(
      ParsePlan(std::string(kSharded) + "global_batch = 24\n", "step.toml", ""), "step.toml");
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const LayerWork work(step.shape, step.parallel);
  const std::int64_t all = work.StageParameters().common,
                     root = work.RootParameters(PipelinePart::kFirst).common;
  EXPECT_EQ(all - root, kLayers * work.LayerParameters(false).common);
  std::int64_t gathered = 0, reduced = 0;
  for (const ProgramOp& op : MakeProgram(workload, ParallelGroups({1, 1, 1}, 8, ""), 1).ops) {
    if (op.spec.operation == Operation::kAllGather) gathered += op.spec.bytes;
    if (op.spec.operation == Operation::kReduceScatter) reduced += op.spec.bytes;
  }
  EXPECT_EQ(gathered, 3 * 2 * (2 * all - root));
  EXPECT_EQ(reduced, 3 * 4 * all);
}

}  // namespace
}  // namespace heddle::testing
