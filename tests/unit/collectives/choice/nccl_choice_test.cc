// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_choice.h"

#include <gtest/gtest.h>

#include "collectives/choice/algorithm_choice.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kKib = 1024, kMib = kKib * 1024, kGib = kMib * 1024;

CollectiveOptions AsNccl() {
  CollectiveOptions options;
  options.choice = CollectiveOptions::Choice::kNccl;
  options.nvls = true;  // as OptionSet sets it
  return options;
}

CollectiveSpec SpecOf(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.group = GroupType::kData;
  spec.bytes = bytes;
  return spec;
}

void ExpectChoice(Operation operation, std::int64_t bytes, const GroupShape& shape,
                  const CollectiveOptions& options, Algorithm algorithm, Protocol protocol,
                  const char* gpu_type = "H100") {
  const AlgorithmChoice choice =
      ChooseAlgorithm(SpecOf(operation, bytes), shape, gpu_type, options);
  EXPECT_STREQ(ToText(choice.algorithm), ToText(algorithm)) << ToText(operation) << " " << bytes;
  EXPECT_STREQ(ToText(choice.protocol), ToText(protocol)) << ToText(operation) << " " << bytes;
}

std::string ErrorOf(const CollectiveSpec& spec, const GroupShape& shape, const char* gpu_type,
                    const CollectiveOptions& options) {
  try {
    ChooseAlgorithm(spec, shape, gpu_type, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

/// Of eight H100 in a server: ring with LL 15 us and 81 GB/s, with LL128 40.6 us and 189 GB/s, NVLS
/// 25 us and 272 GB/s: from 1.1 MB on NVLS is ahead of LL, and LL128 never of it. Of A100: ring.
TEST(NcclChoice, AllReduceInAServer) {
  const GroupShape one(8, 8);
  const auto expect = [&](std::int64_t bytes, const char* gpu_type, Algorithm algorithm,
                          Protocol protocol) {
    ExpectChoice(Operation::kAllReduce, bytes, one, AsNccl(), algorithm, protocol, gpu_type);
  };
  expect(64 * kKib, "H100", Algorithm::kRing, Protocol::kLl);
  expect(kMib, "H100", Algorithm::kRing, Protocol::kLl);
  expect(2 * kMib, "H100", Algorithm::kNvls, Protocol::kSimple);
  expect(kGib, "H100", Algorithm::kNvls, Protocol::kSimple);
  expect(2 * kMib, "A100", Algorithm::kRing, Protocol::kLl);
  expect(kGib, "A100", Algorithm::kRing, Protocol::kSimple);
}

/// In the form that the option names.
TEST(NcclChoice, NvlsOfBothForms) {
  CollectiveOptions options = AsNccl();
  options.nvls_form = CollectiveOptions::NvlsForm::kMultimem;
  ExpectChoice(Operation::kAllReduce, kGib, GroupShape(8, 8), options, Algorithm::kNvlsMultimem,
               Protocol::kSimple);
  ExpectChoice(Operation::kAllReduce, kGib, GroupShape(128, 8), options,
               Algorithm::kNvlsTreeMultimem, Protocol::kSimple);
}

TEST(NcclChoice, OverServers) {
  const GroupShape many(128, 8), rail(64, 1);
  const CollectiveOptions options = AsNccl();
  const auto reduce = [&](std::int64_t bytes, Algorithm algorithm, Protocol protocol) {
    ExpectChoice(Operation::kAllReduce, bytes, many, options, algorithm, protocol);
  };
  reduce(8 * kKib, Algorithm::kTree, Protocol::kLl);
  reduce(4 * kMib, Algorithm::kTree, Protocol::kLl128);
  reduce(kGib, Algorithm::kNvlsTree, Protocol::kSimple);
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    ExpectChoice(operation, kMib, rail, options, Algorithm::kPat, Protocol::kSimple);
    ExpectChoice(operation, kGib, rail, options, Algorithm::kRing, Protocol::kSimple);
    ExpectChoice(operation, kMib, many, options, Algorithm::kRing, Protocol::kLl);
  }
  ExpectChoice(Operation::kBroadcast, kKib, many, options, Algorithm::kRing, Protocol::kLl);
  ExpectChoice(Operation::kReduce, kGib, many, options, Algorithm::kRing, Protocol::kSimple);
}

/// Where no switch adds, a run takes what is next best.
TEST(NcclChoice, TakesCollNetWhereSwitchesAdd) {
  CollectiveOptions options = AsNccl();
  options.collnet = true;
  GroupShape many(128, 8);
  ExpectChoice(Operation::kAllReduce, 8 * kKib, many, options, Algorithm::kTree, Protocol::kLl);
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kNvlsTree, Protocol::kSimple);
  many.AddTreesOfOneSwitch();
  // 43 us against 44 of CollNet Direct.
  ExpectChoice(Operation::kAllReduce, 8 * kKib, many, options, Algorithm::kNvlsCollNet,
               Protocol::kSimple);
  options.allreduce = "nvls_collnet";
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kNvlsCollNet,
               Protocol::kSimple);
  options.allreduce = "auto";
  options.nvls = false;
  ExpectChoice(Operation::kAllReduce, 8 * kKib, many, options, Algorithm::kCollNetDirect,
               Protocol::kSimple);
  options.allreduce = "collnet_chain";
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kCollNetChain,
               Protocol::kSimple);
}

TEST(NcclChoice, WhatIsNotTunedIsSimccls) {
  CollectiveOptions options = AsNccl();
  const GroupShape two(16, 8), alone(1, 8);
  EXPECT_FALSE(ChoosesAsNccl(SpecOf(Operation::kAllToAll, kMib), two, options));
  EXPECT_FALSE(ChoosesAsNccl(SpecOf(Operation::kAllReduce, kMib), alone, options));
  EXPECT_TRUE(ChoosesAsNccl(SpecOf(Operation::kAllReduce, kMib), two, options));
  EXPECT_FALSE(ChoosesAsNccl(SpecOf(Operation::kAllReduce, kMib), two, CollectiveOptions()));
  ExpectChoice(Operation::kAllToAll, kMib, two, options, Algorithm::kDirect, Protocol::kNone);
  ExpectChoice(Operation::kAllReduce, kMib, alone, options, Algorithm::kRing, Protocol::kNone);
}

TEST(NcclChoice, ListsAndProtocolsLimitIt) {
  const GroupShape many(128, 8);
  CollectiveOptions options = AsNccl();
  options.allreduce = "ring+nvls_tree";
  ExpectChoice(Operation::kAllReduce, 8 * kKib, many, options, Algorithm::kNvlsTree,
               Protocol::kSimple);
  options.allreduce = "ring";
  ExpectChoice(Operation::kAllReduce, 8 * kKib, many, options, Algorithm::kRing, Protocol::kLl);
  options.allreduce = "fastest";
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kNvlsTree, Protocol::kSimple);
  options.protocol = CollectiveOptions::Protocols::kLl128;
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kRing, Protocol::kLl128);
  options.protocol = CollectiveOptions::Protocols::kNone;
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kNvlsTree, Protocol::kNone);
  options.protocol = CollectiveOptions::Protocols::kAuto;
  options.nvls = false;
  ExpectChoice(Operation::kAllReduce, kGib, many, options, Algorithm::kTree, Protocol::kSimple);
  options.pat = false;
  ExpectChoice(Operation::kAllGather, kMib, GroupShape(64, 1), options, Algorithm::kRing,
               Protocol::kLl);
}

TEST(NcclChoice, RulesFollowTheOptions) {
  CollectiveOptions options;
  TunerRules rules = TunerRulesOf(Operation::kAllReduce, options);
  EXPECT_EQ(rules.algorithms, TunerRules::kAllAlgorithms);
  EXPECT_EQ(rules.protocols, TunerRules::kAllProtocols);
  EXPECT_FALSE(rules.nvls);
  EXPECT_FALSE(rules.collnet);
  EXPECT_TRUE(rules.pat);
  EXPECT_FALSE(rules.pat_forced);
  options.allgather = "pat+collnet_direct";
  options.protocol = CollectiveOptions::Protocols::kLlOrSimple;
  options.nvls = options.collnet = options.pat_forced = true;
  options.pat = false;
  options.collnet_servers = 9;
  rules = TunerRulesOf(Operation::kAllGather, options);
  EXPECT_TRUE(rules.Allows(TunerAlgorithm::kPat));
  EXPECT_TRUE(rules.Allows(TunerAlgorithm::kCollNetDirect));
  EXPECT_FALSE(rules.Allows(TunerAlgorithm::kRing));
  EXPECT_TRUE(rules.Allows(Protocol::kLl));
  EXPECT_FALSE(rules.Allows(Protocol::kLl128));
  EXPECT_TRUE(rules.nvls && rules.collnet && rules.pat_forced);
  EXPECT_FALSE(rules.pat);
  EXPECT_EQ(rules.collnet_servers, 9);
}

TEST(NcclChoice, SaysWhyNothingIsLeftAndWhatThereIs) {
  CollectiveOptions options = AsNccl();
  options.allreduce = "nvls";
  const CollectiveSpec sum = SpecOf(Operation::kAllReduce, kMib);
  EXPECT_EQ(ErrorOf(sum, GroupShape(8, 8), "A100", options),
            "ALLREDUCE of a DP group of 8 GPUs as NCCL chooses: nvls: NVSwitches of GPU type A100 "
            "do not reduce. Expected: tree, ring, or algorithm.choice=simccl");
  options.allreduce = "collnet_chain+nvls";
  options.collnet = true;
  EXPECT_EQ(
      ErrorOf(sum, GroupShape(16, 8), "H100", options),
      "ALLREDUCE of a DP group of 16 GPUs as NCCL chooses: collnet_chain: no switches that add "
      "are known; nvls: no switches that add are known. Expected: tree, ring, nvls_tree, or "
      "algorithm.choice=simccl");
  options.allreduce = "nvls";
  options.nvls = false;
  EXPECT_NE(ErrorOf(sum, GroupShape(8, 8), "H100", options).find("nvls: collective.nvls=false"),
            std::string::npos);
}

/// Who names one gets it, also where NCCL's tuner has none, but not what cannot be.
TEST(NcclChoice, ANamedAlgorithmIsTaken) {
  CollectiveOptions options = AsNccl();
  options.allreduce = options.allgather = "collnet_direct";
  GroupShape shape(16, 8);
  EXPECT_NE(ErrorOf(SpecOf(Operation::kAllReduce, kMib), shape, "H100", options)
                .find("by collnet_direct: no switches that add are known"),
            std::string::npos);
  shape.AddTreesOfOneSwitch();
  EXPECT_FALSE(options.collnet);
  EXPECT_EQ(ChooseAlgorithm(SpecOf(Operation::kAllReduce, kMib), shape, "H100", options).algorithm,
            Algorithm::kCollNetDirect);
  options.allgather = "nvls_tree";
  EXPECT_EQ(ChooseAlgorithm(SpecOf(Operation::kAllGather, kMib), shape, "H100", options).algorithm,
            Algorithm::kNvlsTree);
  options.allgather = "pat";
  EXPECT_NE(ErrorOf(SpecOf(Operation::kAllGather, kMib), shape, "H100", options).find("by pat"),
            std::string::npos);
}

/// SimCCL's choice takes CollNet by name, of AllReduce, where switches add.
TEST(NcclChoice, SimcclTakesCollNetByName) {
  CollectiveOptions options;
  options.allreduce = options.allgather = "collnet_direct";
  GroupShape shape(16, 8);
  EXPECT_EQ(ErrorOf(SpecOf(Operation::kAllReduce, kMib), shape, "H100", options),
            "ALLREDUCE of a DP group of 16 GPUs by collnet_direct: no switches that add are known. "
            "With algorithm.choice=nccl it would take the next best");
  shape.AddTreesOfOneSwitch();
  ExpectChoice(Operation::kAllReduce, kMib, shape, options, Algorithm::kCollNetDirect,
               Protocol::kNone);
  ExpectChoice(Operation::kAllGather, kMib, shape, options, Algorithm::kCollNetDirect,
               Protocol::kNone);
  options.allgather = "collnet_chain";
  EXPECT_EQ(ErrorOf(SpecOf(Operation::kAllGather, kMib), shape, "H100", options),
            "ALLGATHER of a DP group of 16 GPUs by collnet_chain: not simulated. Expected: ring, "
            "nvls, nvls_tree, pat, collnet_direct");
}

/// The number of bytes alone moves the choice, and it does so at every machine.
TEST(NcclChoice, GpuTypesDiffer) {
  const GroupShape two(16, 8);
  const auto predicted = [&](const char* gpu_type) {
    std::string choices;
    for (std::int64_t bytes = kKib; bytes <= kGib; bytes *= 4) {
      const AlgorithmChoice choice =
          ChooseAlgorithm(SpecOf(Operation::kAllReduce, bytes), two, gpu_type, AsNccl());
      choices += std::string(ToText(choice.algorithm)) + "/" + ToText(choice.protocol) + " ";
    }
    return choices;
  };
  EXPECT_NE(predicted("A100"), predicted("H100"));
  EXPECT_NE(predicted("H100"), predicted("B200"));
  EXPECT_EQ(predicted("A100").find("NVLS"), std::string::npos);
  EXPECT_NE(predicted("B200").find("NVLS_TREE"), std::string::npos);
}

}  // namespace
}  // namespace heddle
