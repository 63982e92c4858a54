// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/raw_workload_file.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

const std::string kRawHeader =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 16 pp: 12 vpp: 8 ga: 24 "
    "all_gpus: 9216 checkpoints: 0 checkpoint_initiates: 0 pp_comm 50331648\n";

RawWorkload ParseRaw(const std::string& text) { return ParseRawWorkload(text, "w.txt"); }

RawLayer RawRow(const std::string& row) {
  return ParseRaw(kRawHeader + "1\n" + row).layers.front();
}

std::string RawMessage(const std::string& text) {
  try {
    ParseRaw(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

bool RawSays(const std::string& text, const std::string& part) {
  return RawMessage(text).find(part) != std::string::npos;
}

TEST(RawWorkloadFile, Header) {
  const RawWorkload workload = ParseRaw(kRawHeader + "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 100\n");
  EXPECT_EQ(workload.tensor, 2);
  EXPECT_EQ(workload.expert, 16);
  EXPECT_EQ(workload.pipeline, 12);
  EXPECT_EQ(workload.virtual_pipeline, 8);
  EXPECT_EQ(workload.gradient_accumulation, 24);
  EXPECT_EQ(workload.pipeline_bytes, 50331648U);
}

TEST(RawWorkloadFile, NumbersEndWhereTheyDo) {
  const std::string rest = "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 100\n";
  EXPECT_EQ(ParseRaw("HYBRID_TRANSFORMER pp_comm: 6291456.0" + rest).pipeline_bytes, 6291456U);
  EXPECT_TRUE(RawSays("HYBRID_TRANSFORMER pp_comm: 4294967296" + rest, "w.txt:1: pp_comm:"));
  EXPECT_TRUE(RawSays("HYBRID_TRANSFORMER pp: x" + rest, "SIGABRT"));
  EXPECT_TRUE(RawSays("HYBRID_TRANSFORMER pp:" + rest, "SIGSEGV"));
}

TEST(RawWorkloadFile, OtherKeysAreNotUnderstood) {
  const RawWorkload workload = ParseRaw(
      "HYBRID_TRANSFORMER expert_parallel_npu_group: 4\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n");
  EXPECT_EQ(workload.expert, 0);
  EXPECT_EQ(workload.virtual_pipeline, 0);
}

TEST(RawWorkloadFile, OtherPoliciesGiveNothing) {
  const RawWorkload micro = ParseRaw("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4096 1\n");
  EXPECT_FALSE(micro.is_transformer);
  EXPECT_EQ(micro.policy, "MICRO");
  EXPECT_TRUE(micro.layers.empty());
}

TEST(RawWorkloadFile, OperationsAndGroups) {
  const RawLayer row =
      RawRow("a -1 1 ALLREDUCE 8192 2 REDUCESCATTER_EP 8193 3 ALLTOALL_DP_EP 8194 100");
  EXPECT_EQ(row.forward.operation, Operation::kAllReduce);
  EXPECT_EQ(row.forward.group, GroupType::kTensor);
  EXPECT_EQ(row.input_gradient.operation, Operation::kReduceScatter);
  EXPECT_EQ(row.input_gradient.group, GroupType::kExpert);
  EXPECT_EQ(row.weight_gradient.operation, Operation::kAllToAll);
  EXPECT_EQ(row.weight_gradient.group, GroupType::kDataExpert);
  EXPECT_EQ(row.weight_gradient.bytes, 8194U);
  EXPECT_EQ(row.weight_gradient.compute_ns, 3U);
}

TEST(RawWorkloadFile, UnknownWordsAreNoCommunicationAndUnknownSuffixesNoGroup) {
  const RawLayer row =
      RawRow("a -1 1 BROADCAST 8192 1 ALLREDUCE_TP 8192 1 ALLREDUCEALLTOALL 8192 100");
  EXPECT_EQ(row.forward.operation, Operation::kNone);
  EXPECT_EQ(row.input_gradient.operation, Operation::kAllReduce);
  EXPECT_FALSE(row.input_gradient.group.has_value());
  EXPECT_EQ(row.weight_gradient.operation, Operation::kAllReduce);
  EXPECT_FALSE(row.weight_gradient.group.has_value());
}

TEST(RawWorkloadFile, PlainWeightGradientsAreOfData) {
  EXPECT_EQ(RawRow("a -1 1 NONE 0 1 NONE 0 1 ALLGATHER 5 1").weight_gradient.group,
            GroupType::kData);
}

TEST(RawWorkloadFile, SmallForwardsAreRaisedAndLargeNumbersKeep24Bits) {
  const RawLayer row = RawRow("a -1 16777217 ALLREDUCE 1 1 ALLREDUCE 1 1 ALLREDUCE 16777219 1");
  EXPECT_EQ(row.forward.bytes, 4096U);
  EXPECT_EQ(row.forward.compute_ns, 16777216U);
  EXPECT_EQ(row.input_gradient.bytes, 1U);
  EXPECT_EQ(row.weight_gradient.bytes, 16777220U);
}

TEST(RawWorkloadFile, MissingRowsHaveTheLastOnesNumbers) {
  const RawWorkload workload =
      ParseRaw(kRawHeader + "3\na -1 1 NONE 0 7 NONE 0 1 ALLREDUCE 99 1\n");
  ASSERT_EQ(workload.layers.size(), 3U);
  EXPECT_EQ(workload.layers[2].name, "");
  EXPECT_EQ(workload.layers[2].input_gradient.compute_ns, 7U);
  EXPECT_EQ(workload.layers[2].weight_gradient.bytes, 99U);
  EXPECT_EQ(workload.layers[2].weight_gradient.operation, Operation::kNone);
}

TEST(RawWorkloadFile, AThirteenthColumnShiftsTheRest) {
  const RawWorkload workload = ParseRaw(kRawHeader +
                                        "2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 100 5\n"
                                        "b -1 9 NONE 0 9 NONE 0 9 NONE 0 100\n");
  EXPECT_EQ(workload.layers[1].name, "5");
  EXPECT_EQ(workload.layers[1].forward.compute_ns, 1U);
}

TEST(RawWorkloadFile, RowsKnowTheirLines) {
  const RawWorkload workload = ParseRaw(kRawHeader +
                                        "2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 100\n\n"
                                        "b -1 9 NONE 0 9 NONE 0 9 NONE 0 100");
  EXPECT_EQ(workload.layers[0].line, 3);
  EXPECT_EQ(workload.layers[1].line, 5);
}

TEST(RawWorkloadFile, WhereSimaiCrashesIsAnError) {
  EXPECT_TRUE(RawSays("\n1\n", "w.txt:1: an empty first line"));
  EXPECT_TRUE(RawSays(kRawHeader + "many\n", "w.txt:2: number of rows"));
  EXPECT_TRUE(RawSays(kRawHeader + "0\n", "w.txt:2: 0 rows"));
  EXPECT_TRUE(
      RawSays(kRawHeader + "2\na -1 1 NONE\n", "w.txt:3: a first row without its 12 columns"));
}

TEST(RawWorkloadFile, CheckpointedLayersRunForwardAgain) {
  const std::string rows =
      "3\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
      "c -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
  const std::string policy = "HYBRID_TRANSFORMER_FWD_IN_BCKWD ";
  const RawWorkload workload =
      ParseRaw(policy + "checkpoints: 1 0 checkpoint_initiates: 1 2\n" + rows);
  EXPECT_EQ(workload.layers[0].forward_runs, 2);
  EXPECT_EQ(workload.layers[1].forward_runs, 2);
  EXPECT_EQ(workload.layers[2].forward_runs, 1);
  EXPECT_TRUE(RawSays(policy + "checkpoints: 0 checkpoint_initiates: 1 2\n" + rows,
                      "layer 2 without a checkpoint"));
}

}  // namespace
}  // namespace heddle
