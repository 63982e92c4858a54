// SPDX-License-Identifier: GPL-2.0-only
#include "partition/partitioner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "partition/cut_report.h"
#include "tests/support/test_data.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// 32 servers; by default in four segments of eight.
Graph SmallHpn(std::uint32_t servers_in_segment = 8) {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 256;
  options.nics_per_leaf = servers_in_segment;
  options.spine_switches = 16;
  return Generate("AlibabaHPN-DualPlane", options);
}

class EveryPartitioner : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPartitioner, LeavesNoRankEmpty) {
  for (const Graph& graph : {SmallHpn(), ReadCase("f_dcn64_mixed_cc1"), ReadCase("c1_sx32"),
                             ReadCase("f_incast8_2MB_cc1"), ReadCase("f_single_cc1")}) {
    const Domains domains = MakeDomains(graph, {});
    const auto count = static_cast<std::uint32_t>(domains.nodes.size());
    for (std::uint32_t ranks = 1; ranks <= count; ranks += 1 + ranks / 6) {
      const Assignment assignment = AssignDomains(graph, domains, ranks, GetParam(), 1);
      ASSERT_EQ(assignment.size(), count);
      std::set<std::uint32_t> used;
      for (const RankId rank : assignment) {
        ASSERT_LT(rank.value, ranks);
        used.insert(rank.value);
      }
      EXPECT_EQ(used.size(), ranks) << ranks << " ranks";
    }
    EXPECT_NO_THROW(AssignDomains(graph, domains, count, GetParam(), 1));
    EXPECT_THROW(AssignDomains(graph, domains, count + 1, GetParam(), 1), UserError);
    EXPECT_THROW(AssignDomains(graph, domains, 0, GetParam(), 1), UserError);
  }
}

TEST_P(EveryPartitioner, IsDeterministic) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  EXPECT_EQ(AssignDomains(graph, domains, 7, GetParam(), 3),
            AssignDomains(graph, domains, 7, GetParam(), 3));
}

TEST_P(EveryPartitioner, BalancesALargeFabric) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  const auto report =
      AnalysePartition(graph, domains, AssignDomains(graph, domains, 4, GetParam(), 1), 4);
  EXPECT_LT(report.load_imbalance, 1.35);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPartitioner, ::testing::ValuesIn(PartitionerNames()),
                         [](const auto& name) { return name.param; });

TEST(Partitioners, UnknownNameIsAnError) {
  const Graph graph = ReadCase("c1_sx32");
  try {
    AssignDomains(graph, MakeDomains(graph, {}), 2, "blok", 0);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("the nearest is block"), std::string::npos)
        << error.what();
  }
}

TEST(Partitioners, BlockGivesEveryRankServersAndSwitches) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  const auto report =
      AnalysePartition(graph, domains, AssignDomains(graph, domains, 8, "block", 0), 8);
  for (const auto& rank : report.ranks) {
    EXPECT_EQ(rank.gpus, 32u);
    EXPECT_GE(rank.domains, 4u + 4u);  // four servers; switches by weight, leaves are heavier
  }
}

TEST(Partitioners, PodCutsNoLinkOfAGpu) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    const Assignment assignment = AssignDomains(graph, domains, ranks, "pod", 0);
    for (const Link& link : graph.links()) {
      if (graph.is_gpu(link.a)) {
        EXPECT_EQ(assignment[domains.domain_of[link.a.value].value],
                  assignment[domains.domain_of[link.b.value].value]);
      }
    }
  }
}

TEST(Partitioners, PodAndMetisCutLessThanRandom) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  const auto cut = [&](const char* name) {
    return AnalysePartition(graph, domains, AssignDomains(graph, domains, 4, name, 1), 4).cut_links;
  };
  EXPECT_LT(cut("pod"), cut("random"));
  EXPECT_LT(cut("metis"), cut("random"));
}

/// Largest load of a rank, summed over windows in which a wave passes along the servers, over the
/// mean.
double UnevennessInAWave(const Domains& domains, const Assignment& assignment, std::uint32_t ranks,
                         std::uint32_t servers) {
  constexpr std::uint32_t kWidth = 8;
  double slowest = 0, all = 0;
  for (std::uint32_t first = 0; first < servers; ++first) {
    std::vector<double> load(ranks);
    for (std::uint32_t i = 0; i < kWidth; ++i)
      load[assignment[domains.domain_of[8 * ((first + i) % servers)].value].value] += 1;
    slowest += *std::max_element(load.begin(), load.end());
    all += kWidth;
  }
  return slowest * ranks / all;
}

TEST(Twins, AreDealtOutWithoutAChangeOfTheCut) {
  const Graph graph = SmallHpn(16);
  const Domains domains = MakeDomains(graph, {});
  for (const std::uint32_t ranks : {2u, 3u, 8u, 13u}) {
    const PartitionTask task{graph, domains, ranks, 0,
                             std::vector<std::int64_t>(domains.nodes.size(), 5)};
    Assignment before = PartitionIntoBlocks(task), after = before;
    DealTwins(task, &after);
    const auto reports = {AnalysePartition(graph, domains, before, ranks),
                          AnalysePartition(graph, domains, after, ranks)};
    const PartitionReport& a = *reports.begin();
    const PartitionReport& b = *(reports.begin() + 1);
    EXPECT_EQ(a.cut_links, b.cut_links);
    EXPECT_DOUBLE_EQ(a.load_imbalance, b.load_imbalance);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(a.ranks[rank].domains, b.ranks[rank].domains);
      EXPECT_EQ(a.ranks[rank].gpus, b.ranks[rank].gpus);
      EXPECT_EQ(a.ranks[rank].neighbours, b.ranks[rank].neighbours);
    }
    if (ranks < 8) continue;  // a segment is nearly all on one rank, so few twins can be swapped
    EXPECT_LT(UnevennessInAWave(domains, after, ranks, 32),
              0.8 * UnevennessInAWave(domains, before, ranks, 32))
        << ranks;
  }
}

TEST(Twins, OfOtherWeightStayWhereTheyAre) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  PartitionTask task{graph, domains, 8, 0, std::vector<std::int64_t>(domains.nodes.size(), 100)};
  for (std::uint32_t server = 0; server < 32; server += 2) task.weight[server] = 1000;
  Assignment assignment = PartitionIntoBlocks(task);
  std::vector<std::int64_t> load(8), dealt(8);
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain)
    load[assignment[domain].value] += task.weight[domain];
  DealTwins(task, &assignment);
  for (std::uint32_t domain = 0; domain < task.domain_count(); ++domain)
    dealt[assignment[domain].value] += task.weight[domain];
  EXPECT_EQ(load, dealt);
}

/// Servers and spines run in the same windows, so measured weights balance them together: a rank
/// with a spine gets fewer servers. Leaves are balanced separately.
TEST(MeasuredWeights, BalanceSpinesAgainstServers) {
  Graph graph(12, 0, 3, 1, "NONE");
  for (std::uint32_t h = 0; h < 12; ++h)
    Connect(&graph, h, 12 + h % 2);  // every server below one of two leaves
  for (std::uint32_t leaf = 12; leaf < 14; ++leaf) Connect(&graph, leaf, 14);
  const Domains domains = MakeDomains(graph, {});
  std::vector<std::int64_t> weights(15, 10);
  weights[14] = 40;
  const Assignment assignment = AssignDomains(graph, domains, 2, "block", 1, weights);
  std::int64_t load[2] = {0, 0}, leaves[2] = {0, 0};
  for (std::uint32_t i = 0; i < 15; ++i)
    (i == 12 || i == 13 ? leaves : load)[assignment[i].value] += weights[i];
  EXPECT_EQ(leaves[0], leaves[1]);
  EXPECT_EQ(load[0], load[1]) << "4 servers and the spine, 8 servers";
}

TEST(MeasuredWeights, SpinesGoWhereServersAreLight) {
  // Two pods, of 8 servers and of 2; three spines, each as heavy as two servers.
  Graph graph(10, 0, 5, 1, "NONE");
  for (std::uint32_t h = 0; h < 10; ++h) Connect(&graph, h, h < 8 ? 10 : 11);
  for (std::uint32_t leaf = 10; leaf < 12; ++leaf) {
    for (std::uint32_t spine = 12; spine < 15; ++spine) Connect(&graph, leaf, spine);
  }
  const Domains domains = MakeDomains(graph, {});
  std::vector<std::int64_t> weights(15, 10);
  for (std::uint32_t spine = 12; spine < 15; ++spine) weights[spine] = 20;
  const Assignment assignment = AssignDomains(graph, domains, 2, "pod", 1, weights);
  for (std::uint32_t spine = 12; spine < 15; ++spine)
    EXPECT_EQ(assignment[spine], assignment[9]) << spine;
}

TEST(Partitioners, RandomDependsOnTheSeed) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  EXPECT_NE(AssignDomains(graph, domains, 4, "random", 1),
            AssignDomains(graph, domains, 4, "random", 2));
}

}  // namespace
}  // namespace heddle
