// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/check.h"
#include "partition/report.h"
#include "tests/unit/topology/test_data.h"
#include "topology/generator.h"

namespace heddle {
namespace {

Graph SmallHpn() {
  TemplateOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 256;
  options.nics_per_asw = 8;  // four segments of eight servers
  options.psw_switches = 16;
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
    EXPECT_NE(std::string(error.what()).find("nearest: block"), std::string::npos) << error.what();
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

TEST(Partitioners, RandomDependsOnTheSeed) {
  const Graph graph = SmallHpn();
  const Domains domains = MakeDomains(graph, {});
  EXPECT_NE(AssignDomains(graph, domains, 4, "random", 1),
            AssignDomains(graph, domains, 4, "random", 2));
}

}  // namespace
}  // namespace heddle
