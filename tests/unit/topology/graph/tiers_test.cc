// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/tiers.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "topology/files/describe.h"
#include "topology/files/simai_topology.h"
#include "topology/graph/link_tiers.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// Tiers declared by a family equal those derived from its file.
TEST(Tiers, DeclaredEqualDerivedOnEveryTemplate) {
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    LeafSpineOptions options = t.defaults;
    options.gpus = 72;
    options.nics_per_leaf = 4;  // the last segment is not full
    options.leaves_per_spine = 1000;
    const Graph made = Generate(t.name, options);
    const Graph read = ParseSimaiText(GenerateText(t.name, options), t.name);
    ASSERT_FALSE(made.declared_tiers().of_node.empty()) << t.name;
    ASSERT_TRUE(read.declared_tiers().of_node.empty()) << t.name;
    EXPECT_EQ(FindTiers(made), FindTiers(read)) << t.name;
    for (std::uint32_t tier = 0; tier < made.declared_tiers().names.size(); ++tier) {
      EXPECT_EQ(TierName(made, tier), TierName(read, tier)) << t.name;
    }
    EXPECT_EQ(DescribeFabric(made), DescribeFabric(read)) << t.name;
  }
}

/// Two routers with a GPU each; a third has none, and would be derived one tier higher.
Graph Routers() {
  Graph graph(2, 0, 3, 1, "X");
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, MicroSeconds(1)});
  };
  link(0, 2);
  link(1, 3);
  link(2, 4);
  link(3, 4);
  return graph;
}

TEST(Tiers, DeclaredNamesAndNumbersAreShown) {
  Graph graph = Routers();
  EXPECT_EQ(FindTiers(graph), (std::vector<std::uint32_t>{0, 0, 2, 2, 3}));
  EXPECT_NE(DescribeFabric(graph).find("leaf       2 switches\n"), std::string::npos);
  graph.DeclareTiers({{0, 0, 2, 2, 2}, {"GPU", "NVSwitch", "router"}});
  EXPECT_EQ(FindTiers(graph), (std::vector<std::uint32_t>{0, 0, 2, 2, 2}));
  const std::string text = DescribeFabric(graph);
  EXPECT_NE(text.find("router     3 switches\n"), std::string::npos) << text;
  EXPECT_NE(text.find("router - router"), std::string::npos) << text;
  std::vector<std::string> names;
  const LinkTiers link_tiers(graph);
  for (const LinkTiers::Tier& tier : link_tiers.tiers()) names.push_back(tier.name);
  EXPECT_EQ(names, (std::vector<std::string>{"host to leaf", "leaf to host", "leaf to leaf"}));
}

TEST(Tiers, RefusesTiersThatDoNotFit) {
  const auto message = [](const NodeTiers& tiers) {
    return MessageOf([&] { Routers().DeclareTiers(tiers); });
  };
  const std::vector<std::string> names = {"GPU", "NVSwitch", "router", "core", "top"};
  const std::string misfit = "tiers that do not fit their nodes";
  EXPECT_NO_THROW(Routers().DeclareTiers({{0, 0, 2, 2, 3}, names}));
  EXPECT_NE(message({{0, 0, 2, 2}, names}).find(misfit), std::string::npos);
  EXPECT_NE(message({{0, 2, 2, 2, 3}, names}).find(misfit), std::string::npos);
  EXPECT_NE(message({{0, 0, 0, 2, 3}, names}).find(misfit), std::string::npos);
  EXPECT_NE(message({{0, 0, 1, 2, 3}, names}).find(misfit), std::string::npos);
  EXPECT_NE(message({{0, 0, 2, 2, 5}, names}).find(misfit), std::string::npos);
  EXPECT_NE(message({{0, 0, 2, 2, 4}, names}).find("2 tiers apart"), std::string::npos);
  EXPECT_NE(message({{0, 0, 3, 3, 3}, names}).find("2 tiers apart"), std::string::npos);
}

}  // namespace
}  // namespace heddle
