// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/simai_workload.h"

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

const std::string kHeader =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 "
    "all_gpus: 8 checkpoints: 0 "
    "checkpoint_initiates: 0\n";
const std::string kLayer = "l0 -1 10 ALLREDUCE 100 20 NONE 0 30 REDUCESCATTER 300 40\n";
const std::string kData = HEDDLE_TEST_DATA "/workloads/";

Workload ParseWorkload(const std::string& text) { return ParseSimaiWorkload(text, "w.txt"); }
std::string Message(const std::string& text) {
  return MessageOf([&] { ParseWorkload(text); });
}

TEST(SimaiWorkload, ModelAndDataParallelGroupsChangePlacesInHybridModelData) {
  const auto layer = [](const std::string& policy) {
    return ParseWorkload(policy +
                         "\n1\nl0 -1 10 ALLGATHER 100 20 ALLREDUCE 200 30 ALLREDUCE 300 40\n")
        .layers.at(0);
  };
  const Layer data_model = layer("HYBRID_DATA_MODEL"), model_data = layer("HYBRID_MODEL_DATA");
  EXPECT_EQ(data_model.forward.group, GroupType::kTensor);
  EXPECT_EQ(data_model.input_gradient.group, GroupType::kTensor);
  EXPECT_EQ(data_model.weight_gradient.group, GroupType::kData);
  EXPECT_EQ(model_data.forward.group, GroupType::kData);
  EXPECT_EQ(model_data.input_gradient.group, GroupType::kData);
  EXPECT_EQ(model_data.weight_gradient.group, GroupType::kTensor);
}

TEST(SimaiWorkload, TrainingLoopsWithoutKeysAreAstraSims) {
  const auto gathers_shards = [](const std::string& header) {
    return ParseWorkload(header + "\n2\n" + kLayer + kLayer).gathers_shards;
  };
  for (const char* header : {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",
                             "HYBRID_TRANSFORMER", "HYBRID_DLRM 0", "DISTRIBUTED_INFERENCE"})
    EXPECT_TRUE(gathers_shards(header)) << header;
  for (const char* header : {"MICRO", "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                             "HYBRID_TRANSFORMER model_parallel_NPU_group: 8", "MODEL ep: 1"})
    EXPECT_FALSE(gathers_shards(header)) << header;
}

TEST(SimaiWorkload, ReadsLayers) {
  const Workload workload = ParseWorkload(kHeader + "1\n" + kLayer);
  EXPECT_EQ(workload.name, "w.txt");
  EXPECT_EQ(workload.policy, Policy::kTransformerFwdInBckwd);
  ASSERT_EQ(workload.layers.size(), 1u);
  const Layer& layer = workload.layers[0];
  EXPECT_EQ(layer.name, "l0");
  EXPECT_EQ(layer.line, 3);
  EXPECT_EQ(layer.forward.compute, NanoSeconds(10));
  EXPECT_EQ(layer.forward.operation, Operation::kAllReduce);
  EXPECT_EQ(layer.forward.group, GroupType::kTensor);
  EXPECT_EQ(layer.forward.bytes, 100);
  EXPECT_EQ(layer.input_gradient.compute, NanoSeconds(20));
  EXPECT_EQ(layer.input_gradient.operation, Operation::kNone);
  EXPECT_EQ(layer.weight_gradient.compute, NanoSeconds(30));
  EXPECT_EQ(layer.weight_gradient.operation, Operation::kReduceScatter);
  EXPECT_EQ(layer.weight_gradient.group, GroupType::kData);
  EXPECT_EQ(layer.weight_gradient.bytes, 300);
  EXPECT_EQ(layer.update, NanoSeconds(40));
}

TEST(SimaiWorkload, HeaderKeysInAnyOrder) {
  const Workload workload = ParseWorkload(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tga: 4 checkpoint_initiates: 1 1 pp_comm 50331648 "
      "checkpoints: 2 0 1 vpp: "
      "2\tpp: 2 ep: 3 "
      "all_gpus: 96 model_parallel_NPU_group: 16 \t\n2\n" +
      kLayer + kLayer);
  EXPECT_EQ(workload.sizes.tensor, 16);
  EXPECT_EQ(workload.sizes.expert, 3);
  EXPECT_EQ(workload.sizes.pipeline, 2);
  EXPECT_EQ(workload.virtual_pipeline, 2);
  EXPECT_EQ(workload.gradient_accumulation, 4);
  EXPECT_EQ(workload.all_gpus, 96);
  EXPECT_EQ(workload.pipeline_bytes, 50331648);
  EXPECT_EQ(workload.checkpoints, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(workload.checkpoint_initiates, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(
      ParseWorkload("HYBRID_TRANSFORMER_FWD_IN_BCKWD pp_comm: 7\n1\n" + kLayer).pipeline_bytes, 7);
  EXPECT_EQ(ParseWorkload("HYBRID_TRANSFORMER_FWD_IN_BCKWD pp_comm: 6291456.0\n1\n" + kLayer)
                .pipeline_bytes,
            6291456);
  const Workload bare = ParseWorkload("HYBRID_TRANSFORMER_FWD_IN_BCKWD\n1\n" + kLayer);
  EXPECT_FALSE(bare.inference);
  EXPECT_EQ(bare.sizes.tensor, 0);
  EXPECT_EQ(bare.gradient_accumulation, 1);
  EXPECT_EQ(bare.all_gpus, 0);
}

/// Headers as AICB's inference generator and its test of several AllReduces write them.
TEST(SimaiWorkload, HeadersOfAicbsOtherGenerators) {
  const Workload inference = ParseWorkload(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 2 all_gpus: 16 mode: "
      "1 vpp: 1 ga: 1 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 4096\n1\n" +
      kLayer);
  EXPECT_TRUE(inference.inference);
  EXPECT_EQ(inference.sizes.expert, 4);
  EXPECT_EQ(inference.pipeline_bytes, 4096);
  EXPECT_FALSE(ParseWorkload("HYBRID_TRANSFORMER_FWD_IN_BCKWD mode: 0\n1\n" + kLayer).inference);
  EXPECT_EQ(ParseWorkload("HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 "
                          "expert_parallel_npu_group: 2 pp: 1 ga: 1 all_gpus: 16 checkpoints: 0 "
                          "checkpoint_initiates: 0\n1\n" +
                          kLayer)
                .sizes.expert,
            2);
  EXPECT_EQ(
      Message("HYBRID_TRANSFORMER_FWD_IN_BCKWD ep: 2 expert_parallel_npu_group: 2\n1\n" + kLayer),
      "w.txt:1: column 4: key \"expert_parallel_npu_group:\" was already given. Expected: "
      "each key once");
}

TEST(SimaiWorkload, BlanksCommentsLineEndsAndMoreColumns) {
  const Workload workload = ParseWorkload(
      "# by hand\r\n\r\nMODEL\t\t\t\r\n 2 \t\r\n  # layers\r\nl#0\t-1\t\t10  NONE 0 20 NONE 0 30 "
      "NONE 0 "
      "40\t\t\r\n\t\r\n"
      "l1 -1 1 NONE 0 1 NONE 0 1 NONE 0 1 1 more # text\r\n\r\n");
  ASSERT_EQ(workload.layers.size(), 2u);
  EXPECT_EQ(workload.layers[0].name, "l#0");
  EXPECT_EQ(workload.layers[1].line, 8);
}

TEST(SimaiWorkload, SuffixesNameTheGroup) {
  const auto groups = [](const std::string& fwd, const std::string& wg) {
    const Layer layer =
        ParseWorkload("MICRO\n1\nl -1 1 " + fwd + " 5 1 " + fwd + " 5 1 " + wg + " 5 1").layers[0];
    EXPECT_EQ(layer.forward.group, layer.input_gradient.group);
    return std::string(ToText(layer.forward.operation)) + " " + ToText(layer.forward.group) + ", " +
           ToText(layer.weight_gradient.operation) + " " + ToText(layer.weight_gradient.group);
  };
  EXPECT_EQ(groups("ALLREDUCE", "ALLREDUCE"), "ALLREDUCE TP, ALLREDUCE DP");
  EXPECT_EQ(groups("ALLTOALL_EP", "ALLGATHER_DP_EP"), "ALLTOALL EP, ALLGATHER DP_EP");
  EXPECT_EQ(groups("REDUCE_DP", "BROADCAST_TP"), "REDUCE DP, BROADCAST TP");
  EXPECT_EQ(groups("ALLREDUCE_ALL", "ALLTOALL_ALL"), "ALLREDUCE ALL, ALLTOALL ALL");
  EXPECT_EQ(groups("SENDRECV_DP_EP", "REDUCESCATTER_EP"), "SENDRECV DP_EP, REDUCESCATTER EP");
}

TEST(SimaiWorkload, EveryPolicy) {
  for (const Policy policy :
       {Policy::kMicro, Policy::kData, Policy::kModel, Policy::kHybridDataModel,
        Policy::kHybridModelData, Policy::kHybridTransformer, Policy::kTransformerFwdInBckwd,
        Policy::kDistributedInference}) {
    EXPECT_EQ(ParseWorkload(std::string(ToText(policy)) + "\t\t\n1\n" + kLayer).policy, policy);
  }
  EXPECT_EQ(
      ParseWorkload("HYBRID_TRANSFORMER\tmodel_parallel_NPU_group: 4\n1\n" + kLayer).sizes.tensor,
      4);
  const Workload dlrm = ParseWorkload("HYBRID_DLRM\t1\t\t\n3\n" + kLayer + kLayer + kLayer);
  EXPECT_EQ(dlrm.policy, Policy::kHybridDlrm);
  EXPECT_EQ(dlrm.last_bottom_layer, 1);
  const Workload enhanced = ParseWorkload("HYBRID_DLRM_ENHANCED 0\n2\n" + kLayer + kLayer);
  EXPECT_EQ(enhanced.policy, Policy::kHybridDlrmEnhanced);
  EXPECT_EQ(enhanced.last_bottom_layer, 0);
}

TEST(SimaiWorkload, LayersOfCustomizedHavePolicies) {
  const auto of = [](const std::string& policy) {
    const Layer layer = ParseWorkload(
                            "HYBRID_CUSTOMIZED\n1\nl -1 1 ALLREDUCE 5 1 ALLGATHER 5 1 "
                            "REDUCESCATTER 5 1 " +
                            policy + " more\n")
                            .layers[0];
    EXPECT_EQ(layer.forward.group, layer.input_gradient.group);
    return std::string(ToText(layer.policy)) + ": " + ToText(layer.forward.group) + ", " +
           ToText(layer.weight_gradient.group);
  };
  EXPECT_EQ(of("DATA"), "DATA: ALL, ALL");
  EXPECT_EQ(of("MODEL"), "MODEL: ALL, ALL");
  EXPECT_EQ(of("HYBRID_DATA_MODEL"), "HYBRID_DATA_MODEL: TP, DP");
  EXPECT_EQ(of("HYBRID_MODEL_DATA"), "HYBRID_MODEL_DATA: DP, TP");
  EXPECT_EQ(of("HYBRID_TRANSFORMER"), "HYBRID_TRANSFORMER: TP, DP");
  const Workload named = ParseWorkload(
      "HYBRID_CUSTOMIZED model_parallel_NPU_group: 4\n1\n"
      "l -1 1 ALLREDUCE_DP 5 1 NONE 0 1 ALLREDUCE_TP 5 1 DATA\n");
  EXPECT_EQ(named.sizes.tensor, 4);
  EXPECT_EQ(named.layers[0].weight_gradient.group, GroupType::kTensor) << "a suffix comes first";
}

TEST(SimaiWorkload, MistakesInLayersOfCustomized) {
  const auto layer = [](const std::string& line) {
    return Message("HYBRID_CUSTOMIZED\n1\n" + line);
  };
  const std::string policies =
      "DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_TRANSFORMER";
  EXPECT_EQ(layer("l -1 1 NONE 0 1 NONE 0 1 NONE 0 1"),
            "w.txt:3: 12 columns. Expected: 13 columns on one line: name dependency fwd_ns "
            "fwd_comm fwd_bytes ig_ns ig_comm ig_bytes wg_ns wg_comm wg_bytes update_ns policy");
  EXPECT_EQ(
      layer("l -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODELS"),
      "w.txt:3: column 13: policy \"MODELS\". Expected: " + policies + "; the nearest is MODEL");
  EXPECT_EQ(layer("l -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MICRO").substr(0, 49 + policies.size()),
            "w.txt:3: column 13: policy \"MICRO\". Expected: " + policies);
}

TEST(SimaiWorkload, MicroBenchmarksWithoutHeader) {
  const Workload workload = ParseWorkload(
      "# num_passes op_type data_size group_type\n1 ALLREDUCE 1048576 TP    # 1MB\n2 ALLREDUCE "
      "67108864 DP\n1 ALLTOALL "
      "16777216 EP\n"
      "1 SENDRECV 5\n");
  EXPECT_EQ(workload.policy, Policy::kMicro);
  EXPECT_TRUE(workload.named_groups);
  ASSERT_EQ(workload.layers.size(), 5u);
  std::string groups;
  for (const Layer& layer : workload.layers) {
    EXPECT_EQ(layer.forward.operation, Operation::kNone);
    groups += std::string(ToText(layer.weight_gradient.group)) + " ";
  }
  EXPECT_EQ(groups, "TP DP DP EP TP ");
  EXPECT_EQ(workload.layers[2].name, "ALLREDUCE_67108864");
  EXPECT_EQ(workload.layers[2].line, 3);
  EXPECT_EQ(workload.layers[4].weight_gradient.bytes, 5);
}

TEST(SimaiWorkload, MistakesInMicroBenchmarks) {
  const std::string operations =
      "ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST, REDUCE or SENDRECV";
  EXPECT_EQ(Message("1 ALLREDUC 5"), "w.txt:1: column 2: operation \"ALLREDUC\". Expected: " +
                                         operations + "; the nearest is ALLREDUCE");
  EXPECT_EQ(Message("1"),
            "w.txt:1: column 2: the line ends before operation. Expected: " + operations);
  EXPECT_EQ(Message("1 REDUCE"),
            "w.txt:1: column 3: the line ends before bytes. Expected: an integer from 1 to "
            "4611686018427387904");
  EXPECT_EQ(Message("1 REDUCE 5\n1 REDUCE 0"),
            "w.txt:2: column 3: bytes \"0\". Expected: an integer from 1 to 4611686018427387904");
  EXPECT_EQ(Message("1 REDUCE 5 PP"),
            "w.txt:1: column 4: group \"PP\". Expected: TP, DP, EP, DP_EP or ALL");
  EXPECT_EQ(Message("1 REDUCE 5 TP 7"), "w.txt:1: column 5: \"7\". Expected: the end of the line");
  EXPECT_EQ(Message("0 REDUCE 5"),
            "w.txt:1: column 1: passes \"0\". Expected: an integer from 1 to 100000");
  EXPECT_EQ(Message("1x REDUCE 5"),
            "w.txt:1: column 1: passes \"1x\". Expected: an integer from 1 to 100000");
  EXPECT_EQ(Message("99999 REDUCE 5\n2 REDUCE 5"),
            "w.txt:2: 100001 passes in all. Expected: at most 100000 passes in all lines together");
}

TEST(SimaiWorkload, MistakesInTheHeader) {
  const std::string forms =
      "a policy (MICRO, DATA, HYBRID_TRANSFORMER_FWD_IN_BCKWD, ...), or lines `passes OPERATION "
      "bytes [GROUP]`";
  EXPECT_EQ(Message(""), "w.txt: no workload in it (empty). Expected: " + forms);
  EXPECT_EQ(Message(" \n# only this\n"), "w.txt: no workload in it (empty). Expected: " + forms);
  EXPECT_EQ(Message("HYBRID_TRANSFORMER_FWD_IN_BKWD pp: 1"),
            "w.txt:1: column 1: unknown policy \"HYBRID_TRANSFORMER_FWD_IN_BKWD\". Expected: " +
                forms + "; the nearest is HYBRID_TRANSFORMER_FWD_IN_BCKWD");
  EXPECT_EQ(Message("DATA epp: 3"),
            "w.txt:1: column 2: unknown key \"epp:\". Expected: a known key with its colon; the "
            "nearest is ep:");
  EXPECT_EQ(Message("DATA ep 3"),
            "w.txt:1: column 2: unknown key \"ep\". Expected: a known key with its colon; the "
            "nearest is ep:");
  EXPECT_EQ(Message("DATA ep: 3 pp: -1"),
            "w.txt:1: column 5: pp \"-1\". Expected: an integer from 0 to 1048576");
  EXPECT_EQ(Message("DATA ep:"),
            "w.txt:1: column 3: the line ends before ep. Expected: an integer from 0 to 1048576");
  EXPECT_EQ(Message("DATA pp_comm 3 pp_comm: 3"),
            "w.txt:1: column 4: key \"pp_comm:\" was already given. Expected: each key once");
  for (const std::string bad : {"1.x", ".5", "1.5.0", "-1.0"}) {
    EXPECT_EQ(Message("DATA pp_comm " + bad),
              "w.txt:1: column 3: pp_comm \"" + bad.substr(0, bad == "-1.0" ? 2 : bad.size()) +
                  "\". Expected: an integer from 0 to 4611686018427387904");
  }
  EXPECT_EQ(
      Message("DATA checkpoints: 2 1\n"),
      "w.txt:1: column 5: the line ends before layer. Expected: an integer from 0 to 1000000000");
  EXPECT_EQ(Message("HYBRID_DLRM\n"),
            "w.txt:1: column 2: the line ends before last bottom layer. Expected: an integer from "
            "0 to 1000000000");
  EXPECT_EQ(Message("HYBRID_DLRM 1\n2\n" + kLayer + kLayer),
            "w.txt:1: HYBRID_DLRM says that layer 1 is the last bottom layer, of 2. Expected: a "
            "bottom layer with a "
            "top layer behind it");
  EXPECT_EQ(Message("DATA checkpoints: 1 1\n1\n" + kLayer),
            "w.txt:1: checkpoints: names layer 1. Expected: a layer of the file, 0 to 0");
  EXPECT_EQ(Message("DATA checkpoint_initiates: 1 0\n1\n" + kLayer),
            "w.txt:1: checkpoint_initiates: names layer 0, and no layer of checkpoints: is before "
            "it. Expected: a "
            "checkpoint from which "
            "its activations can be computed again");
}

TEST(SimaiWorkload, MistakesInTheNumberOfLayers) {
  EXPECT_EQ(
      Message("DATA\n"),
      "w.txt: the file ends behind its header. Expected: the number of layers, then the layers");
  EXPECT_EQ(Message("DATA\nmany\n"),
            "w.txt:2: column 1: number of layers \"many\". Expected: an integer from 1 to "
            "9223372036854775807");
  EXPECT_EQ(Message("DATA\n0\n"),
            "w.txt:2: column 1: number of layers \"0\". Expected: an integer from 1 to "
            "9223372036854775807");
  EXPECT_EQ(Message("DATA\n1 2\n"), "w.txt:2: column 2: \"2\". Expected: the end of the line");
  EXPECT_EQ(Message("DATA\n2\n"),
            "w.txt:2: the file ends after 0 layers. Expected: 2 layers, as line 2 says");
  EXPECT_EQ(Message("DATA\n1\n" + kLayer + "\n" + kLayer + kLayer),
            "w.txt:5: 3 layers. Expected: 1 layer, as line 2 says");
}

TEST(SimaiWorkload, FewerLayersThanAnnouncedAreRead) {
  const Workload workload = ParseWorkload("DATA\n9223372036854775807\n" + kLayer + kLayer);
  EXPECT_EQ(workload.announced_layers, 9223372036854775807);
  EXPECT_EQ(workload.layers.size(), 2u);
  EXPECT_EQ(ParseWorkload("1 REDUCE 5").announced_layers, 0);
}

TEST(SimaiWorkload, MistakesInLayers) {
  const auto layer = [](const std::string& line) { return Message("DATA\n1\n" + line); };
  const std::string columns =
      "12 columns on one line: name dependency fwd_ns fwd_comm fwd_bytes ig_ns ig_comm ig_bytes "
      "wg_ns wg_comm wg_bytes "
      "update_ns";
  EXPECT_EQ(layer("l -1 1 NONE 0 1 NONE 0 1 NONE 0"), "w.txt:3: 11 columns. Expected: " + columns);
  EXPECT_EQ(layer("l\n-1 1 NONE 0 1 NONE 0 1 NONE 0 1"), "w.txt:3: 1 column. Expected: " + columns);
  EXPECT_EQ(
      layer("l -1 1 ALREDUCE 0 1 NONE 0 1 NONE 0 1"),
      "w.txt:3: column 4: fwd_comm \"ALREDUCE\". Expected: NONE, or ALLREDUCE, ALLGATHER, "
      "REDUCESCATTER, "
      "ALLTOALL, BROADCAST, "
      "REDUCE or SENDRECV, with _TP, _DP, _EP, _DP_EP, _ALL or nothing behind it; the nearest is "
      "ALLREDUCE");
  for (const std::string bad :
       {"ALLREDUCE_", "ALLREDUCE_PP", "ALLREDUCEALLTOALL", "NONE_EP", "allreduce", "_EP", "EP"}) {
    const std::string message = layer("l -1 1 NONE 0 1 NONE 0 1 " + bad + " 0 1");
    EXPECT_EQ(message.rfind("w.txt:3: column 10: wg_comm \"" + bad + "\". Expected: NONE, or ", 0),
              0u)
        << message;
  }
  EXPECT_EQ(
      layer("l x 1 NONE 0 1 NONE 0 1 NONE 0 1"),
      "w.txt:3: column 2: dependency \"x\". Expected: an integer from -2147483648 to 2147483647");
  EXPECT_EQ(layer("l -1 -1 NONE 0 1 NONE 0 1 NONE 0 1"),
            "w.txt:3: column 3: fwd_ns \"-1\". Expected: an integer from 0 to 1000000000000000");
  EXPECT_EQ(layer("l -1 1 NONE 0 1.5 NONE 0 1 NONE 0 1"),
            "w.txt:3: column 6: ig_ns \"1.5\". Expected: an integer from 0 to 1000000000000000");
  EXPECT_EQ(
      layer("l -1 1 NONE 0 1 NONE -8 1 NONE 0 1"),
      "w.txt:3: column 8: ig_bytes \"-8\". Expected: an integer from 0 to 4611686018427387904");
  EXPECT_EQ(layer("l -1 1 NONE 0 1 NONE 0 1 NONE 4611686018427387905 1"),
            "w.txt:3: column 11: wg_bytes \"4611686018427387905\". Expected: an integer from 0 to "
            "4611686018427387904");
  EXPECT_EQ(layer("l -1 1 NONE 0 1 NONE 0 1 NONE 0 99999999999999999999"),
            "w.txt:3: column 12: update_ns \"99999999999999999999\". Expected: an integer from 0 "
            "to 1000000000000000");
  EXPECT_EQ(layer("l\xff -1 1 NONE 0 1 NONE 0 1 NONE 0 1"),
            "w.txt:3: column 1: name \"l\\xff\". Expected: a name in printable ASCII");
}

/// The example inputs: those of SimAI and AICB, and ASTRA-sim's original ones.
TEST(SimaiWorkload, ReadsTheInputs) {
  const auto layers = [](const std::string& file) {
    return ReadSimaiWorkload(kData + file).layers.size();
  };
  EXPECT_EQ(layers("G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt"), 92u);
  EXPECT_EQ(layers("L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt"), 76u);
  EXPECT_EQ(layers("all_gather.txt"), 19u);
  EXPECT_EQ(layers("all_reduce.txt"), 19u);
  EXPECT_EQ(layers("all_to_all.txt"), 19u);
  EXPECT_EQ(layers("muti_all_reduce.txt"), 19u);
  EXPECT_EQ(layers("microAllReduce.txt"), 2u);
  EXPECT_EQ(layers("astra-sim-1/DLRM.txt"), 8u);
  EXPECT_EQ(layers("astra-sim-1/InferenceBaseline.txt"), 2u);
  EXPECT_EQ(layers("astra-sim-1/InferenceProposed.txt"), 2u);
  EXPECT_EQ(layers("astra-sim-1/MLP_HybridParallel_Data_Model.txt"), 6u);
  EXPECT_EQ(layers("astra-sim-1/MLP_HybridParallel_Model_Data.txt"), 6u);
  EXPECT_EQ(layers("astra-sim-1/MLP_ModelParallel.txt"), 6u);
  EXPECT_EQ(layers("astra-sim-1/Resnet50_DataParallel.txt"), 54u);
  EXPECT_EQ(layers("astra-sim-1/Transformer_HybridParallel.txt"), 57u);
  EXPECT_EQ(layers("astra-sim-1/microAllReduce.txt"), 1u);
  EXPECT_EQ(layers("astra-sim-1/microAllToAll.txt"), 1u);
  // Its second line announces more layers than it has; SimAI reads garbage for the missing ones.
  const Workload cut =
      ReadSimaiWorkload(kData + "L65B-M1-C05_Llama65B_megatron_tp8_pp1_mbs1_A100.txt");
  EXPECT_EQ(cut.layers.size(), 33u);
  EXPECT_EQ(cut.announced_layers, 839);
  const Workload gpt =
      ReadSimaiWorkload(kData + "G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt");
  EXPECT_EQ(gpt.sizes.tensor, 8);
  EXPECT_EQ(gpt.layers[0].forward.operation, Operation::kBroadcast);
  EXPECT_EQ(gpt.layers[1].weight_gradient.bytes, 6497239040);
}

TEST(SimaiWorkload, FilesThatAreNone) {
  MessageOf([&] { ReadSimaiWorkload(::testing::TempDir()); });
  const std::string message = MessageOf([&] { ReadSimaiWorkload("none.txt"); });
  EXPECT_EQ(message.rfind("none.txt: cannot be read", 0), 0u) << message;
  const std::string binary =
      Message(std::string("\0\x01\xfe\x7f"
                          "ELF",
                          7));
  EXPECT_EQ(
      binary.rfind("w.txt:1: column 1: unknown policy \"\\x00\\x01\\xfe\\x7fELF\". Expected: ", 0),
      0u)
      << binary;
}

TEST(SimaiWorkload, DamagedTextOnlyGivesErrors) {
  ExpectOnlyErrors(kHeader + "2\n" + kLayer + kLayer, ParseWorkload);
  ExpectOnlyErrors("1 ALLREDUCE 1048576 TP # 1MB\n2 ALLTOALL 5 EP\n", ParseWorkload);
}

}  // namespace
}  // namespace heddle
