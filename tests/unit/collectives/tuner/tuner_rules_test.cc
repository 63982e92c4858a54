// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_rules.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/tuner/tuner_groups.h"

namespace heddle {
namespace {

using testing::Servers;

/// Expects that it is off, for a reason with these words.
void ExpectOff(const char* words, Operation operation, TunerAlgorithm algorithm,
               const TunerGroup& group, const TunerRules& rules = {}) {
  const std::string why = WhyOff(operation, algorithm, group, rules);
  EXPECT_NE(why.find(words), std::string::npos) << "found: '" << why << "'";
}
void ExpectOn(Operation operation, TunerAlgorithm algorithm, const TunerGroup& group,
              const TunerRules& rules = {}) {
  EXPECT_EQ(WhyOff(operation, algorithm, group, rules), "") << RowOf(algorithm).name;
}

TunerRules WithCollNet() {
  TunerRules rules;
  rules.collnet = true;
  return rules;
}

constexpr Operation kSum = Operation::kAllReduce;

TEST(TunerRules, RingsAndTreesAreAlwaysOn) {
  for (const TunerGroup& group : {Servers(1, 8), Servers(4, 1, "A100"), Servers(16, 8, "B200")}) {
    ExpectOn(kSum, TunerAlgorithm::kRing, group);
    ExpectOn(kSum, TunerAlgorithm::kTree, group);
  }
  ExpectOff("none for ALLGATHER", Operation::kAllGather, TunerAlgorithm::kTree, Servers(2, 8));
  ExpectOff("none for ALLREDUCE", kSum, TunerAlgorithm::kPat, Servers(2, 1));
  ExpectOff("none for BROADCAST", Operation::kBroadcast, TunerAlgorithm::kNvls, Servers(1, 8));
}

TEST(TunerRules, Nvls) {
  const TunerGroup one = Servers(1, 8);
  ExpectOn(kSum, TunerAlgorithm::kNvls, one);
  ExpectOn(Operation::kReduceScatter, TunerAlgorithm::kNvls, one);
  ExpectOff("GPU type A100 do not reduce", kSum, TunerAlgorithm::kNvls, Servers(1, 8, "A100"));
  ExpectOff("GPU type \"\" do not reduce", kSum, TunerAlgorithm::kNvls, Servers(1, 8, ""));
  ExpectOff("without NVSwitches", kSum, TunerAlgorithm::kNvls,
            TunerGroupOf(GroupShape(8, 8, 0), "H100"));
  TunerRules rules;
  rules.nvls = false;
  ExpectOff("collective.nvls=false", kSum, TunerAlgorithm::kNvls, one, rules);
  ExpectOn(kSum, TunerAlgorithm::kNvls, Servers(1, 72, "GB200"));
  ExpectOff("72 GPUs in a server, at most 32", Operation::kAllGather, TunerAlgorithm::kNvls,
            Servers(1, 72, "GB200"));
}

TEST(TunerRules, NvlsOverServersNeedsCollNet) {
  const TunerGroup two = Servers(2, 8);
  ExpectOff("need CollNet: collective.collnet=false", kSum, TunerAlgorithm::kNvls, two);
  ExpectOn(kSum, TunerAlgorithm::kNvls, two, WithCollNet());
  ExpectOn(Operation::kAllGather, TunerAlgorithm::kNvls, two, WithCollNet());
  ExpectOff("more GPUs than others", Operation::kAllGather, TunerAlgorithm::kNvls,
            TunerGroupOf(GroupShape(12, 8), "H100"), WithCollNet());
}

TEST(TunerRules, NvlsTree) {
  ExpectOn(kSum, TunerAlgorithm::kNvlsTree, Servers(2, 8));
  ExpectOff("one server", kSum, TunerAlgorithm::kNvlsTree, Servers(1, 8));
  ExpectOff("one GPU of the group", kSum, TunerAlgorithm::kNvlsTree, Servers(8, 1));
  ExpectOff("GPU type A800", kSum, TunerAlgorithm::kNvlsTree, Servers(2, 8, "A800"));
}

TEST(TunerRules, CollNet) {
  const TunerGroup three = Servers(3, 8, "A100");
  for (const TunerAlgorithm algorithm :
       {TunerAlgorithm::kCollNetDirect, TunerAlgorithm::kCollNetChain}) {
    ExpectOff("NCCL_COLLNET_ENABLE=1", kSum, algorithm, three);
    ExpectOn(kSum, algorithm, three, WithCollNet());
    TunerRules rules = WithCollNet();
    rules.collnet_servers = 3;
    ExpectOn(kSum, algorithm, three, rules);
    rules.collnet_servers = 4;
    ExpectOff("3 servers, collective.collnet_servers=4", kSum, algorithm, three, rules);
    ExpectOff("1 server, collective.collnet_servers=2", kSum, algorithm, Servers(1, 8),
              WithCollNet());
    ExpectOff("9 GPUs in a server, at most 8", kSum, algorithm, Servers(2, 9), WithCollNet());
  }
  const TunerGroup bare = TunerGroupOf(GroupShape(16, 8, 0), "A100");
  ExpectOff("without NVSwitches", kSum, TunerAlgorithm::kCollNetDirect, bare, WithCollNet());
  ExpectOn(kSum, TunerAlgorithm::kCollNetChain, bare, WithCollNet());
}

TEST(TunerRules, Pat) {
  ExpectOn(Operation::kAllGather, TunerAlgorithm::kPat, Servers(8, 1));
  ExpectOff("several GPUs", Operation::kAllGather, TunerAlgorithm::kPat, Servers(8, 2));
  TunerRules rules;
  rules.pat_forced = true;
  ExpectOn(Operation::kReduceScatter, TunerAlgorithm::kPat, Servers(8, 2), rules);
  rules.pat = false;
  ExpectOff("collective.pat=false", Operation::kAllGather, TunerAlgorithm::kPat, Servers(8, 1),
            rules);
}

TEST(TunerRules, WhatIsNotAskedFor) {
  TunerRules rules;
  rules.algorithms = 1U << static_cast<unsigned>(TunerAlgorithm::kTree);
  ExpectOn(kSum, TunerAlgorithm::kTree, Servers(2, 8), rules);
  ExpectOff("not among those", kSum, TunerAlgorithm::kRing, Servers(2, 8), rules);
}

TEST(TunerRules, Protocols) {
  const TunerGroup two = Servers(2, 8), bare = TunerGroupOf(GroupShape(16, 8, 0), "H100");
  TunerRules rules;
  const auto why = [&](TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group) {
    return WhyOff(algorithm, protocol, group, rules);
  };
  for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple})
    EXPECT_EQ(why(TunerAlgorithm::kTree, protocol, two), "");
  EXPECT_EQ(why(TunerAlgorithm::kPat, Protocol::kSimple, two), "");
  EXPECT_EQ(why(TunerAlgorithm::kPat, Protocol::kLl, two), "has SIMPLE only");
  EXPECT_NE(why(TunerAlgorithm::kRing, Protocol::kLl128, bare).find("asked for"),
            std::string::npos);
  rules.protocols = 1U << static_cast<unsigned>(Protocol::kLl128);
  EXPECT_EQ(why(TunerAlgorithm::kRing, Protocol::kLl128, bare), "") << "it is";
  EXPECT_NE(why(TunerAlgorithm::kRing, Protocol::kSimple, two).find("not asked for"),
            std::string::npos);
  ExpectOff("SIMPLE only", kSum, TunerAlgorithm::kNvlsTree, two, rules);
  ExpectOn(kSum, TunerAlgorithm::kTree, two, rules);
}

}  // namespace
}  // namespace heddle
