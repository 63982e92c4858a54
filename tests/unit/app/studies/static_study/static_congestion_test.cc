// SPDX-License-Identifier: GPL-2.0-only
/// Studies of static congestion: placements, collectives as patterns, the worst cables.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "core/app/studies/static_study/host_choice.h"
#include "core/app/studies/static_study/listed_patterns.h"
#include "core/app/studies/static_study/worst_cables.h"
#include "core/base/check.h"
#include "topology/load/cable_tiers.h"
#include "topology/load/static_network.h"

namespace heddle {
namespace {

TEST(DrawnHosts, ServersAreDealtWhole) {
  for (const std::uint32_t hosts : {32U, 29U}) {
    const DrawnHosts choice({EqualServers(hosts, 8), 16});
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint64_t run = 0; run < 50; ++run) {
      const std::vector<std::uint32_t> mapping = choice.MappingOf(run);
      ASSERT_EQ(mapping.size(), 16u);
      EXPECT_EQ(std::set<std::uint32_t>(mapping.begin(), mapping.end()).size(), 16u);
      for (std::size_t i = 1; i < mapping.size(); ++i) {
        if (mapping[i] % 8 != 0) {
          EXPECT_EQ(mapping[i], mapping[i - 1] + 1);
        }
      }
      seen.insert(mapping);
    }
    EXPECT_GT(seen.size(), 8u) << "of 12 orders of two full servers";
  }
}

TEST(DrawnHosts, AFixedSubsetOfServersStays) {
  const DrawnHosts choice({EqualServers(64, 8), 16, /*fixed_subset=*/true});
  const auto sorted = [&](std::uint64_t run) {
    std::vector<std::uint32_t> mapping = choice.MappingOf(run);
    std::sort(mapping.begin(), mapping.end());
    return mapping;
  };
  for (std::uint64_t run = 1; run < 20; ++run) EXPECT_EQ(sorted(run), sorted(0));
}

TEST(DrawnHosts, ServersNeedNotBeEqual) {
  const DrawnHosts choice({{{0, 5}, {1}, {2, 3, 4}}, 4, /*fixed_subset=*/true});
  std::set<std::set<std::uint32_t>> seen;
  for (std::uint64_t run = 0; run < 50; ++run) {
    const std::vector<std::uint32_t> mapping = choice.MappingOf(run);
    ASSERT_EQ(mapping.size(), 4u);
    for (std::size_t i = 0; i + 1 < mapping.size(); ++i) {
      if (mapping[i] == 0) {
        EXPECT_EQ(mapping[i + 1], 5u);
      }
      if (mapping[i] == 2) {
        EXPECT_EQ(mapping[i + 1], 3u);
      }
    }
    seen.insert({mapping.begin(), mapping.end()});
  }
  EXPECT_LE(seen.size(), 2u) << "the hosts of the servers drawn, of which the last is cut";
}

/// Hosts 0 to `hosts` - 1 on one switch.
StaticNetwork StarNetwork(std::uint32_t hosts) {
  StaticNetwork network;
  for (std::uint32_t i = 0; i < hosts; ++i) network.AddNode("H" + std::to_string(i), true);
  const std::uint32_t s = network.AddNode("s", false);
  for (std::uint32_t i = 0; i < hosts; ++i) {
    network.RouteRest(i, network.AddCable({i, s, 0}));
    network.Route(s, i, network.AddCable({s, i, 0}));
  }
  return network;
}

CongestionRequest Request(const std::string& pattern, std::uint32_t ranks) {
  CongestionRequest request;
  request.pattern.text = pattern;
  request.pattern.ranks = ranks;
  request.pattern.list = ListPatterns(1);
  request.hosts = std::make_shared<DrawnHosts>(DrawnServers{EqualServers(ranks, 1), ranks});
  request.load.cable_sums = true;
  request.runs = 5;
  return request;
}

TEST(ListedPatterns, ARingsStepsAreLevels) {
  const auto levels = ListPatterns(1)("collective", "allreduce,ring", 6);
  ASSERT_EQ(levels->size(), 10u) << "2 (n - 1) steps";
  for (std::size_t level = 0; level < levels->size(); ++level) {
    EXPECT_EQ((*levels)[level].size(), 6u);
    EXPECT_EQ(&(*levels)[level], &(*levels)[0]) << "kept once";
  }
}

TEST(ListedPatterns, EveryOperationIsListed) {
  const ListLevels list = ListPatterns(2);
  for (const char* operation : {"allreduce", "allreduce,tree", "allgather", "reducescatter",
                                "alltoall,1KiB", "broadcast", "reduce", "sendrecv"}) {
    const auto levels = list("collective", operation, 8);
    ASSERT_GT(levels->size(), 0u) << operation;
    for (const RankPair& pair : (*levels)[0]) {
      EXPECT_LT(pair.source, 8u);
      EXPECT_LT(pair.destination, 8u);
      EXPECT_NE(pair.source, pair.destination);
    }
  }
  for (const char* wrong : {"", "allredduce", "alltoall,tree", "allreduce,nvls", "allreduce,0MiB",
                            "allreduce,5parsecs"})
    EXPECT_THROW(list("collective", wrong, 8), Error) << wrong;
}

TEST(WorstCables, TheReceiversCableAndWhoSharesIt) {
  const StaticNetwork network = StarNetwork(6);
  const CongestionRequest request = Request("gather", 6);
  const CongestionStudy study = StudyCongestion(network, request, Communicator::Serial());
  const std::vector<WorstCable> worst = FindWorstCables(network, request, study, 3);
  ASSERT_EQ(worst.size(), 3u) << "each run has another receiver, of which three are shown";
  EXPECT_EQ(worst[0].peak.messages, 5u);
  EXPECT_EQ(worst[0].sharers.size(), 5u);
  EXPECT_EQ(network.EndsOf(worst[0].cable).to, worst[0].sharers[0].destination);
  EXPECT_EQ(SetUpRun(request, worst[0].peak.run).mapping[0], worst[0].sharers[0].destination);
}

TEST(WorstCables, NoneWhereNobodyMeets) {
  const StaticNetwork network = StarNetwork(6);
  const CongestionRequest request = Request("shift:1", 6);
  const CongestionStudy study = StudyCongestion(network, request, Communicator::Serial());
  EXPECT_TRUE(FindWorstCables(network, request, study, 3).empty());
  const std::vector<CableTier> tiers = TiersOf(network, study.totals);
  ASSERT_EQ(tiers.size(), 2u);
  EXPECT_EQ(tiers[0].name, "host to leaf");
  EXPECT_EQ(tiers[1].name, "leaf to host");
  for (const CableTier& tier : tiers) {
    EXPECT_EQ(tier.cables, 6u);
    EXPECT_EQ(tier.messages, 30u);
    EXPECT_EQ(tier.peak, 1u);
    EXPECT_EQ(tier.unused, 0u);
  }
}

}  // namespace
}  // namespace heddle
