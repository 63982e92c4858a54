// SPDX-License-Identifier: GPL-2.0-only
#include "partition/cut_report.h"

#include <gtest/gtest.h>

#include "tests/support/test_data.h"

namespace heddle {
namespace {

/// Two GPUs on one switch, 72.416 Gbps: one packet of 9052 bytes a us and direction.
Graph Pair() {
  Graph graph(2, 0, 1, 1, "X");
  Connect(&graph, 0, 2, {72'416'000'000}, MicroSeconds(1));
  Connect(&graph, 1, 2, {72'416'000'000}, MicroSeconds(1));
  return graph;
}

TEST(PartitionReport, CountsByHand) {
  const Graph graph = Pair();
  const Domains domains = MakeDomains(graph, {});
  const Assignment assignment{RankId(0), RankId(1), RankId(0)};  // GPU 0 and the switch together
  const PartitionReport report = AnalysePartition(graph, domains, assignment, 2);
  EXPECT_EQ(report.links, 2u);
  EXPECT_EQ(report.cut_links, 1u);
  EXPECT_EQ(report.domains, 3u);
  EXPECT_EQ(report.largest_domain, 1u);
  EXPECT_EQ(report.lookahead, MicroSeconds(1));
  EXPECT_DOUBLE_EQ(report.messages_per_us, 2);
  EXPECT_EQ(report.ranks[0].nodes, 2u);
  EXPECT_EQ(report.ranks[0].gpus, 1u);
  EXPECT_EQ(report.ranks[0].neighbours, 1u);
  EXPECT_DOUBLE_EQ(report.ranks[0].packet_hops_per_us, 3);
  EXPECT_DOUBLE_EQ(report.ranks[1].packet_hops_per_us, 1);
  EXPECT_DOUBLE_EQ(report.load_imbalance, 1.5);
}

TEST(PartitionReport, EfficiencyFollowsTheFormula) {
  const Graph graph = Pair();
  const Domains domains = MakeDomains(graph, {});
  const Assignment assignment{RankId(0), RankId(1), RankId(0)};
  const PartitionReport report = AnalysePartition(graph, domains, assignment, 2);
  // A window of 1 us: 3 and 1 packet-hops at 6 M/s; a batch of 0.5 us out and one in, a latency of
  // 2 us; two records of 64 bytes at 10 GB/s.
  const double compute0 = 3 / 6e6, compute1 = 1 / 6e6;
  const double talk = 2 * 0.5e-6 + 2e-6 + 2 * 64 / 10e9;
  EXPECT_NEAR(report.efficiency, (compute0 + compute1) / (2 * (compute0 + talk)), 1e-12);
}

TEST(PartitionReport, OneRankIsFullyEfficient) {
  const Graph graph = Pair();
  const Domains domains = MakeDomains(graph, {});
  const auto report = AnalysePartition(graph, domains, Assignment(3, RankId(0)), 1);
  EXPECT_EQ(report.cut_links, 0u);
  EXPECT_DOUBLE_EQ(report.efficiency, 1);
  EXPECT_DOUBLE_EQ(report.load_imbalance, 1);
}

TEST(PartitionReport, TextHasAllFigures) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");
  const Domains domains = MakeDomains(graph, {});
  const std::string text =
      ToText(AnalysePartition(graph, domains, AssignDomains(graph, domains, 4, "block", 0), 4));
  for (const char* word : {"ranks", "13, the largest of 9 nodes", "500ns", "cut links", "of 132",
                           "messages", "load", "efficiency", "neighbours"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
}

}  // namespace
}  // namespace heddle
