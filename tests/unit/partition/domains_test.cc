// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include "core/base/check.h"
#include "partition/partition.h"
#include "tests/support/test_data.h"

namespace heddle {
namespace {

void ExpectConsistent(const Graph& graph, const Domains& domains) {
  std::size_t nodes = 0;
  std::uint32_t lowest = 0;
  for (std::uint32_t i = 0; i < domains.nodes.size(); ++i) {
    ASSERT_FALSE(domains.nodes[i].empty());
    EXPECT_TRUE(std::is_sorted(domains.nodes[i].begin(), domains.nodes[i].end()));
    EXPECT_TRUE(i == 0 || lowest < domains.nodes[i].front().value);
    lowest = domains.nodes[i].front().value;
    nodes += domains.nodes[i].size();
    for (const NodeId node : domains.nodes[i]) {
      EXPECT_EQ(domains.domain_of[node.value], DomainId(i));
    }
  }
  EXPECT_EQ(nodes, graph.node_count());
}

TEST(Domains, ServersAndSwitches) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");  // 8 servers, 5 switches
  const Domains domains = MakeDomains(graph, {});
  ExpectConsistent(graph, domains);
  EXPECT_EQ(domains.nodes.size(), 13u);
  EXPECT_EQ(domains.nodes[0].size(), 9u);
  EXPECT_EQ(domains.lookahead, NanoSeconds(500));
}

TEST(Domains, GrainGroupsNeighbours) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");
  const Domains pairs = MakeDomains(graph, {Time{0}, 2});
  ExpectConsistent(graph, pairs);
  EXPECT_EQ(pairs.nodes.size(), 7u);
  EXPECT_EQ(pairs.nodes[0].size(), 18u);
  EXPECT_EQ(pairs.lookahead, NanoSeconds(500));
  const Domains one = MakeDomains(graph, {Time{0}, 0});
  ExpectConsistent(graph, one);
  EXPECT_EQ(one.nodes.size(), 1u);
  EXPECT_EQ(one.lookahead, Time::Max());
}

TEST(Domains, RequestedLookaheadDecidesWhatIsContracted) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");
  const Domains fine = MakeDomains(graph, {NanoSeconds(25), 1});
  EXPECT_EQ(fine.nodes.size(), graph.node_count());
  EXPECT_EQ(fine.lookahead, NanoSeconds(25));
  const Domains same = MakeDomains(graph, {NanoSeconds(500), 1});
  EXPECT_EQ(same.nodes.size(), 13u);
  try {
    MakeDomains(graph, {NanoSeconds(501), 1});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("25ns, 500ns"), std::string::npos) << error.what();
  }
  EXPECT_THROW(MakeDomains(graph, {Time{-1}, 1}), UserError);
}

TEST(Domains, SlowNvLinkIsContractedAllTheSame) {
  Graph graph(2, 1, 1, 2, "X");
  Connect(&graph, 0, 2, {1'000'000'000}, MicroSeconds(1));
  Connect(&graph, 1, 2, {1'000'000'000}, MicroSeconds(1));
  Connect(&graph, 0, 3);
  EXPECT_EQ(MakeDomains(graph, {}).nodes.size(), 2u);
}

TEST(Domains, AutomaticMayEndInOneDomain) {
  Graph graph(2, 0, 0, 1, "X");
  Connect(&graph, 0, 1, {1'000'000'000}, NanoSeconds(10));
  const Domains domains = MakeDomains(graph, {});
  EXPECT_EQ(domains.nodes.size(), 1u);
  EXPECT_EQ(domains.lookahead, Time::Max());
}

/// A star: `hosts` GPUs with one cable each to one switch.
Graph Star(std::uint32_t hosts) {
  Graph graph(hosts, 0, 1, 1, "NONE");
  for (std::uint32_t h = 0; h < hosts; ++h) {
    graph.AddLink({NodeId(h), NodeId(hosts), BitRate{100'000'000'000}, NanoSeconds(500), 0});
  }
  return graph;
}

TEST(AutoGrain, LeavesAFabricOf128DomainsAlone) {
  const Domains domains = MakeDomains(Star(127), {Time{0}, DomainOptions::kAutoGrain});
  EXPECT_EQ(domains.nodes.size(), 128u);
}

TEST(AutoGrain, GroupsNeighboursUpTo16PortsInLargerOnes) {
  const Domains domains = MakeDomains(Star(320), {Time{0}, DomainOptions::kAutoGrain});
  // 320 ports of hosts in groups of 16, and the switch alone.
  ASSERT_EQ(domains.nodes.size(), 21u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(domains.nodes[i].size(), 16u);
  EXPECT_EQ(domains.nodes[20].size(), 1u);
  EXPECT_EQ(domains.lookahead, NanoSeconds(500));
}

TEST(Domains, GroupsHaveDomainsOfOneSide) {
  // 10 hosts on 2 leaves below 3 spines; in groups of 4: hosts 4 + 4 + 2, leaves 2, spines 3.
  Graph graph(10, 0, 5, 1, "NONE");
  for (std::uint32_t h = 0; h < 10; ++h) Connect(&graph, h, 10 + h / 5);
  for (std::uint32_t l = 0; l < 2; ++l) {
    for (std::uint32_t s = 0; s < 3; ++s) Connect(&graph, 10 + l, 12 + s);
  }
  const Domains domains = MakeDomains(graph, {Time{0}, 4});
  ExpectConsistent(graph, domains);
  std::vector<std::size_t> sizes;
  for (const auto& nodes : domains.nodes) sizes.push_back(nodes.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2, 2, 3}));
  EXPECT_EQ(TwoSides(graph, domains.domain_of), (std::vector<std::uint8_t>{0, 0, 0, 1, 0}));
}

/// Four servers of a GPU; pairs of them have a leaf of their own; two spines join the leaves.
Graph TwoSegments() {
  Graph graph(4, 0, 4, 1, "NONE");
  for (std::uint32_t h = 0; h < 4; ++h) Connect(&graph, h, 4 + h / 2);
  for (std::uint32_t l = 0; l < 2; ++l) {
    for (std::uint32_t s = 0; s < 2; ++s) Connect(&graph, 4 + l, 6 + s);
  }
  return graph;
}

TEST(SegmentDomains, HaveWholeSegmentsAndAShareOfTheSpines) {
  const Graph graph = TwoSegments();
  EXPECT_EQ(CountSegments(graph), 2u);
  DomainOptions options{Time{0}, DomainOptions::kAutoGrain};
  for (const std::uint32_t asked : {2U, 5U}) {
    options.segment_domains = asked;
    const Domains domains = MakeDomains(graph, options);
    ExpectConsistent(graph, domains);
    EXPECT_EQ(domains.nodes,
              (std::vector<std::vector<NodeId>>{{NodeId(0), NodeId(1), NodeId(4), NodeId(6)},
                                                {NodeId(2), NodeId(3), NodeId(5), NodeId(7)}}));
  }
  options.segment_domains = 1;
  EXPECT_EQ(MakeDomains(graph, options).nodes.size(), 1u);
}

TEST(SegmentDomains, ServersWithoutLeavesAreSegments) {
  Graph graph(4, 0, 0, 1, "NONE");
  Connect(&graph, 0, 1);
  EXPECT_EQ(CountSegments(graph), 3u);
}

TEST(SegmentDomains, AnExplicitGrainComesFirst) {
  DomainOptions options{Time{0}, 1};
  options.segment_domains = 2;
  EXPECT_EQ(MakeDomains(TwoSegments(), options).nodes.size(), 8u);
}

TEST(ParseGrain, KnowsAutoAndNumbers) {
  EXPECT_EQ(ParseGrain("auto"), DomainOptions::kAutoGrain);
  EXPECT_EQ(ParseGrain("0"), 0u);
  EXPECT_EQ(ParseGrain("12"), 12u);
  for (const char* bad : {"", "-1", "1.5", "many", "99999999999"})
    EXPECT_THROW(ParseGrain(bad), UsageError) << bad;
}

}  // namespace
}  // namespace heddle
