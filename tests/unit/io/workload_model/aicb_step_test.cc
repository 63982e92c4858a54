// SPDX-License-Identifier: GPL-2.0-only
/// Steps against the files that AICB wrote for the same shapes: the same lines with the same
/// collectives, bytes and groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "io/input/text_file.h"
#include "io/simai/simai_workload.h"
#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

const std::string kTestData = HEDDLE_TEST_DATA;

std::string CollectiveOf(const LayerPhase& phase) {
  if (phase.operation == Operation::kNone) return "NONE";
  return std::string(ToText(phase.operation)) + " " + ToText(phase.group) + " " +
         std::to_string(phase.bytes);
}

std::vector<std::string> LinesOf(const Workload& workload) {
  std::vector<std::string> lines;
  for (const Layer& layer : workload.layers)
    lines.push_back(layer.name + ": " + CollectiveOf(layer.forward) + ", " +
                    CollectiveOf(layer.input_gradient) + ", " +
                    CollectiveOf(layer.weight_gradient));
  return lines;
}

void ExpectSameLines(const Workload& made, const Workload& file) {
  const std::vector<std::string> ours = LinesOf(made), theirs = LinesOf(file);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(ours[i], theirs[i]) << "line " << i + 3;
}

/// One of the files in tests/data/analytical/workloads.txt, which says what "REPEAT" is.
std::string FoldedFile(const std::string& name) {
  std::istringstream text(ReadTextFile(kTestData + "/analytical/workloads.txt"));
  std::string file, line;
  bool inside = false;
  while (std::getline(text, line)) {
    if (line == "FILE " + name) {
      inside = true;
    } else if (inside && line.rfind("END", 0) == 0) {
      return file;
    } else if (inside && line.rfind("REPEAT ", 0) == 0) {
      int times = 0, lines = 0;
      std::istringstream(line.substr(7)) >> times >> lines;
      std::string repeated;
      for (int i = 0; i < lines && std::getline(text, line); ++i) repeated += line + "\n";
      for (int i = 0; i < times; ++i) file += repeated;
    } else if (inside) {
      file += line + "\n";
    }
  }
  return file;
}

/// AICB's vocabulary of these files, not padded to 128.
ModelShape WithAicbWords(ModelShape shape, ParallelPlan* plan) {
  shape.vocabulary = 32000;
  plan->vocabulary_multiple = 1;
  plan->sequence_parallel = false;
  plan->rules = LineRules::kAicb;
  return shape;
}

TEST(AicbStep, IsTheFileOfGpt13b) {
  ParallelPlan plan = PlanFor(128, 8);
  const ModelShape shape = WithAicbWords(KnownModel("gpt-13b"), &plan);
  ExpectSameLines(StepOn(shape, plan),
                  ReadSimaiWorkload(
                      kTestData + "/workloads/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt"));
}

TEST(AicbStep, IsTheFileOfLlama7b) {
  ParallelPlan plan = PlanFor(128, 2);
  const ModelShape shape = WithAicbWords(KnownModel("llama-7b"), &plan);
  ExpectSameLines(StepOn(shape, plan),
                  ReadSimaiWorkload(
                      kTestData + "/workloads/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt"));
}

/// 96 layers of hidden size 6144, 4 of 128 experts, 12 stages on 9216 GPUs.
ModelShape SimaiExample(ParallelPlan* plan) {
  ModelShape shape = KnownModel("mixtral-8x7b");
  shape.layers = 96;
  shape.hidden = 6144;
  shape.heads = shape.kv_heads = 48;
  shape.ffn = shape.expert_ffn = 4 * 6144;
  shape.gated = false;
  shape.vocabulary = 50257;
  shape.experts = 128;
  shape.top_k = 4;
  *plan = PlanFor(9216, 2, 12);
  plan->expert = 16;
  plan->global_batch = 24 * plan->data();
  return shape;
}

TEST(AicbStep, IsTheFileOfSimaisModelWithExperts) {
  ParallelPlan plan;
  const ModelShape shape = SimaiExample(&plan);
  plan.rules = LineRules::kAicb;
  const Workload made = StepOn(shape, plan);
  const Workload file =
      ParseSimaiWorkload(FoldedFile("workload_analytical.txt"), "workload_analytical.txt");
  ExpectSameLines(made, file);
  EXPECT_EQ(made.sizes.tensor, file.sizes.tensor);
  EXPECT_EQ(made.sizes.expert, file.sizes.expert);
  EXPECT_EQ(made.sizes.pipeline, file.sizes.pipeline);
  EXPECT_EQ(made.virtual_pipeline, file.virtual_pipeline);
  EXPECT_EQ(made.gradient_accumulation, file.gradient_accumulation);
  EXPECT_EQ(made.all_gpus, file.all_gpus);
  EXPECT_EQ(made.pipeline_bytes, file.pipeline_bytes);
}

/// The collectives of the lines named so, in one micro-batch.
std::multiset<std::string> CollectivesIn(const Workload& workload,
                                         const std::vector<std::string>& names) {
  std::multiset<std::string> found;
  for (const Layer& layer : workload.layers) {
    if (std::find(names.begin(), names.end(), layer.name) == names.end()) continue;
    for (const LayerPhase* phase : {&layer.forward, &layer.input_gradient}) {
      if (phase->operation != Operation::kNone) found.insert(CollectiveOf(*phase));
    }
  }
  return found;
}

// Between layers, Megatron-LM's step has AICB's collectives to the byte.
TEST(MegatronStep, HasAicbsCollectivesOfDenseLayers) {
  ParallelPlan plan = PlanFor(128, 8);
  const ModelShape shape = WithAicbWords(KnownModel("gpt-13b"), &plan);
  const Workload file =
      ReadSimaiWorkload(kTestData + "/workloads/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt");
  plan.rules = LineRules::kMegatron;
  const std::vector<std::string> layers = {"attention_layer", "mlp_layer"};
  EXPECT_EQ(CollectivesIn(StepOn(shape, plan), layers), CollectivesIn(file, layers));
  EXPECT_EQ(CollectivesIn(file, layers).size(), 4U * 40);
}

// With experts too, but for the exchange within TP and the counts of tokens, which later versions
// of Megatron-LM have otherwise, and the column's gradient that has no bytes in AICB's file.
TEST(MegatronStep, HasAicbsCollectivesOfExperts) {
  ParallelPlan plan;
  const ModelShape shape = SimaiExample(&plan);
  const std::multiset<std::string> ours =
      CollectivesIn(StepOn(shape, plan),
                    {"moe_dispatch", "moe_gather", "moe_experts", "moe_combine", "attention_row"});
  std::multiset<std::string> theirs = CollectivesIn(
      ParseSimaiWorkload(FoldedFile("workload_analytical.txt"), "workload_analytical.txt"),
      {"mlp_moelayer", "attention_row"});
  theirs.erase("ALLTOALL TP 25165824");
  theirs.erase("ALLGATHER TP 1572864");
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(ours.count("ALLTOALL EP 100663296"), 24U * 8 * 4);
}

}  // namespace
}  // namespace heddle
