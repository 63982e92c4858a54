// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/all_to_all_schedule.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/pxn_all_to_all_schedule.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

void CheckAll(const GroupShape& shape, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = Operation::kAllToAll;
  spec.bytes = bytes;
  for (const std::uint64_t seed : {0, 2, 9}) {
    CheckSchedule(AllToAllSchedule(bytes, shape), spec, shape, seed);
    CheckSchedule(PxnAllToAllSchedule(bytes, shape), spec, shape, seed);
  }
}

TEST(AllToAllSchedule, BringsEveryPartHome) {
  for (std::uint32_t n = 2; n <= 20; ++n) {
    for (const std::uint32_t server : {1U, 2U, 3U, 4U, 8U}) {
      const GroupShape shape(n, server);
      for (const std::int64_t bytes : SizesFor(shape)) CheckAll(shape, bytes);
      if (HasFailure()) return;
    }
  }
  CheckAll(GroupShape(64, 8), 64 * 64);
  CheckAll(GroupShape(128, 8), 128 * 5 + 1);
}

TEST(AllToAllSchedule, BringsEveryPartHomeInIrregularGroups) {
  for (const GroupShape& shape : IrregularShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) CheckAll(shape, bytes);
  }
}

/// SimAI's MockNcclGroup.cc: bytes / n for every ordered pair, i-major.
TEST(AllToAllSchedule, IsSimAisList) {
  const GroupShape shape(8, 8);
  std::vector<std::pair<Participant, Participant>> seen, expected;
  AllToAllSchedule(8 * 1024, shape).ForEach([&](const GroupFlow& flow) {
    EXPECT_EQ(flow.bytes, 1024);
    EXPECT_EQ(flow.connection, Connection::kDirect);
    seen.emplace_back(flow.source, flow.destination);
  });
  for (Participant i = 0; i < 8; ++i) {
    for (Participant j = 0; j < 8; ++j) {
      if (i != j) expected.emplace_back(i, j);
    }
  }
  EXPECT_EQ(seen, expected);
}

TEST(PxnAllToAllSchedule, SendsOneMessageBetweenAServerAndARankOnItsRail) {
  constexpr std::uint32_t kServers = 4, kLocals = 8;
  const GroupShape shape(kServers * kLocals, kLocals);
  std::uint32_t nets = 0;
  PxnAllToAllSchedule(32 * 100, shape).ForEach([&](const GroupFlow& flow) {
    EXPECT_NE(flow.connection, Connection::kPxnFinal);
    if (shape.server_of(flow.source) == shape.server_of(flow.destination)) return;
    ++nets;
    EXPECT_EQ(flow.connection, Connection::kPxnNet);
    EXPECT_EQ(flow.bytes, kLocals * 100);
    EXPECT_EQ(shape.rail(flow.source), shape.rail(flow.destination));
  });
  EXPECT_EQ(nets, kServers * kLocals * (kServers - 1));  // without PXN: eight times as many
}

TEST(PxnAllToAllSchedule, EntersALargerServerThroughTheProxysPlace) {
  const GroupShape shape = OnGpus({0, 1, 8, 9, 10});
  std::vector<std::string> finals;
  PxnAllToAllSchedule(5, shape).ForEach([&](const GroupFlow& flow) {
    if (flow.connection == Connection::kPxnFinal) finals.push_back(Describe(flow));
  });
  EXPECT_EQ(finals, std::vector<std::string>{"PXN_FINAL channel 0 chunk 4: 2 -> 4"});
}

/// Two servers of two. Rank 2 gets 1 byte of rank 0 and 10 of rank 1: both leave by rank 0.
TEST(PxnAllToAllSchedule, BundlesWhatPairsHave) {
  const GroupShape shape(4, 2);
  const PairSizes sizes{{0, 5, 1, 2, 6, 0, 10, 20, 3, 4, 0, 7, 8, 9, 0, 0}};
  std::string all;
  const PxnAllToAllSchedule schedule(100, shape, &sizes);
  schedule.ForEach([&](const GroupFlow& flow) {
    all += std::string(ToText(flow.connection)) + " " + std::to_string(flow.source) +
           std::to_string(flow.destination) + " " + std::to_string(flow.bytes) + "; ";
  });
  EXPECT_EQ(all,
            "DIRECT 01 5; DIRECT 10 6; DIRECT 23 7; DIRECT 32 0; PXN_INIT 10 10; PXN_NET 02 11; "
            "PXN_INIT 01 2; PXN_NET 13 22; PXN_INIT 32 8; PXN_NET 20 11; PXN_INIT 23 4; PXN_NET 31 "
            "13; ");
  EXPECT_EQ(schedule.flow_count(), 12U);
}

}  // namespace
}  // namespace heddle
