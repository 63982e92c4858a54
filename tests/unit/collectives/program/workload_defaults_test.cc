// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/workload_defaults.h"

#include <string>
#include <vector>

#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

TEST(DefaultSizes, ByPolicy) {
  const auto sizes = [](const Workload& workload, std::uint32_t ranks) {
    const ParallelSizes s = DefaultSizes(workload, ranks, 8);
    return fmt::format("TP {} EP {} PP {}", s.tensor, s.expert, s.pipeline);
  };
  const auto of = [&](Policy policy) { return sizes(SmallWorkload(policy, 1), 32); };
  EXPECT_EQ(of(Policy::kMicro), "TP 1 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kData), "TP 1 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kHybridDlrm), "TP 1 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kHybridDlrmEnhanced), "TP 1 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kModel), "TP 32 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kDistributedInference), "TP 32 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kTransformerFwdInBckwd), "TP 32 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kHybridTransformer), "TP 8 EP 1 PP 1");
  EXPECT_EQ(of(Policy::kHybridCustomized), "TP 8 EP 1 PP 1");
  EXPECT_EQ(sizes(SmallWorkload(Policy::kHybridModelData, 1), 12), "TP 4 EP 1 PP 1");
  Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 1);
  workload.sizes = {0, 2, 4};
  EXPECT_EQ(sizes(workload, 32), "TP 8 EP 2 PP 4");
  workload.sizes = {2, 0, 0};
  EXPECT_EQ(sizes(workload, 32), "TP 2 EP 1 PP 1");
  workload = SmallWorkload(Policy::kMicro, 1);
  workload.named_groups = true;
  EXPECT_EQ(sizes(workload, 32), "TP 8 EP 4 PP 1");
  EXPECT_EQ(sizes(workload, 4), "TP 4 EP 1 PP 1");
}

TEST(GatherWholes, ShardsBecomeOutputsOfTheirGroups) {
  Workload workload = SmallWorkload(Policy::kHybridDataModel, 2);
  workload.layers[0].forward.operation = Operation::kAllGather;
  workload.layers[1].weight_gradient.operation = Operation::kAllGather;
  const Workload outputs = workload;
  EXPECT_EQ(GatherWholes(Groups(8, 1, 32), &workload), "");
  EXPECT_EQ(workload.layers[0].forward.bytes, 8192);
  workload.gathers_shards = true;
  EXPECT_EQ(GatherWholes(Groups(8, 1, 32), &workload),
            "w.txt: the bytes of 2 ALLGATHERs are taken for one rank's, as in ASTRA-SIM 1.0's "
            "files, whose first line has no keys");
  EXPECT_EQ(workload.layers[0].forward.bytes, 8 * 8192);
  EXPECT_EQ(workload.layers[1].weight_gradient.bytes, 4 * 8192);
  EXPECT_EQ(workload.layers[0].weight_gradient.bytes, 8192) << "an all-reduce";
  EXPECT_EQ(GatherWholes(Groups(8, 1, 32), &workload), "") << "once only";
  workload = outputs;
  workload.gathers_shards = true;
  workload.layers[1].weight_gradient.bytes = std::int64_t{1} << 61;
  EXPECT_EQ(
      MessageOf([&] { GatherWholes(Groups(8, 1, 32), &workload); }),
      "w.txt:4: ALLGATHER of shards of 2305843009213693952 bytes in groups of 4. Expected: at "
      "most 2^62 bytes in all");
}

TEST(WorkloadWarnings, SayWhatIsNotDone) {
  using Texts = std::vector<std::string>;
  Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 1);
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 1, 32)), Texts{});
  workload.all_gpus = 32;
  workload.virtual_pipeline = 8;
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 1, 32)), Texts{});
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 64)),
            (Texts{"w.txt: made for 32 GPUs (all_gpus), and runs on 64",
                   "w.txt: vpp 8 is run as 1: pipeline stages are not interleaved",
                   "w.txt: 2 pipeline stages and no pp_comm: their messages have 1 byte"}));
  workload.virtual_pipeline = 1;
  workload.announced_layers = workload.layers.size();
  workload.pipeline_bytes = 5;
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32)), Texts{});
  EXPECT_EQ(
      WorkloadWarnings(workload, Groups(1, 1, 32)),
      (Texts{
          "w.txt: 2 communications are in groups of one GPU, and left out (TP 1, DP 32, EP 1)"}));
  workload = PipelineWorkload(6, 4);
  workload.announced_layers = 839;
  EXPECT_EQ(
      WorkloadWarnings(workload, Groups(8, 2, 32)),
      (Texts{"w.txt: announces 839 layers and has 6, which are run; the file may be truncated",
             "w.txt: no embedding_layer: 6 layers are cut into 4 micro-batches (ga) of 1 or 2 "
             "layers"}));
  workload.announced_layers = 6;
  for (const std::size_t first : {1, 2, 4, 5}) workload.layers[first].name = "embedding_layer";
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32)), Texts{}) << "cut at these";
  workload = PipelineWorkload(6, 4);
  workload.gradient_accumulation = 3;
  workload.announced_layers = 6;
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32)), Texts{});
  for (const Policy policy : {Policy::kHybridDlrm, Policy::kHybridDlrmEnhanced})
    EXPECT_EQ(WorkloadWarnings(SmallWorkload(policy, 2), Groups(1, 1, 32)), Texts{});
}

TEST(WorkloadWarnings, SayWhatAScheduleDoesNotGain) {
  using Texts = std::vector<std::string>;
  Workload workload = PipelineWorkload(8, 8);
  workload.announced_layers = 8;
  workload.virtual_pipeline = 4;
  PipelineOptions pipeline;
  pipeline.schedule = "zb-h1";
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32), pipeline), Texts{});
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 1, 32), pipeline),
            (Texts{"w.txt: pipeline.schedule=zb-h1 changes nothing: there is one pipeline stage "
                   "(pp)"}));
  pipeline.schedule = "dualpipe";
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32), pipeline),
            (Texts{"w.txt: pipeline.schedule=dualpipe: each GPU holds the parameters of two "
                   "stages; lines outside the micro-batches (gradients, optimizer) are run as of "
                   "one"}));
  for (Layer& layer : workload.layers) layer.weight_gradient.compute = PicoSeconds(1);
  pipeline.schedule = "zb-h1";
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32), pipeline),
            (Texts{"w.txt: pipeline.schedule=zb-h1 gains little: the gradients of weights take 8ps "
                   "of 188ns for those of inputs"}));
  pipeline.schedule = "gpipe";
  EXPECT_EQ(WorkloadWarnings(workload, Groups(8, 2, 32), pipeline), Texts{});
}

}  // namespace
}  // namespace heddle
