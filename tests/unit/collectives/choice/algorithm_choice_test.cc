// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/algorithm_choice.h"

#include <gtest/gtest.h>

#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/protocol_choice.h"
#include "core/base/check.h"

namespace heddle {
namespace {

CollectiveSpec Spec(Operation operation, GroupType group = GroupType::kTensor,
                    std::int64_t bytes = 1 << 20) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.group = group;
  spec.bytes = bytes;
  return spec;
}

CollectiveOptions WithNvls() {
  CollectiveOptions options;
  options.nvls = true;
  return options;
}

Algorithm Choose(Operation operation, GroupType group, const GroupShape& shape,
                 const std::string& gpu_type, const CollectiveOptions& options) {
  return ChooseAlgorithm(Spec(operation, group), shape, gpu_type, options).algorithm;
}

TEST(ChooseAlgorithm, AllReduceFollowsGpuTypeGroupSizeAndNvls) {
  const GroupShape eight(8, 8), four(4, 8), sixteen(16, 8);
  const auto choose = [](const GroupShape& shape, const std::string& gpu, bool nvls,
                         GroupType group = GroupType::kTensor) {
    CollectiveOptions options;
    options.nvls = nvls;
    return Choose(Operation::kAllReduce, group, shape, gpu, options);
  };
  EXPECT_EQ(choose(eight, "H100", true), Algorithm::kNvls);
  EXPECT_EQ(choose(eight, "H800", true), Algorithm::kNvls);
  EXPECT_EQ(choose(eight, "B200", true), Algorithm::kNvls);
  EXPECT_EQ(choose(GroupShape(72, 72), "GB200", true), Algorithm::kNvls);
  EXPECT_EQ(choose(GroupShape(144, 72), "GB200", true), Algorithm::kNvlsTree);
  EXPECT_EQ(choose(sixteen, "H100", true), Algorithm::kNvlsTree);
  EXPECT_EQ(choose(eight, "H100", false), Algorithm::kRing);
  EXPECT_EQ(choose(four, "H100", true), Algorithm::kRing);
  for (const char* gpu : {"A100", "A800", "H20", "b200", "X1", ""})
    EXPECT_EQ(choose(eight, gpu, true), Algorithm::kRing) << gpu;
  for (const GroupType group :
       {GroupType::kData, GroupType::kPipeline, GroupType::kExpert, GroupType::kDataExpert}) {
    EXPECT_EQ(choose(eight, "H100", true, group), Algorithm::kRing) << ToText(group);
  }
}

TEST(ChooseAlgorithm, OtherOperations) {
  const GroupShape eight(8, 8), sixteen(16, 8);
  const auto choose = [](Operation operation, const GroupShape& shape) {
    return Choose(operation, GroupType::kTensor, shape, "H100", WithNvls());
  };
  EXPECT_EQ(choose(Operation::kAllGather, eight), Algorithm::kNvls);
  EXPECT_EQ(choose(Operation::kAllGather, sixteen), Algorithm::kNvlsTree);
  EXPECT_EQ(choose(Operation::kReduceScatter, eight), Algorithm::kRing);
  EXPECT_EQ(choose(Operation::kAllToAll, eight), Algorithm::kDirect);
  EXPECT_EQ(choose(Operation::kSendRecv, eight), Algorithm::kDirect);
  EXPECT_EQ(choose(Operation::kBroadcast, eight), Algorithm::kRing);
  EXPECT_EQ(choose(Operation::kReduce, eight), Algorithm::kRing);
}

TEST(ChooseAlgorithm, OptionsOverrideAndNvlsFitsTheNumberOfServers) {
  const GroupShape one(4, 8), two(16, 8);
  CollectiveOptions options;
  options.allreduce = "tree";
  options.allgather = "nvls_tree";
  options.reducescatter = "nvls";
  const auto choose = [&](Operation operation, const GroupShape& shape) {
    return Choose(operation, GroupType::kData, shape, "A100", options);
  };
  EXPECT_EQ(choose(Operation::kAllReduce, one), Algorithm::kTree);
  EXPECT_EQ(choose(Operation::kAllGather, one), Algorithm::kNvls);
  EXPECT_EQ(choose(Operation::kAllGather, two), Algorithm::kNvlsTree);
  EXPECT_EQ(choose(Operation::kReduceScatter, one), Algorithm::kNvls);
  EXPECT_EQ(choose(Operation::kReduceScatter, two), Algorithm::kNvlsTree);
}

/// In the place of NVLS within a server, whatever chose it.
TEST(ChooseAlgorithm, MultimemIsAFormOfNvls) {
  const GroupShape eight(8, 8), sixteen(16, 8);
  CollectiveOptions options = WithNvls();
  options.nvls_form = CollectiveOptions::NvlsForm::kMultimem;
  const auto choose = [&](Operation operation, const GroupShape& shape) {
    return Choose(operation, GroupType::kTensor, shape, "H100", options);
  };
  EXPECT_EQ(choose(Operation::kAllReduce, eight), Algorithm::kNvlsMultimem);
  EXPECT_EQ(choose(Operation::kAllGather, eight), Algorithm::kNvlsMultimem);
  EXPECT_EQ(choose(Operation::kReduceScatter, eight), Algorithm::kRing) << "as with SimAI's form";
  EXPECT_EQ(choose(Operation::kAllReduce, sixteen), Algorithm::kNvlsTreeMultimem);
  EXPECT_EQ(choose(Operation::kAllGather, sixteen), Algorithm::kNvlsTree) << "which NCCL has not";
  EXPECT_EQ(choose(Operation::kAllReduce, GroupShape(9, 8)), Algorithm::kNvlsTree)
      << "a server with one GPU";
  options.reducescatter = "nvls_tree";
  EXPECT_EQ(choose(Operation::kReduceScatter, eight), Algorithm::kNvlsMultimem);
}

/// By name only, for one GPU in each server unless it is forced.
TEST(ChooseAlgorithm, PatWantsOneGpuInEachServer) {
  const GroupShape rail(16, 1, 0), servers(16, 8);
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kNccl;
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
    EXPECT_EQ(Choose(operation, GroupType::kData, rail, "H100", options), Algorithm::kRing);
  options.allgather = options.reducescatter = "pat";
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    const AlgorithmChoice choice =
        ChooseAlgorithm(Spec(operation, GroupType::kData), rail, "H100", options);
    EXPECT_EQ(choice.algorithm, Algorithm::kPat);
    EXPECT_EQ(choice.protocol, Protocol::kSimple) << "NCCL has no other";
    options.pat_forced = false;
    try {
      Choose(operation, GroupType::kData, servers, "H100", options);
      FAIL() << "no error";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("GPUs 0 and 1 of the group are in one server"),
                std::string::npos)
          << error.what();
    }
    options.pat_forced = true;
    EXPECT_EQ(Choose(operation, GroupType::kData, servers, "H100", options), Algorithm::kPat);
  }
  EXPECT_EQ(Choose(Operation::kAllReduce, GroupType::kData, rail, "H100", options),
            Algorithm::kRing);
}

/// NCCL's tuner: of 64 servers of one GPU PAT is ahead until its bandwidth counts. Groups in a
/// server have none.
TEST(ChooseAlgorithm, FastestIsPatWhileLatencyCounts) {
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kNccl;
  options.allgather = options.reducescatter = kFastestAlgorithm;
  const auto choose = [&](std::int64_t bytes, const GroupShape& shape) {
    const CollectiveSpec gather = Spec(Operation::kAllGather, GroupType::kData, bytes);
    const CollectiveSpec scatter = Spec(Operation::kReduceScatter, GroupType::kData, bytes);
    const Algorithm algorithm = ChooseAlgorithm(gather, shape, "H100", options).algorithm;
    EXPECT_EQ(algorithm, ChooseAlgorithm(scatter, shape, "H100", options).algorithm);
    return algorithm;
  };
  const GroupShape rail(64, 1), servers(64, 8);
  EXPECT_EQ(choose(1 << 16, rail), Algorithm::kPat);
  EXPECT_EQ(choose(1 << 24, rail), Algorithm::kPat);
  EXPECT_EQ(choose(1 << 30, rail), Algorithm::kRing);
  EXPECT_EQ(choose(1 << 16, servers), Algorithm::kRing);
  options.protocol = CollectiveOptions::Protocols::kLl;
  EXPECT_EQ(choose(1 << 16, rail), Algorithm::kRing) << "PAT has Simple only";
  options.protocol = CollectiveOptions::Protocols::kAuto;
  options.latency = CollectiveOptions::Latency::kSendLat;
  EXPECT_EQ(choose(1 << 16, rail), Algorithm::kPat) << "six rounds against 63 steps";
}

TEST(ChooseAlgorithm, WithoutNvSwitchesNvlsIsARingUnlessAskedFor) {
  const GroupShape bare(8, 8, 0);
  EXPECT_EQ(Choose(Operation::kAllReduce, GroupType::kTensor, bare, "H100", WithNvls()),
            Algorithm::kRing);
  CollectiveOptions options;
  options.allreduce = "nvls";
  try {
    Choose(Operation::kAllReduce, GroupType::kTensor, bare, "H100", options);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("share no NVSwitch"), std::string::npos)
        << error.what();
  }
}

CollectiveOptions Fastest() {
  CollectiveOptions options;
  options.allreduce = kFastestAlgorithm;
  options.latency = CollectiveOptions::Latency::kNccl;
  return options;
}

/// 16 GPUs in two servers, twelve rings of 30 GB/s. Ring, LL: 6.6 + 26 x 0.6 + 4 x 2.7 = 33 us and
/// 48.1 us a MB, as LL does 39 GB/s between servers; LL128: 85.4 us and 5.66; Simple: 1.4 x 120.8
/// us and 5.21. Tree, LL: 6.8 + 14 x 0.6 + 2 x 5 = 25.2 us and 51.3 us a MB; LL128: 48.5 us
/// and 6.44 us a MB; both more by the part that trees reach at this size.
TEST(ChooseAlgorithm, FastestIsRingOrTreeByNcclsPrediction) {
  const GroupShape two(16, 8);
  const auto choose = [&](std::int64_t bytes) {
    return ChooseAlgorithm(Spec(Operation::kAllReduce, GroupType::kData, bytes), two, "H100",
                           Fastest());
  };
  const auto expect = [&](std::int64_t bytes, Algorithm algorithm, Protocol protocol) {
    EXPECT_EQ(choose(bytes).algorithm, algorithm) << bytes;
    EXPECT_EQ(choose(bytes).protocol, protocol) << bytes;
  };
  expect(8, Algorithm::kTree, Protocol::kLl);
  // Trees with LL reach 60 % at 64 KiB, 50 % at 128 KiB; LL128 70 and 60 %.
  expect(131072, Algorithm::kTree, Protocol::kLl);         // 38.6 us; LL128 49.9; ring 39.3
  expect(262144, Algorithm::kRing, Protocol::kLl);         // 45.6 us; tree 51.3
  expect(524288, Algorithm::kTree, Protocol::kLl128);      // 54.1 us; ring 58.2
  expect(16 << 20, Algorithm::kTree, Protocol::kLl128);    // 168.6 us at 90 %; ring 180.4
  expect(32 << 20, Algorithm::kRing, Protocol::kLl128);    // 275.3 us; tree 288.6 at 90 %
  expect(128 << 20, Algorithm::kRing, Protocol::kLl128);   // 845.2 us; Simple 868.2
  expect(256 << 20, Algorithm::kRing, Protocol::kSimple);  // 1567 us; LL128 1605
  expect(1'000'000'000, Algorithm::kRing, Protocol::kSimple);
}

TEST(ChooseAlgorithm, PredictionsByHand) {
  const GroupShape two(16, 8);
  const CollectiveSpec spec = Spec(Operation::kAllReduce, GroupType::kData, 1'000'000);
  const auto predicted = [&](Algorithm algorithm) {
    return PredictedAllReduce(spec, algorithm, two, "H100", Fastest());
  };
  // At 1 MB trees with LL reach 40 %, with LL128 60 %: 25.2 + 51.3 / 0.4 and 48.5 + 6.44 / 0.6.
  EXPECT_EQ(predicted(Algorithm::kRing).protocol, Protocol::kLl);
  EXPECT_NEAR(1e6 * predicted(Algorithm::kRing).seconds, 81.08, 0.01);
  EXPECT_EQ(predicted(Algorithm::kTree).protocol, Protocol::kLl128);
  EXPECT_NEAR(1e6 * predicted(Algorithm::kTree).seconds, 59.24, 0.01);
}

/// An algorithm that was asked for gets the protocol that NCCL would take for it, too.
TEST(ChooseAlgorithm, ProtocolOfAnAllReduceIsTheTuners) {
  const GroupShape two(16, 8);
  CollectiveOptions options = Fastest();
  const auto protocol = [&](Operation operation, std::int64_t bytes) {
    return ChooseAlgorithm(Spec(operation, GroupType::kData, bytes), two, "H100", options).protocol;
  };
  options.allreduce = "ring";
  EXPECT_EQ(protocol(Operation::kAllReduce, 1'000'000), Protocol::kLl);
  EXPECT_EQ(protocol(Operation::kAllReduce, 2'000'000), Protocol::kLl128) << "96.7 us; LL 129.2";
  EXPECT_EQ(protocol(Operation::kAllGather, 2'000'000), Protocol::kLl) << "not tuned";
  options.allreduce = "tree";
  EXPECT_EQ(protocol(Operation::kAllReduce, 1'000'000), Protocol::kLl128);
  options.protocol = CollectiveOptions::Protocols::kLlOrSimple;
  EXPECT_EQ(protocol(Operation::kAllReduce, 1'000'000), Protocol::kLl);
  options.protocol = CollectiveOptions::Protocols::kNone;
  EXPECT_EQ(protocol(Operation::kAllReduce, 1'000'000), Protocol::kNone);
}

TEST(ChooseAlgorithm, FastestLeavesNvlsAndOtherOperationsAlone) {
  const GroupShape one(8, 8), two(16, 8);
  CollectiveOptions options = Fastest();
  EXPECT_EQ(Choose(Operation::kAllGather, GroupType::kData, two, "H100", options),
            Algorithm::kRing);
  options.nvls = true;
  EXPECT_EQ(Choose(Operation::kAllReduce, GroupType::kTensor, one, "H100", options),
            Algorithm::kNvls);
  EXPECT_EQ(
      ChooseAlgorithm(Spec(Operation::kAllReduce), GroupShape(1, 8), "A100", options).algorithm,
      Algorithm::kRing)
      << "nobody to talk to";
}

/// With a latency of 6 us for every message and plain messages a tree has fewer of them.
TEST(ChooseAlgorithm, FastestWithSendLatencyCountsMessages) {
  CollectiveOptions options = Fastest();
  options.latency = CollectiveOptions::Latency::kSendLat;
  const GroupShape two(16, 8);
  const auto choose = [&](std::int64_t bytes) {
    return ChooseAlgorithm(Spec(Operation::kAllReduce, GroupType::kData, bytes), two, "H100",
                           options);
  };
  EXPECT_EQ(choose(1000).algorithm, Algorithm::kTree);
  EXPECT_EQ(choose(1000).protocol, Protocol::kNone);
  // 30 messages against 16, and 6.25 us a MB against 7.25: they meet at 84.3 MB.
  EXPECT_EQ(choose(83'000'000).algorithm, Algorithm::kTree);
  EXPECT_EQ(choose(86'000'000).algorithm, Algorithm::kRing);
}

TEST(ChooseAlgorithm, PxnWhereRailsAreCrossed) {
  CollectiveOptions options;
  const auto pxn = [&](const GroupShape& shape, Operation operation) {
    return ChooseAlgorithm(Spec(operation), shape, "A100", options).pxn;
  };
  const GroupShape two(16, 8), one(8, 8), one_rail(4, 1);
  EXPECT_FALSE(pxn(two, Operation::kAllReduce));
  options.pxn = true;
  EXPECT_TRUE(pxn(two, Operation::kAllReduce));
  EXPECT_TRUE(pxn(two, Operation::kAllToAll));
  EXPECT_FALSE(pxn(one, Operation::kAllReduce));
  EXPECT_FALSE(pxn(one_rail, Operation::kAllReduce));
  options.allreduce = "tree";
  EXPECT_FALSE(pxn(two, Operation::kAllReduce)) << "heads of a tree are on one rail";
}

TEST(ChooseProtocol, SendLatencyHasNoneUnlessAskedFor) {
  const GroupShape shape(8, 8);
  CollectiveOptions options;
  const auto choose = [&] {
    return ChooseAlgorithm(Spec(Operation::kAllReduce), shape, "A100", options).protocol;
  };
  EXPECT_EQ(choose(), Protocol::kNone);
  options.protocol = CollectiveOptions::Protocols::kLl;
  EXPECT_EQ(choose(), Protocol::kLl);
  options.protocol = CollectiveOptions::Protocols::kLl128;
  EXPECT_EQ(choose(), Protocol::kLl128);
  options.protocol = CollectiveOptions::Protocols::kSimple;
  EXPECT_EQ(choose(), Protocol::kSimple);
  options.latency = CollectiveOptions::Latency::kNccl;
  options.protocol = CollectiveOptions::Protocols::kNone;
  EXPECT_EQ(choose(), Protocol::kNone);
}

/// As the size grows, LL, then LL128, then Simple, in this order only; each of them for some size
/// within a server.
TEST(ChooseProtocol, OverServersDirectMessagesTakeLlUpToNcclsThreshold) {
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kHardware;
  const GroupShape shape(16, 8);
  const auto chosen = [&](Operation operation, std::int64_t bytes) {
    return ChooseProtocol(Spec(operation, GroupType::kData, bytes), Algorithm::kDirect, shape,
                          options);
  };
  EXPECT_EQ(chosen(Operation::kSendRecv, 32768), Protocol::kLl);
  EXPECT_EQ(chosen(Operation::kSendRecv, 32769), Protocol::kSimple);
  EXPECT_EQ(chosen(Operation::kAllToAll, 16 * 32768), Protocol::kLl);
  EXPECT_EQ(chosen(Operation::kAllToAll, 17 * 32768), Protocol::kSimple);
  options.p2p_channels = 4;
  EXPECT_EQ(chosen(Operation::kSendRecv, 65536), Protocol::kLl);
  options.protocol = CollectiveOptions::Protocols::kSimple;
  EXPECT_EQ(chosen(Operation::kSendRecv, 8), Protocol::kSimple);
}

TEST(ChooseProtocol, LargerMessagesGetMoreEfficientProtocols) {
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kNccl;
  for (const auto& [ranks, gpus] : {std::pair{8, 8}, {16, 8}, {64, 8}, {4, 1}, {2, 2}}) {
    const GroupShape shape(ranks, gpus);
    for (const Operation operation :
         {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter}) {
      Protocol last = Protocol::kLl;
      for (std::int64_t bytes = 8; bytes <= std::int64_t{1} << 36; bytes *= 2) {
        const Protocol now = ChooseProtocol(Spec(operation, GroupType::kTensor, bytes),
                                            Algorithm::kRing, shape, options);
        EXPECT_GE(now, last) << ranks << " ranks, " << bytes << " bytes";
        if (bytes == 8) {
          EXPECT_EQ(now, Protocol::kLl);
        }
        last = now;
      }
      EXPECT_EQ(last, Protocol::kSimple);
    }
  }
  const GroupShape eight(8, 8);
  const auto choose = [&](std::int64_t bytes) {
    return ChooseProtocol(Spec(Operation::kAllReduce, GroupType::kTensor, bytes), Algorithm::kRing,
                          eight, options);
  };
  // LL: 6.6 + 14 x 0.6 = 15 us and 2 x 5.8 us a MB; LL128: 40.6 us and 16/15 x 5.8; Simple: 56 us
  // and 5.8. They meet at 4.7 and 39 MB.
  EXPECT_EQ(choose(4'000'000), Protocol::kLl);
  EXPECT_EQ(choose(8'000'000), Protocol::kLl128);
  EXPECT_EQ(choose(48'000'000), Protocol::kSimple);
}

TEST(ChooseProtocol, NvlsIsSimpleAndListsLeaveAChoice) {
  const GroupShape shape(8, 8);
  CollectiveOptions options;
  options.protocol = CollectiveOptions::Protocols::kLl;
  EXPECT_EQ(ChooseProtocol(Spec(Operation::kAllReduce), Algorithm::kNvls, shape, options),
            Protocol::kSimple);
  options.protocol = CollectiveOptions::Protocols::kLl128OrSimple;
  EXPECT_EQ(ChooseProtocol(Spec(Operation::kAllReduce, GroupType::kTensor, 8), Algorithm::kRing,
                           shape, options),
            Protocol::kLl128);
  options.protocol = CollectiveOptions::Protocols::kLlOrSimple;
  const auto large = Spec(Operation::kAllReduce, GroupType::kTensor, std::int64_t{1} << 36);
  EXPECT_EQ(ChooseProtocol(large, Algorithm::kRing, shape, options), Protocol::kSimple);
}

TEST(ChooseProtocol, RatesMoveTheThresholds) {
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kNccl;
  const GroupShape shape(8, 8);
  const auto spec = Spec(Operation::kAllReduce, GroupType::kTensor, 4'000'000);
  const NominalRates slow{{100'000'000'000}, {100'000'000'000}};
  EXPECT_EQ(ChooseProtocol(spec, Algorithm::kRing, shape, options), Protocol::kLl);
  EXPECT_EQ(ChooseProtocol(spec, Algorithm::kRing, shape, options, slow), Protocol::kSimple);
}

}  // namespace
}  // namespace heddle
