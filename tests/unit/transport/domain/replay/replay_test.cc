// SPDX-License-Identifier: GPL-2.0-only
/// Episodes that are made to repeat, to be left, missed, refused: what is replayed of them, and
/// that all results are those of a run that replays nothing. leaf_replay_test.cc has leaves.
#include <gtest/gtest.h>

#include "tests/support/results.h"
#include "tests/support/simulate.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kGpus = 4;  ///< of a server
constexpr std::int64_t kSize = 2'000'000;

/// Servers of four GPUs at one NVSwitch each, or at several, each farther away than the last; all
/// NICs are at one switch.
Graph Servers(std::uint32_t servers, std::uint32_t planes) {
  const std::uint32_t gpus = servers * kGpus;
  const std::uint32_t leaf = gpus + servers * planes;
  Graph graph(gpus, servers * planes, 1, kGpus, "H100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kGpus * planes + plane),
                     BitRate{2'880'000'000'000}, PicoSeconds(25'000 + 1'000 * plane), 0});
    graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{400'000'000'000}, PicoSeconds(500'000), 0});
  }
  return graph;
}

FlowRequest FlowAt(Time start, std::uint32_t from, std::uint32_t to, std::int64_t size = kSize) {
  return Flow(from, to, size, /*priority=*/3, start.ps);
}

/// All GPUs of a server to their neighbours.
void AddRing(std::vector<FlowRequest>* flows, Time start, std::uint32_t server,
             std::int64_t size = kSize) {
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    flows->push_back(FlowAt(start, server * kGpus + gpu, server * kGpus + (gpu + 1) % kGpus, size));
  }
}

class Replay : public ::testing::Test {
 protected:
  /// Runs with and without replays, in one domain; all results must be equal. Before the flows each
  /// server has a ring, after which it is at all ports the turn of the same queue; it does not
  /// count in what is returned.
  ReplayFigures Run(std::uint32_t servers, std::vector<FlowRequest> flows) {
    const Graph graph = Servers(servers, planes_);
    for (FlowRequest& flow : flows) flow.start += MicroSeconds(50);
    for (std::uint32_t server = 0; server < servers; ++server) AddRing(&flows, Time{0}, server);
    options_.replay.replay = ReplayOptions::Replay::kOff;
    RunPlan plan;
    plan.grain = grain_;
    const Observed off = Simulate(graph, flows, {options_, plan});
    EXPECT_EQ(off.replayed.recorded, 0);
    options_.replay.replay = ReplayOptions::Replay::kOn;
    const Observed on = Simulate(graph, flows, {options_, plan});
    EXPECT_EQ(DigestParts(Join(Communicator::Serial(), on)),
              DigestParts(Join(Communicator::Serial(), off)));
    EXPECT_EQ(on.flow_digest, off.flow_digest);
    EXPECT_EQ(on.end, off.end);
    hops_ = off.books.link_packets;
    ReplayFigures figures = on.replayed;
    figures.recorded -= 1;
    figures.replayed -= servers - 1;
    return figures;
  }

  TransportOptions options_;
  std::uint32_t grain_ = 0, planes_ = 1;
  std::int64_t hops_ = 0;  ///< of the last run
};

TEST_F(Replay, SimulatesWhatRepeatsOnce) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 10; ++i) AddRing(&flows, MicroSeconds(100) * i, 0);
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 9);
  EXPECT_EQ(figures.rebuilt, 0);
  EXPECT_EQ((figures.hops - figures.skipped) * 11, hops_ * 9);
}

TEST_F(Replay, FollowsWhatIsBeingSimulated) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t server = 0; server < 8; ++server) AddRing(&flows, MicroSeconds(1), server);
  const ReplayFigures figures = Run(8, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 7);
}

TEST_F(Replay, FollowsAtALaterTime) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t server = 0; server < 8; ++server)
    AddRing(&flows, PicoSeconds(1'234'567) * (8 - server), server);
  const ReplayFigures figures = Run(8, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed, 7);
}

// Servers of several domains cannot follow each other: the first one is written down for all.
TEST_F(Replay, WritesOnceWhatServersOfSeveralDomainsDoAtOnce) {
  grain_ = 1;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t server = 0; server < 8; ++server)
      AddRing(&flows, MicroSeconds(100) * i, server);
  }
  const ReplayFigures figures = Run(8, flows);
  EXPECT_EQ(figures.recorded, 1);
  EXPECT_EQ(figures.replayed + 7, 8 * 2);
  EXPECT_EQ(figures.rebuilt, 0);
}

TEST_F(Replay, TellsEpisodesOfOtherSizesTimesAndPathsApart) {
  std::vector<FlowRequest> flows;
  AddRing(&flows, MicroSeconds(0), 0);
  AddRing(&flows, MicroSeconds(100), 0, kSize + 1);
  flows.push_back(FlowAt(MicroSeconds(200), 0, 1));
  flows.push_back(FlowAt(MicroSeconds(200) + PicoSeconds(1), 1, 2));
  flows.push_back(FlowAt(MicroSeconds(300), 0, 1));
  flows.push_back(FlowAt(MicroSeconds(300) + PicoSeconds(2), 1, 2));
  flows.push_back(FlowAt(MicroSeconds(400), 0, 2));
  flows.push_back(FlowAt(MicroSeconds(500), 2, 0));
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_EQ(figures.recorded, 6);
}

TEST_F(Replay, RebuildsWhereAnotherFlowComes) {
  std::vector<FlowRequest> flows;
  AddRing(&flows, MicroSeconds(0), 0);
  AddRing(&flows, MicroSeconds(100), 0);
  flows.push_back(FlowAt(MicroSeconds(101), 3, 1));
  // What was rebuilt is a record, too.
  AddRing(&flows, MicroSeconds(200), 0);
  flows.push_back(FlowAt(MicroSeconds(201), 3, 1));
  AddRing(&flows, MicroSeconds(300), 0);
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.rebuilt, 1);
  EXPECT_EQ(figures.recorded, 2);
  EXPECT_EQ(figures.replayed, 2);
}

TEST_F(Replay, RebuildsWhereAFlowIsMissing) {
  std::vector<FlowRequest> flows;
  AddRing(&flows, MicroSeconds(0), 0);
  flows.push_back(FlowAt(MicroSeconds(1), 3, 1));
  AddRing(&flows, MicroSeconds(100), 0);
  AddRing(&flows, MicroSeconds(200), 0);
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.rebuilt, 1);
  EXPECT_EQ(figures.recorded, 2);
  EXPECT_EQ(figures.replayed, 1);
}

TEST_F(Replay, RebuildsFollowersOfALaterDeviation) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t server = 0; server < 4; ++server) {
    AddRing(&flows, MicroSeconds(1), server);
    if (server % 2 == 1)
      flows.push_back(FlowAt(MicroSeconds(2), server * kGpus + 3, server * kGpus + 1));
  }
  const ReplayFigures figures = Run(4, flows);
  EXPECT_EQ(figures.rebuilt, 1);
  EXPECT_EQ(figures.recorded, 2);
  EXPECT_EQ(figures.replayed, 2);
}

TEST_F(Replay, NvLinksAndNicsOfAServerAreOfTwoIslands) {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 5; ++i) {
    AddRing(&flows, MicroSeconds(100) * i, 0);
    AddRing(&flows, MicroSeconds(100) * i, 1);
    flows.push_back(FlowAt(MicroSeconds(100) * i, 0, 5, 1'000'000));
    flows.push_back(FlowAt(MicroSeconds(100) * i + MicroSeconds(10), 6, 1, 1'000'000));
  }
  const ReplayFigures figures = Run(2, flows);
  // NICs have served no queue before.
  EXPECT_EQ(figures.recorded, 1 + 2);
  EXPECT_EQ(figures.replayed, 9 + 3);
  EXPECT_EQ(figures.rebuilt, 0);
}

TEST_F(Replay, RefusesEpisodesWithLosses) {
  options_.buffer.buffer_mib = 1;
  options_.has_window = false;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t gpu = 1; gpu < kGpus; ++gpu)
      flows.push_back(FlowAt(MicroSeconds(1000) * i, gpu, 0, 2'000'000));
  }
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_GT(figures.refused, 0);
}

TEST_F(Replay, ForgetsWhatItHasNoMemoryFor) {
  options_.replay.memory = 1;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 40; ++i)
    AddRing(&flows, MicroSeconds(1000) * i, 0, 20'000'000 + i / 2 * 9000);
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.recorded + figures.refused, 20);
  EXPECT_EQ(figures.replayed, 20 - figures.refused);
}

TEST_F(Replay, WritesLessWhereNothingRepeats) {
  options_.reliability.selective_repeat = true;  // no cycles are skipped
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 200; ++i) AddRing(&flows, MicroSeconds(100) * i, 0, kSize + i);
  const ReplayFigures figures = Run(1, flows);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_LT(figures.recorded, 20);
  EXPECT_GT(figures.recorded, 8);
}

TEST_F(Replay, TellsWaysApartThatAHashDecidesOn) {
  planes_ = 2;
  std::vector<FlowRequest> flows;
  // Each flow has another source port, and with it another NVSwitch there and back.
  for (int i = 0; i < 60; ++i) flows.push_back(FlowAt(MicroSeconds(100) * i, 0, 1, 200'000));
  const ReplayFigures figures = Run(1, flows);
  EXPECT_GE(figures.recorded, 4);
  EXPECT_GT(figures.replayed, 30);
}

TEST_F(Replay, IsOffWhereEveryAckCounts) {
  options_.congestion.mode = 3;  // HPCC
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) AddRing(&flows, MicroSeconds(100) * i, 0);
  EXPECT_EQ(Run(1, flows).recorded, -1);
}

}  // namespace
}  // namespace heddle::testing
