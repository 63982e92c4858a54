// SPDX-License-Identifier: GPL-2.0-only
/// Cycles that are skipped: long flows that share ports in a steady way, and what disturbs them.
/// All results are those of a run that skips nothing.
#include <gtest/gtest.h>

#include "tests/support/results.h"
#include "tests/support/simulate.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kMates = 4;  ///< GPUs of a server, or of a leaf
constexpr std::int64_t kLong = 40'000'000;

/// Servers of four GPUs at an NVSwitch each, and no network.
Graph NvLinks(std::uint32_t servers) {
  const std::uint32_t gpus = servers * kMates;
  Graph graph(gpus, servers, 0, kMates, "H100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kMates), BitRate{2'880'000'000'000},
                   PicoSeconds(25'000), 0});
  }
  return graph;
}

/// Leaves of four GPUs without NVLinks, and a spine.
Graph LeavesAndSpine(std::uint32_t leaves) {
  const std::uint32_t gpus = leaves * kMates;
  Graph graph(gpus, 0, leaves + 1, 1, "A100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kMates), BitRate{100'000'000'000},
                   PicoSeconds(500'000), 0});
  }
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    graph.AddLink({NodeId(gpus + leaf), NodeId(gpus + leaves), BitRate{400'000'000'000},
                   PicoSeconds(500'000), 0});
  }
  return graph;
}

void AddLongRing(std::vector<FlowRequest>* flows, Time start, std::uint32_t first,
                 std::int64_t size) {
  for (std::uint32_t gpu = 0; gpu < kMates; ++gpu) {
    flows->push_back(Flow(first + gpu, first + (gpu + 1) % kMates, size, /*priority=*/3, start.ps));
  }
}

class Cycles : public ::testing::Test {
 protected:
  ReplayFigures Run(const Graph& graph, const std::vector<FlowRequest>& flows) {
    RunPlan plan;
    plan.grain = 0;
    options_.replay.replay = ReplayOptions::Replay::kOff;
    const Observed off = Simulate(graph, flows, {options_, plan});
    options_.replay.replay = ReplayOptions::Replay::kOn;
    const Observed on = Simulate(graph, flows, {options_, plan});
    EXPECT_EQ(DigestParts(Join(Communicator::Serial(), on)),
              DigestParts(Join(Communicator::Serial(), off)));
    EXPECT_EQ(on.end, off.end);
    books_ = off.books;
    return on.replayed;
  }

  TransportOptions options_;
  DomainBooks books_;
};

TEST_F(Cycles, OfARingAreSkippedNearlyToItsEnd) {
  std::vector<FlowRequest> flows;
  AddLongRing(&flows, MicroSeconds(3), 0, kLong);
  for (const Graph& graph : {NvLinks(1), LeavesAndSpine(1)}) {
    const ReplayFigures figures = Run(graph, flows);
    EXPECT_EQ(figures.recorded, 1);
    EXPECT_EQ(figures.hops, figures.skipped);
    EXPECT_GT(figures.skipped, books_.link_packets * 9 / 10);
  }
}

// Several flows to one GPU take turns; their queue is never marked, and has its limit by the
// window.
TEST_F(Cycles, OfFlowsThatTakeTurns) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 1; gpu < kMates; ++gpu)
    flows.push_back(Flow(0, gpu, kLong, /*priority=*/gpu, gpu * 12'345));
  EXPECT_GT(Run(LeavesAndSpine(1), flows).skipped, books_.link_packets / 2);
}

TEST_F(Cycles, AreLeftWhereAFlowComes) {
  for (const std::int64_t late : {0, 1, 4800, 724'159, 724'160, 1'234'567, 999'999'999}) {
    std::vector<FlowRequest> flows;
    AddLongRing(&flows, Time{0}, 0, kLong);
    flows.push_back(Flow(1, 3, 100'000, /*priority=*/3, MicroSeconds(1000).ps + late));
    EXPECT_GT(Run(LeavesAndSpine(1), flows).skipped, books_.link_packets / 2) << late;
  }
}

// A packet comes from another leaf, or a flow leaves for it.
TEST_F(Cycles, AreLeftForWhatCrossesTheSpine) {
  for (const bool comes : {true, false}) {
    std::vector<FlowRequest> flows;
    AddLongRing(&flows, Time{0}, 0, kLong);
    flows.push_back(
        Flow(comes ? 5 : 2, comes ? 2 : 5, 100'000, /*priority=*/3, MicroSeconds(1500).ps));
    const ReplayFigures figures = Run(LeavesAndSpine(2), flows);
    EXPECT_EQ(figures.recorded, 0);
    EXPECT_EQ(figures.refused, 1);
    EXPECT_GT(figures.skipped, books_.link_packets / 4);
    EXPECT_LT(figures.skipped, books_.link_packets / 2);
  }
}

// The retransmission timer of 4.2 ms comes due many times while cycles are skipped; then packets
// are lost, and it counts.
TEST_F(Cycles, TimersAreRightWhenPacketsAreLostLater) {
  options_.has_window = false;
  options_.buffer.buffer_mib = 1;
  options_.pfc.enabled = false;
  options_.ecn.enabled = false;
  std::vector<FlowRequest> flows;
  AddLongRing(&flows, Time{0}, 0, 5 * kLong);
  for (std::uint32_t gpu = 1; gpu < kMates; ++gpu)
    flows.push_back(Flow(gpu, 0, 3'000'000, /*priority=*/3, MicroSeconds(9000).ps + gpu));
  const ReplayFigures figures = Run(LeavesAndSpine(1), flows);
  EXPECT_GT(figures.skipped, 0);
  EXPECT_GT(books_.dropped_packets, 0);
}

// Also where every third, or every seventh, flow is refused, and rebuilt.
TEST_F(Cycles, OfManyFlowsAtRandomTimes) {
  std::int64_t skipped = 0, rebuilt = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::uint64_t state = seed;
    const auto draw = [&state](std::uint64_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<std::int64_t>((state >> 33) % below);
    };
    options_.replay.refused = seed % 4 == 0 ? 7 : seed % 4 == 1 ? 3 : 0;
    const bool servers = seed % 2 == 0;
    std::vector<FlowRequest> flows;
    for (int i = 0; i < 6; ++i) {
      const Time start = MicroSeconds(100) * draw(20) + PicoSeconds(draw(3) * 181'040);
      const std::uint32_t first = servers && draw(2) == 0 ? kMates : 0;
      if (draw(3) > 0) {
        AddLongRing(&flows, start, first, 1'000'000 * (1 + draw(12)));
        continue;
      }
      const auto from = static_cast<std::uint32_t>(draw(kMates));
      const auto to = static_cast<std::uint32_t>((from + 1 + draw(kMates - 1)) % kMates);
      flows.push_back(
          Flow(first + from, first + to, 1 + draw(9'000'000), /*priority=*/3, start.ps));
    }
    const ReplayFigures figures = Run(servers ? NvLinks(2) : LeavesAndSpine(1), flows);
    skipped += figures.skipped;
    rebuilt += figures.rebuilt;
  }
  EXPECT_GT(skipped, 0);
  EXPECT_GT(rebuilt, 0);
}

// State that is not counted from the present.
TEST_F(Cycles, NoneWithSelectiveRepeatOrAcksOfSimai) {
  std::vector<FlowRequest> flows;
  AddLongRing(&flows, Time{0}, 0, kLong);
  options_.reliability.selective_repeat = true;
  EXPECT_EQ(Run(LeavesAndSpine(1), flows).skipped, 0);
  options_.reliability = {};
  options_.reliability.simai_acks = true;
  EXPECT_EQ(Run(LeavesAndSpine(1), flows).skipped, 0);
}

}  // namespace
}  // namespace heddle::testing
