// SPDX-License-Identifier: GPL-2.0-only
/// When replays are tried, and when the fabric becomes one domain for them.
#include "core/app/run/setup/replay_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "collectives/program/make_program.h"
#include "io/simai/simai_workload.h"
#include "tests/support/simulate_jobs.h"

namespace heddle {
namespace {

constexpr std::uint32_t kServers = 4, kPerServer = 4, kGpus = kServers * kPerServer;

/// Servers of four GPUs; GPU i of each is at leaf i, `nics` times; a spine joins the leaves.
Graph Rails(int nics = 1, const char* gpu_type = "A100") {
  Graph graph(kGpus, kServers, kPerServer + 1, kPerServer, gpu_type);
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, PicoSeconds(500'000), 0});
  };
  const std::uint32_t leaf = kGpus + kServers;
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    link(gpu, kGpus + gpu / kPerServer);
    for (int nic = 0; nic < nics; ++nic) link(gpu, leaf + gpu % kPerServer);
  }
  for (std::uint32_t i = 0; i < kPerServer; ++i) link(leaf + i, leaf + kPerServer);
  return graph;
}

/// One layer: `forward` of its TP groups, `weights` of its DP groups ("ALLREDUCE 1000000").
std::string Step(std::uint32_t tensor, const std::string& forward, const std::string& weights) {
  return fmt::format(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: 1 pp: 1 vpp: 1 ga: 1 "
      "all_gpus: {} checkpoints: 0 checkpoint_initiates: 0\n1\nl -1 1000 {} 1000 NONE 0 1000 {} "
      "100\n",
      tensor, kGpus, forward, weights);
}

/// On all GPUs in order, unless `gpus` lists them by rank.
Job MakeJob(const std::string& workload, std::vector<NodeId> gpus) {
  Workload parsed = ParseSimaiWorkload(workload, "test");
  for (std::uint32_t gpu = 0; gpus.size() < kGpus; ++gpu) gpus.push_back(NodeId(gpu));
  const ParallelGroups groups(parsed.sizes, kGpus, "test");
  Program program = MakeProgram(parsed, groups, 1);
  return {"test", std::move(parsed), groups, std::move(program), std::move(gpus), {}};
}

class ReplayChoice : public ::testing::Test {
 protected:
  IslandShares Of(const std::string& workload, std::vector<NodeId> gpus = {}) {
    return FindIslandShares(graph_, {MakeJob(workload, std::move(gpus))}, options_);
  }

  Graph graph_ = Rails();
  CollectiveOptions options_;
};

TEST_F(ReplayChoice, GroupsInServersAndUnderLeavesCountByTheirVolume) {
  // Each rank of four sends 1.5 times the bytes of its AllReduce, and 0.75 times of its AllGather.
  const IslandShares shares = Of(Step(4, "ALLREDUCE 3000000", "ALLGATHER 2000000"));
  EXPECT_DOUBLE_EQ(shares.servers, 0.75);
  EXPECT_DOUBLE_EQ(shares.leaves, 0.25);
  EXPECT_TRUE(IsWorthReplaying(shares, /*leaves=*/false));
  EXPECT_EQ(PlanSegmentDomains(shares, /*ranks=*/1, /*segments=*/1), 1U);
}

TEST_F(ReplayChoice, RingsAlongRailsCountUnlessTheyTakeAllGpus) {
  EXPECT_DOUBLE_EQ(Of(Step(2, "NONE 0", "ALLREDUCE 1000000")).leaves, 1);
  EXPECT_DOUBLE_EQ(Of(Step(2, "NONE 0", "ALLTOALL 1000000")).leaves, 0);
  const IslandShares all = Of(Step(1, "NONE 0", "ALLREDUCE 1000000"));
  EXPECT_EQ(all.servers + all.leaves, 0);
  EXPECT_FALSE(IsWorthReplaying(all, /*leaves=*/true));
}

TEST_F(ReplayChoice, LeavesCountIfOneDomainMayHaveThem) {
  const IslandShares shares = Of(Step(4, "NONE 0", "ALLREDUCE 1000000"));
  EXPECT_DOUBLE_EQ(shares.leaves, 1);
  EXPECT_TRUE(IsWorthReplaying(shares, /*leaves=*/true));
  EXPECT_FALSE(IsWorthReplaying(shares, /*leaves=*/false));
}

TEST_F(ReplayChoice, ServersAloneAreOneDomainIfTheyHaveNearlyAllBytes) {
  const IslandShares shares = Of(Step(4, "ALLREDUCE 1000000", "NONE 0"));
  EXPECT_DOUBLE_EQ(shares.servers, 1);
  EXPECT_EQ(PlanSegmentDomains(shares, /*ranks=*/1, /*segments=*/1), 1U);
  EXPECT_EQ(PlanSegmentDomains(shares, /*ranks=*/4, /*segments=*/8), 4U);
  EXPECT_EQ(PlanSegmentDomains(shares, /*ranks=*/4, /*segments=*/2), 0U) << "ranks share servers";
  EXPECT_EQ(PlanSegmentDomains({0.8, 0}, /*ranks=*/1, /*segments=*/1), 0U);
}

TEST_F(ReplayChoice, RanksAreLeftIdleWhereReplaysSaveMore) {
  const IslandShares half{0.5, 0.5};
  EXPECT_EQ(PlanSegmentDomains(half, /*ranks=*/4, /*segments=*/8), 4U);
  EXPECT_EQ(PlanSegmentDomains(half, /*ranks=*/4, /*segments=*/2), 2U);
  EXPECT_EQ(PlanSegmentDomains(half, /*ranks=*/16, /*segments=*/1), 1U);
  EXPECT_EQ(PlanSegmentDomains(half, /*ranks=*/64, /*segments=*/1), 0U);
  // Half of the bytes are simulated in any case: one rank does not take the place of two.
  const IslandShares quarter{0.25, 0.25};
  EXPECT_EQ(PlanSegmentDomains(quarter, /*ranks=*/2, /*segments=*/1), 0U);
  EXPECT_EQ(PlanSegmentDomains(quarter, /*ranks=*/2, /*segments=*/2), 2U);
}

TEST_F(ReplayChoice, GpusWithTwoNicPortsHaveNoLeaf) {
  graph_ = Rails(/*nics=*/2);
  EXPECT_EQ(Of(Step(4, "NONE 0", "ALLREDUCE 1000000")).leaves, 0);
}

TEST_F(ReplayChoice, PlacementDecidesNotTheTypeOfGroup) {
  // Rank r on GPU r / 4 of server r % 4: TP groups are under one leaf, DP groups in one server.
  std::vector<NodeId> gpus;
  for (std::uint32_t rank = 0; rank < kGpus; ++rank)
    gpus.push_back(NodeId(rank % kServers * kPerServer + rank / kServers));
  const IslandShares shares = Of(Step(4, "ALLREDUCE 3000000", "ALLREDUCE 1000000"), gpus);
  EXPECT_DOUBLE_EQ(shares.leaves, 0.75);
  EXPECT_DOUBLE_EQ(shares.servers, 0.25);
  // One group of another place, and the type counts for nothing.
  std::swap(gpus[0], gpus[5]);
  EXPECT_EQ(Of(Step(4, "ALLREDUCE 3000000", "NONE 0"), gpus).leaves, 0);
}

TEST_F(ReplayChoice, WhatNvSwitchesCarryOutDoesNotCount) {
  options_.nvls = true;
  const auto servers = [&](const Graph& graph, const char* forward) {
    return FindIslandShares(graph, {MakeJob(Step(4, forward, "NONE 0"), {})}, options_).servers;
  };
  EXPECT_EQ(Of(Step(4, "ALLREDUCE 1000000", "NONE 0")).servers, 1) << "A100's do not add";
  const Graph adding = Rails(1, "H100");
  EXPECT_EQ(servers(adding, "ALLREDUCE 1000000"), 0);
  EXPECT_EQ(servers(adding, "ALLGATHER 1000000"), 0);
  options_.choice = CollectiveOptions::Choice::kNccl;
  EXPECT_EQ(servers(adding, "ALLREDUCE 1000000"), 0);
  EXPECT_EQ(servers(adding, "ALLGATHER 1000000"), 1) << "NCCL gathers by a ring";
}

TEST_F(ReplayChoice, NoJobsNothingToReplay) {
  const IslandShares shares = FindIslandShares(graph_, {}, options_);
  EXPECT_EQ(shares.servers + shares.leaves, 0);
  EXPECT_FALSE(IsWorthReplaying(shares, /*leaves=*/true));
}

}  // namespace
}  // namespace heddle
