// SPDX-License-Identifier: GPL-2.0-only
/// Ranks that share the positions of a sequence: the step by hand where all collectives take one
/// time, and what they send by packets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "collectives/program/make_program.h"
#include "io/plan/plan_file.h"
#include "io/workload_model/context_lines.h"
#include "tests/models/training/one_price.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

/// Two layers, and one AllReduce of all gradients at the end.
StepPlan ContextStep(std::int64_t ranks, const std::string& how) {
  const std::string text = fmt::format(
      "model = \"llama-7b\"\nlayers = 2\nhidden = 512\nvocabulary = 4096\nsequence = 3072\n"
      "gpus = {0}\ncp = {0}\ncp_comm_type = \"{1}\"\nzero = 0\noverlap_gradients = false\n",
      ranks, how);
  StepPlan step = ResolvePlanFile(ParsePlan(text, "step.toml", ""), "step.toml");
  step.speed.table =
      ParseComputeTable("attention 900 2250 300\nmlp 600 600 600\noptimizer 0.001\n", "times.txt");
  return step;
}

Graph ContextFabric() {
  LeafSpineOptions options;
  options.gpus = 16;
  return Generate("Spectrum-X", options);
}

std::vector<Job> ContextJobs(const StepPlan& step) {
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const auto ranks = static_cast<std::uint32_t>(step.parallel.gpus);
  const ParallelGroups groups(workload.sizes, ranks, "step");
  std::vector<NodeId> gpus;
  // One GPU of a server each, as far as there are servers.
  for (std::uint32_t rank = 0; rank < ranks; ++rank) gpus.emplace_back(rank % 2 * 8 + rank / 2);
  std::vector<Job> jobs;
  jobs.push_back({"step", workload, groups, MakeProgram(workload, groups, 1), gpus, Time{0},
                  Placement::kPacked});
  return jobs;
}

/// The end of a step whose collectives take `each`.
double ContextMicroseconds(const std::vector<Job>& jobs, Time each) {
  return EndAtOnePrice(ContextFabric(), jobs, each);
}

/// What a step of two layers takes beyond its computing, if each collective takes `each` us.
double ExposedByHand(const heddle::Workload& workload, double each) {
  double exposed = each;  // the AllReduce of gradients
  for (const Layer& layer : workload.layers) {
    for (const LayerPhase* phase : {&layer.forward, &layer.input_gradient}) {
      if (phase->group != GroupType::kContext || phase->bytes == 0) continue;
      const double hidden = phase->together ? phase->compute.microseconds() : 0;
      exposed += std::max(0.0, each - hidden);
    }
  }
  return exposed;
}

// A rank's pairs take so long that a short exchange is hidden, and of a long one what they leave.
TEST(ContextParallel, RingsAreHiddenUnderAttention) {
  for (const std::int64_t ranks : {2, 3, 4}) {
    const std::vector<Job> jobs = ContextJobs(ContextStep(ranks, "p2p"));
    const heddle::Workload& workload = jobs[0].workload;
    const double computed = ComputedMicroseconds(workload);
    for (const double each : {1.0, 40.0, 5000.0}) {
      const double exposed = ExposedByHand(workload, each);
      // Two layers: 2 (C - 1) exchanges forward and 2 C backward.
      const double all = 5000.0 * static_cast<double>(1 + 2 * (2 * ranks - 1));
      EXPECT_TRUE(each != 1 || exposed == 1);
      EXPECT_TRUE(each != 5000 || exposed > all - 2 * 3150);
      EXPECT_NEAR(ContextMicroseconds(jobs, MicroSeconds(static_cast<std::int64_t>(each))),
                  computed + exposed, 5)
          << ranks << " ranks, " << each << " us";
    }
  }
}

// Two AllToAlls forward and two backward of each layer; one gather forward, a gather and a
// reduction backward.
TEST(ContextParallel, OtherExchangesAreExposed) {
  for (const auto& [how, collectives] : std::map<std::string, int>{{"a2a", 4}, {"allgather", 3}}) {
    const std::vector<Job> jobs = ContextJobs(ContextStep(4, how));
    EXPECT_NEAR(ContextMicroseconds(jobs, MicroSeconds(700)),
                ComputedMicroseconds(jobs[0].workload) + 700 * (1 + 2 * collectives), 5)
        << how;
  }
}

/// Flows and bytes of a job's operations of a type of groups.
struct ContextFlows {
  std::int64_t flows = 0, bytes = 0;
};

ContextFlows FlowsInContext(const std::vector<Job>& jobs) {
  const Observed observed = SimulateJobs(ContextFabric(), jobs);
  const auto& operations = GetColumn<std::uint32_t>(observed.flows, "operation");
  const auto& sizes = GetColumn<std::int64_t>(observed.flows, "size_bytes");
  ContextFlows sent;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (jobs[0].program.ops[operations[i]].spec.group != GroupType::kContext) continue;
    ++sent.flows;
    sent.bytes += sizes[i];
  }
  return sent;
}

// Of each layer a rank sends its keys and values C - 1 times forward, and 2 (C - 1) parts backward
// in C messages.
TEST(ContextParallel, ARingSendsWhatItsRanksHave) {
  for (const std::int64_t ranks : {2, 3, 4}) {
    const StepPlan step = ContextStep(ranks, "p2p");
    const std::int64_t each = ContextBytesOf(step.shape, step.parallel).keys_values;
    EXPECT_EQ(each, 2 * (3072 / ranks) * 2 * 512);
    const ContextFlows sent = FlowsInContext(ContextJobs(step));
    EXPECT_EQ(sent.flows, 2 * ranks * (ranks - 1 + ranks)) << ranks;
    EXPECT_EQ(sent.bytes, 2 * ranks * 3 * (ranks - 1) * each) << ranks;
  }
}

// A rank keeps a C-th of each AllToAll's buffer.
TEST(ContextParallel, AllToAllsSendAllButOnesOwn) {
  const StepPlan step = ContextStep(4, "a2a");
  const ContextBytes bytes = ContextBytesOf(step.shape, step.parallel);
  EXPECT_EQ(FlowsInContext(ContextJobs(step)).bytes,
            2 * 4 * 2 * (bytes.queries_too + bytes.output) * 3 / 4);
}

}  // namespace
}  // namespace heddle::testing
