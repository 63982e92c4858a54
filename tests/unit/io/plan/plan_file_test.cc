// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/check.h"
#include "io/plan/workload_file.h"
#include "io/simai/simai_workload.h"
#include "io/simai/workload_text.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

constexpr const char* kPlan =
    "# a step\n"
    "model = \"llama3-70b\"\n"
    "layers = 8\n"
    "gpus = 64\n"
    "tp = 8\n"
    "pp = 2\n"
    "micro_batch = 2\n"
    "overlap_gradients = false\n"
    "efficiency = 0.5\n";

StepPlan Resolve(const std::string& text) {
  return ResolvePlanFile(ParsePlan(text, "mine.toml", ""), "mine.toml");
}

std::string Refuse(const std::string& text) {
  return MessageOf([&] { Resolve(text); });
}

TEST(PlanFile, TakesWhatItSaysAndMegatronsDefaults) {
  const StepPlan plan = Resolve(kPlan);
  EXPECT_EQ(plan.shape.layers, 8);
  EXPECT_EQ(plan.shape.hidden, 8192);
  EXPECT_EQ(plan.parallel.data(), 4);
  EXPECT_EQ(plan.parallel.micro_batch, 2);
  EXPECT_EQ(plan.parallel.micro_batches(), 10);  // five for each stage
  EXPECT_FALSE(plan.parallel.overlap_gradients);
  EXPECT_TRUE(plan.parallel.sequence_parallel);
  EXPECT_TRUE(plan.parallel.zero);
  EXPECT_EQ(plan.speed.gpu.name, "H100");
  EXPECT_EQ(plan.speed.efficiency, 0.5);
}

TEST(PlanFile, GradientsOverlapUnlessItSaysNo) {
  EXPECT_TRUE(Resolve("model = \"gpt-13b\"\ngpus = 8\n").parallel.overlap_gradients);
}

TEST(PlanFile, ItsTextIsReadBackAsTheSameStep) {
  const PlanRequest request = ParsePlan(kPlan, "mine.toml", "");
  const StepPlan plan = ResolvePlan(request);
  const StepPlan again = Resolve(PlanText(request, "made by a test"));
  EXPECT_EQ(WorkloadText(MakeStepWorkload(again.shape, again.parallel, again.speed), ""),
            WorkloadText(MakeStepWorkload(plan.shape, plan.parallel, plan.speed), ""));
}

TEST(PlanFile, KeysAreReplacedByTexts) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "step.toml").string();
  std::ofstream(path) << kPlan;
  const PlanRequest request =
      ReadPlan(path, {"tp=4", "model=llama-7b", "zero = 0", "pp=4", "pp=1"});
  EXPECT_EQ(request.parallel.tensor, 4);
  EXPECT_EQ(request.parallel.pipeline, 1);
  EXPECT_EQ(request.model, "llama-7b");
  EXPECT_TRUE(request.no_zero);
  EXPECT_EQ(request.shape[0], 8);  // the layers, which nobody replaced
  EXPECT_EQ(
      MessageOf([&] { ReadPlan(path, {"pq=4"}); }).rfind("--plan pq=4:1: unknown key 'pq'", 0), 0u);
}

TEST(PlanFile, TimesAreReadBesideThePlan) {
  const TemporaryFolder folder;
  std::ofstream((folder.path() / "times.txt").string()) << "mlp 1 2 3\n";
  const std::string path = (folder.path() / "step.toml").string();
  std::ofstream(path) << kPlan << "compute_table = \"times.txt\"\n";
  const StepPlan plan = ResolvePlanFile(ReadPlan(path, {}), path);
  EXPECT_TRUE(plan.speed.table[static_cast<std::size_t>(BlockKind::kMlp)].has_value());
}

TEST(PlanFile, IsAWorkloadLikeTheFileThatItStandsFor) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "step.toml").string();
  std::ofstream(path) << kPlan;
  std::vector<std::string> notes;
  const Workload workload = ReadWorkload(path, {}, "H100", &notes);
  const StepPlan plan = Resolve(kPlan);
  const std::string text =
      WorkloadText(MakeStepWorkload(plan.shape, plan.parallel, plan.speed), "");
  EXPECT_EQ(WorkloadText(workload, ""), text);
  EXPECT_EQ(WorkloadText(ParseSimaiWorkload(text, "step.txt"), ""), text);
  EXPECT_EQ(workload.name, path);
}

TEST(PlanFile, RefusalsNameKeys) {
  EXPECT_EQ(Refuse("model = \"gpt-13b\"\ngpus = 60\ntp = 8\n"),
            "mine.toml: gpus: found 60, which TP x PP = 8 does not divide. Expected: 56 or 64");
  EXPECT_EQ(Refuse("gpus = 8\n").rfind("mine.toml:1: no model. Expected: ", 0), 0u);
  EXPECT_EQ(Refuse("model = \"gpt-13b\"\ngpus = 8\nep = 2\n"),
            "mine.toml: ep: gpt-13b has no experts. Expected: a model with experts");
  EXPECT_EQ(Refuse("model = \"mixtral-8x7b\"\ngpus = 8\ntp = 2\nsequence_parallel = false\n")
                .rfind("mine.toml: sequence_parallel = false: a model with experts", 0),
            0u);
  EXPECT_EQ(Refuse("model = \"gpt-13b\"\nzero = 3\n"),
            "mine.toml:2: zero = 3. Expected: a whole number from 0 to 1");
  EXPECT_NE(Refuse("model = \"gpt-14b\"\ngpus = 8\n").find("the nearest is gpt-13b"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
