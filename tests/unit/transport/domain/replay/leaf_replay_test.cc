// SPDX-License-Identifier: GPL-2.0-only
/// Episodes between a leaf switch and its GPUs: what repeats is replayed, and what comes from other
/// leaves, or leaves for them, ends a replay without a trace.
#include <gtest/gtest.h>

#include "tests/support/results.h"
#include "tests/support/simulate.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kAtLeaf = 4;  ///< of a leaf
constexpr std::int64_t kBytes = 1'000'000;

/// Leaves of four GPUs, and one spine. `twice`: each GPU has two links to its leaf.
Graph Leaves(std::uint32_t leaves, bool twice) {
  const std::uint32_t gpus = leaves * kAtLeaf;
  Graph graph(gpus, 0, leaves + 1, 1, "A100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kAtLeaf), BitRate{100'000'000'000},
                   PicoSeconds(500'000), 0});
    if (!twice) continue;
    graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kAtLeaf), BitRate{100'000'000'000},
                   PicoSeconds(500'000), 0});
  }
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    graph.AddLink({NodeId(gpus + leaf), NodeId(gpus + leaves), BitRate{400'000'000'000},
                   PicoSeconds(500'000), 0});
  }
  return graph;
}

FlowRequest FlowTo(Time start, std::uint32_t from, std::uint32_t to, std::int64_t size = kBytes) {
  return Flow(from, to, size, /*priority=*/3, start.ps);
}

void AddLeafRing(std::vector<FlowRequest>* flows, Time start, std::uint32_t leaf) {
  for (std::uint32_t gpu = 0; gpu < kAtLeaf; ++gpu)
    flows->push_back(FlowTo(start, leaf * kAtLeaf + gpu, leaf * kAtLeaf + (gpu + 1) % kAtLeaf));
}

class LeafReplay : public ::testing::Test {
 protected:
  /// Runs with and without replays, in one domain; all results must be equal. Each leaf has a ring
  /// at first, which does not count in what is returned.
  ReplayFigures Run(std::uint32_t leaves, std::vector<FlowRequest> flows) {
    const Graph graph = Leaves(leaves, twice_);
    for (FlowRequest& flow : flows) flow.start += MicroSeconds(500);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) AddLeafRing(&flows, Time{0}, leaf);
    RunPlan plan;
    plan.grain = 0;
    options_.replay.replay = ReplayOptions::Replay::kOff;
    const Observed off = Simulate(graph, flows, {options_, plan});
    options_.replay.replay = ReplayOptions::Replay::kOn;
    const Observed on = Simulate(graph, flows, {options_, plan});
    EXPECT_EQ(DigestParts(Join(Communicator::Serial(), on)),
              DigestParts(Join(Communicator::Serial(), off)));
    EXPECT_EQ(on.end, off.end);
    marks_ = off.books.marked;
    ReplayFigures figures = on.replayed;
    figures.recorded -= 1;
    figures.replayed -= leaves - 1;
    return figures;
  }

  TransportOptions options_;
  bool twice_ = false;
  std::int64_t marks_ = 0;
};

TEST_F(LeafReplay, SimulatesWhatRepeatsOnce) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 5; ++i) {
    for (std::uint32_t leaf = 0; leaf < 3; ++leaf)
      AddLeafRing(&flows, MicroSeconds(1000) * i + NanoSeconds(7) * leaf, leaf);
  }
  const ReplayFigures figures = Run(3, flows);
  // The first rings began at ports that had served no queue yet.
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 14);
  EXPECT_EQ(figures.rebuilt, 0);
}

TEST_F(LeafReplay, WhatComesFromAnotherLeafEndsIt) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 4; ++i) {
    AddLeafRing(&flows, MicroSeconds(1000) * i, 0);
    // It starts at another leaf, which nothing else uses, in mid-episode.
    if (i % 2 == 1) flows.push_back(FlowTo(MicroSeconds(1000) * i + MicroSeconds(20), 4, 2));
  }
  const ReplayFigures figures = Run(2, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 1);
  EXPECT_EQ(figures.rebuilt, 2);
  EXPECT_EQ(figures.refused, 2);
}

TEST_F(LeafReplay, WhatLeavesForAnotherLeafEndsIt) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 4; ++i) {
    AddLeafRing(&flows, MicroSeconds(1000) * i, 0);
    if (i % 2 == 1) flows.push_back(FlowTo(MicroSeconds(1000) * i + MicroSeconds(20), 2, 4));
  }
  const ReplayFigures figures = Run(2, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 1);
  EXPECT_EQ(figures.rebuilt, 2);
}

// The answers of a flow from elsewhere leave by the NICs of the island: no episode begins before
// they have.
TEST_F(LeafReplay, NothingBeginsWhileAnswersAreToCome) {
  for (int shift = 0; shift < 400; ++shift) {
    std::vector<FlowRequest> flows = {FlowTo(Time{0}, 4, 2, 9000)};
    // The last packet of 9,000 bytes is at GPU 2 after some 3 us.
    flows.push_back(FlowTo(NanoSeconds(10) * shift, 0, 1));
    flows.push_back(FlowTo(MicroSeconds(500), 0, 1));
    flows.push_back(FlowTo(MicroSeconds(1000), 0, 1));
    EXPECT_GE(Run(2, flows).replayed, 1) << shift;
  }
}

// How long a GPU uses its ports together is counted over all of them.
TEST_F(LeafReplay, GpusWithSeveralNicPortsAreSimulated) {
  twice_ = true;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) AddLeafRing(&flows, MicroSeconds(1000) * i, 0);
  EXPECT_EQ(Run(1, flows).recorded, -1);
}

TEST_F(LeafReplay, EpisodesWithMarksAreNoRecords) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t gpu = 1; gpu < kAtLeaf; ++gpu)
      flows.push_back(FlowTo(MicroSeconds(100'000) * i, gpu, 0, 4'000'000));
  }
  options_.has_window = false;
  const ReplayFigures figures = Run(1, flows);
  EXPECT_GT(marks_, 0);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_EQ(figures.refused, 3);
}

TEST_F(LeafReplay, MarksAtOneLeafConcernNoOther) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 2; ++i) {
    for (std::uint32_t gpu = 1; gpu < kAtLeaf; ++gpu)
      flows.push_back(FlowTo(MicroSeconds(100'000) * i, gpu, 0, 4'000'000));
    for (int ring = 0; ring < 3; ++ring)
      AddLeafRing(&flows, MicroSeconds(100'000) * i + MicroSeconds(200) * ring, 1);
  }
  options_.has_window = false;
  const ReplayFigures figures = Run(2, flows);
  EXPECT_GT(marks_, 0);
  EXPECT_EQ(figures.refused, 2);
  EXPECT_EQ(figures.replayed, 5);
}

// Marks are drawn at each leaf by itself: from the first draw on a leaf that follows another may be
// faster than the one that it follows.
TEST_F(LeafReplay, FollowersOfALeafWithMarksLeaveAtTheFirstDraw) {
  constexpr std::uint32_t kLeaves = 8;
  std::vector<FlowRequest> flows;
  for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
    for (std::uint32_t gpu = 1; gpu < kAtLeaf; ++gpu)
      flows.push_back(FlowTo(NanoSeconds(leaf), leaf * kAtLeaf + gpu, leaf * kAtLeaf, 4'000'000));
  }
  options_.has_window = false;
  const ReplayFigures figures = Run(kLeaves, flows);
  EXPECT_GT(marks_, 0);
  EXPECT_EQ(figures.rebuilt, kLeaves - 1);
}

// Also where every flow, or every seventh one, ends a replay.
TEST_F(LeafReplay, ManyFlowsOfManyLeaves) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    options_.replay.refused = seed % 3 == 0 ? 7 : seed % 3 == 1 ? 0 : seed % 2;
    std::uint64_t state = seed;
    const auto draw = [&state](std::uint64_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return (state >> 33) % below;
    };
    std::vector<FlowRequest> flows;
    for (int i = 0; i < 40; ++i) {
      const Time start = MicroSeconds(100) * static_cast<std::int64_t>(draw(40));
      if (draw(3) > 0) {
        AddLeafRing(&flows, start, static_cast<std::uint32_t>(draw(3)));
        continue;
      }
      const auto from = static_cast<std::uint32_t>(draw(12));
      const auto to = static_cast<std::uint32_t>((from + 1 + draw(11)) % 12);
      flows.push_back(FlowTo(start + NanoSeconds(static_cast<std::int64_t>(draw(2000))), from, to,
                             static_cast<std::int64_t>(1 + draw(200'000))));
    }
    Run(3, flows);
  }
}

}  // namespace
}  // namespace heddle::testing
