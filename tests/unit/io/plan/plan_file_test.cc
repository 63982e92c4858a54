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
  EXPECT_EQ(plan.parallel.zero, 1);
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
  EXPECT_EQ(request.zero, 0);
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

std::string SettingsOf(const std::string& text) {
  std::string said;
  for (const PlanSetting& setting : Resolve(text).settings)
    said += setting.option + "=" + setting.value + " ";
  return said;
}

constexpr const char* kStages = "model = \"gpt-7b\"\ngpus = 8\npp = 4\n";

TEST(PlanFile, SaysTheOrderOfItsStages) {
  const std::string stages = kStages;
  EXPECT_EQ(SettingsOf(stages), "");
  EXPECT_EQ(SettingsOf(stages + "schedule = \"zb-h1\"\nsenders = \"wait\"\n"),
            "pipeline.schedule=zb-h1 pipeline.senders=wait ");
  EXPECT_EQ(SettingsOf(stages + "vpp = 2\ngroup = 4\n"),
            "pipeline.schedule=interleaved pipeline.chunks=2 pipeline.group=4 ");
  EXPECT_EQ(SettingsOf("model = \"gpt-7b\"\ngpus = 8\nvpp = 2\nschedule = \"gpipe\"\n"), "")
      << "without stages there is no order";
}

TEST(PlanFile, SaysWhichExpertsTokensChoose) {
  const std::string v3 = "model = \"deepseek-v3\"\nlayers = 4\ngpus = 64\ntp = 2\n";
  EXPECT_EQ(SettingsOf(v3), "");
  // The limit of groups is the model's; a GPU of a TP group has half of the 4096 tokens.
  EXPECT_EQ(SettingsOf(v3 + "[experts]\nform = \"server\"\ndispatch = \"bf16\"\n"),
            "experts.count=256 experts.dispatch=file experts.form=server experts.groups=8 "
            "experts.routing=uniform experts.tokens=2048 experts.top_groups=4 experts.top_k=8 ");
  EXPECT_EQ(SettingsOf(v3 + "[experts]\ncount = 128\nrouting = \"zipf\"\nzipf = 0.5\n"
                            "compute = false\ntop_groups = 2\n"),
            "experts.compute=false experts.count=128 experts.groups=8 experts.routing=zipf "
            "experts.tokens=2048 experts.top_groups=2 experts.top_k=8 experts.zipf=0.5 ");
}

TEST(PlanFile, ItsOrdersAndChoicesAreReadBack) {
  const std::string text =
      "model = \"deepseek-v3\"\nlayers = 8\ngpus = 64\npp = 4\nschedule = \"file:a \\\"b\"\n"
      "recompute = \"full\"\nprecision = \"fp8\"\nsenders = \"wait\"\n[experts]\ncount = 64\n"
      "routing = \"tokens\"\ntable = \"t.txt\"\ncompute = false\n";
  const PlanRequest request = ParsePlan(text, "mine.toml", "/plans");
  const PlanRequest again = ParsePlan(PlanText(request, "again"), "again.toml", "/others");
  EXPECT_EQ(again.schedule, "file:/plans/a \"b");
  EXPECT_EQ(again.experts, request.experts);
  EXPECT_EQ(again.experts.at("table"), "/plans/t.txt");
  EXPECT_EQ(again.shape, request.shape);
  EXPECT_EQ(again.recompute, "full");
  EXPECT_EQ(again.precision, "fp8");
  EXPECT_EQ(FilesOfPlan(again), (std::vector<std::string>{"/plans/a \"b", "/plans/t.txt"}));
}

TEST(PlanFile, RefusesOrdersAndChoicesThatItCannotHave) {
  const std::string stages = kStages;
  EXPECT_EQ(
      Refuse(stages + "schedule = \"interleaved\"\n"),
      "mine.toml: vpp: found 1 with schedule interleaved. Expected: 2 or more, so that PP x VPP "
      "divides the 32 layers");
  EXPECT_EQ(
      Refuse(stages + "vpp = 2\nschedule = \"gpipe\"\n"),
      "mine.toml: vpp: found 2 with schedule gpipe. Expected: schedule interleaved, or vpp 1");
  EXPECT_EQ(Refuse(stages + "group = 4\n"),
            "mine.toml: group: found 4 with schedule 1f1b. Expected: schedule interleaved, or no "
            "group");
  EXPECT_EQ(
      Refuse("model = \"gpt-7b\"\nlayers = 12\ngpus = 8\npp = 4\nschedule = "
             "\"dualpipev\"\n"),
      "mine.toml: layers: found 12, which PP x the 2 chunks of dualpipev = 8 does not divide. "
      "Expected: 8 or 16");
  EXPECT_EQ(Refuse(stages + "recompute = \"ful\"\n").rfind("mine.toml: recompute: found 'ful'", 0),
            0u);
  EXPECT_EQ(
      Refuse(stages + "gpu = \"A100\"\nprecision = \"fp8\"\n"),
      "mine.toml: precision: found fp8, which A100 does not compute in. Expected: bf16, or gpu "
      "H100 or later");
  EXPECT_EQ(Refuse(stages + "[experts]\nform = \"rank\"\n"),
            "mine.toml: experts.form: gpt-7b has no experts. Expected: a model with experts");
  EXPECT_NE(Refuse(stages + "[experts]\nrouter = 1\n").find("unknown key 'router' in [experts]"),
            std::string::npos);
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
  EXPECT_EQ(Refuse("model = \"gpt-13b\"\nzero = 2\n"),
            "mine.toml:2: zero = 2. Expected: 0, 1 or 3");
  EXPECT_NE(Refuse("model = \"gpt-14b\"\ngpus = 8\n").find("the nearest is gpt-13b"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
