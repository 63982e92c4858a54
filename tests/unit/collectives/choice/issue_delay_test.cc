// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/issue_delay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace heddle {
namespace {

/// The parameters that a test varies; otherwise an AllReduce by ring with LL on one channel, inside
/// a server.
struct Case {
  Operation operation = Operation::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kLl;
  bool reduced = false;
  std::uint32_t channels = 1;
  PathKind path = PathKind::kNvLink;
  bool first = false;
};

Time Delay(const CollectiveOptions& options, const Case& c) {
  CollectiveSpec spec;
  spec.operation = c.operation;
  AlgorithmChoice choice;
  choice.algorithm = c.algorithm;
  choice.protocol = c.protocol;
  GroupFlow flow;
  flow.reduced = c.reduced;
  return IssueDelay(options).Of(spec, choice, flow, {c.path, c.first, c.channels});
}

CollectiveOptions Nccl() {
  CollectiveOptions options;
  options.latency = CollectiveOptions::Latency::kNccl;
  return options;
}

constexpr Time kHandOver = NanoSeconds(10);

TEST(IssueDelay, SendLatencyAndTheReductionOfRings) {
  CollectiveOptions options;
  options.send_latency = MicroSeconds(3);
  Case c;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3010).ps);
  c.first = true;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3010).ps) << "no base latency";
  c.reduced = true;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3040).ps);
  c.channels = 8;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3010).ps) << "SimAI's toggle";
  c.operation = Operation::kReduceScatter;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3040).ps);
  c.algorithm = Algorithm::kNvls;
  EXPECT_EQ(Delay(options, c).ps, NanoSeconds(3010).ps);
  EXPECT_EQ(IssueDelay(options).least().ps, NanoSeconds(3010).ps);
}

TEST(IssueDelay, NcclHardwareLatencyByPathAlgorithmAndProtocol) {
  struct {
    PathKind path;
    Algorithm algorithm;
    Protocol protocol;
    std::int64_t ns;
  } constexpr kCases[] = {
      {PathKind::kNvLink, Algorithm::kTree, Protocol::kLl, 600},
      {PathKind::kNvLink, Algorithm::kTree, Protocol::kLl128, 1250},
      {PathKind::kNvLink, Algorithm::kTree, Protocol::kSimple, 28000},
      {PathKind::kNvLink, Algorithm::kRing, Protocol::kLl, 600},
      {PathKind::kNvLink, Algorithm::kRing, Protocol::kLl128, 1900},
      {PathKind::kNvLink, Algorithm::kRing, Protocol::kSimple, 3400},
      {PathKind::kPci, Algorithm::kTree, Protocol::kLl, 1000},
      {PathKind::kPci, Algorithm::kRing, Protocol::kLl128, 1000},
      {PathKind::kNet, Algorithm::kTree, Protocol::kLl, 5000},
      {PathKind::kNet, Algorithm::kTree, Protocol::kLl128, 8500},
      {PathKind::kNet, Algorithm::kRing, Protocol::kLl, 2700},
      {PathKind::kNet, Algorithm::kRing, Protocol::kLl128, 5500},
      {PathKind::kNet, Algorithm::kDirect, Protocol::kLl, 2700},
      // The table has none of these: the send latency of 6 us is used.
      {PathKind::kNet, Algorithm::kTree, Protocol::kSimple, 6000},
      {PathKind::kNet, Algorithm::kRing, Protocol::kSimple, 6000},
      {PathKind::kPci, Algorithm::kRing, Protocol::kSimple, 6000},
      {PathKind::kNet, Algorithm::kNvls, Protocol::kSimple, 6000},
      // Its base latency has what software takes.
      {PathKind::kNvLink, Algorithm::kNvls, Protocol::kSimple, 600},
      {PathKind::kNvLink, Algorithm::kNvlsMultimem, Protocol::kSimple, 600},
      {PathKind::kNvLink, Algorithm::kNvlsTree, Protocol::kSimple, 6000},
      {PathKind::kNvLink, Algorithm::kRing, Protocol::kNone, 6000},
  };
  for (const auto& expected : kCases) {
    Case c;
    c.path = expected.path;
    c.algorithm = expected.algorithm;
    c.protocol = expected.protocol;
    EXPECT_EQ(Delay(Nccl(), c).ps, (kHandOver + NanoSeconds(expected.ns)).ps)
        << static_cast<int>(c.path) << " " << ToText(c.algorithm) << " " << ToText(c.protocol);
  }
}

TEST(IssueDelay, NcclBaseLatencyAtTheStart) {
  struct {
    Algorithm algorithm;
    Protocol protocol;
    std::int64_t ns;
  } constexpr kCases[] = {
      {Algorithm::kTree, Protocol::kLl, 6800},       {Algorithm::kTree, Protocol::kLl128, 14000},
      {Algorithm::kTree, Protocol::kSimple, 0},      {Algorithm::kRing, Protocol::kLl, 6600},
      {Algorithm::kRing, Protocol::kLl128, 14000},   {Algorithm::kRing, Protocol::kSimple, 8400},
      {Algorithm::kDirect, Protocol::kSimple, 8400}, {Algorithm::kNvls, Protocol::kSimple, 23000},
      {Algorithm::kNvlsTree, Protocol::kSimple, 0},  {Algorithm::kRing, Protocol::kNone, 0},
  };
  for (const auto& expected : kCases) {
    Case c;
    c.algorithm = expected.algorithm;
    c.protocol = expected.protocol;
    const Time later = Delay(Nccl(), c);
    c.first = true;
    EXPECT_EQ((Delay(Nccl(), c) - later).ps, NanoSeconds(expected.ns).ps)
        << ToText(c.algorithm) << " " << ToText(c.protocol);
  }
}

TEST(IssueDelay, NothingIsFasterThanLeast) {
  for (const std::int64_t send_ns : {0, 100, 6000}) {
    CollectiveOptions options = Nccl();
    options.send_latency = NanoSeconds(send_ns);
    Time least = Time::Max();
    for (const Algorithm algorithm : {Algorithm::kTree, Algorithm::kRing, Algorithm::kNvls,
                                      Algorithm::kNvlsTree, Algorithm::kDirect}) {
      for (const Protocol protocol :
           {Protocol::kLl, Protocol::kLl128, Protocol::kSimple, Protocol::kNone}) {
        for (const PathKind path : {PathKind::kNvLink, PathKind::kPci, PathKind::kNet}) {
          Case c;
          c.algorithm = algorithm;
          c.protocol = protocol;
          c.path = path;
          least = std::min(least, Delay(options, c));
        }
      }
    }
    EXPECT_EQ(IssueDelay(options).least().ps, least.ps) << send_ns;
    EXPECT_GT(least.ps, 0);
  }
}

TEST(ProtocolBytes, CountFlags) {
  EXPECT_EQ(ProtocolBytes(Protocol::kLl, 100), 200);
  EXPECT_EQ(ProtocolBytes(Protocol::kLl128, 120), 128);
  EXPECT_EQ(ProtocolBytes(Protocol::kLl128, 1), 2);
  EXPECT_EQ(ProtocolBytes(Protocol::kLl128, 15), 16);
  EXPECT_EQ(ProtocolBytes(Protocol::kLl128, 16), 18);
  EXPECT_EQ(ProtocolBytes(Protocol::kSimple, 100), 100);
  EXPECT_EQ(ProtocolBytes(Protocol::kNone, 100), 100);
  EXPECT_EQ(ProtocolBytes(Protocol::kLl, 0), 0);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t bytes : {std::int64_t{1} << 62, kMost}) {
    EXPECT_EQ(ProtocolBytes(Protocol::kLl, bytes), kMost);
    EXPECT_GE(ProtocolBytes(Protocol::kLl128, bytes), bytes);
  }
}

/// The table of SimAI 1.7's documentation; what is given replaces it.
TEST(IssueDelay, SimaiSevenHasATable) {
  CollectiveOptions options;
  options.simai = SimaiVersion::k1_7;
  Case c;
  EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(7200));
  c.path = PathKind::kPci;
  EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(7200)) << "in the same server";
  c.path = PathKind::kNet;
  EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(9300));
  c.protocol = Protocol::kNone;
  EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(22400)) << "Simple";
  c.protocol = Protocol::kSimple;
  for (const auto& [algorithm, inside, between] :
       {std::make_tuple(Algorithm::kTree, 12400, 22400),
        std::make_tuple(Algorithm::kNvls, 25000, 18000),
        std::make_tuple(Algorithm::kNvlsTree, 25000, 20900),
        std::make_tuple(Algorithm::kPat, 12000, 22000),
        std::make_tuple(Algorithm::kCollNetDirect, 3700, 31000),
        std::make_tuple(Algorithm::kCollNetChain, 2800, 30000)}) {
    c.algorithm = algorithm;
    c.path = PathKind::kNvLink;
    EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(inside)) << ToText(algorithm);
    c.path = PathKind::kNet;
    EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(between)) << ToText(algorithm);
  }
  c.protocol = Protocol::kLl;
  EXPECT_EQ(Delay(options, c), kHandOver + NanoSeconds(6000)) << "CollNet has no LL";
  EXPECT_EQ(IssueDelay(options).least(), kHandOver + NanoSeconds(2800));
  options.send_latency_given = true;
  EXPECT_EQ(Delay(options, c), kHandOver + options.send_latency);
  options.send_latency_given = false;
  options.simai = SimaiVersion::k1_6;
  EXPECT_EQ(Delay(options, c), kHandOver + options.send_latency);
}

}  // namespace
}  // namespace heddle
