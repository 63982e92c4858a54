// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/tier_use.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/port_totals.h"
#include "tests/support/made_result.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

/// A result of TwoLeaves() that ended at 8000 ps, in which 100 bytes are all that a link of 100
/// Gbit/s can send: 800 bit.
std::string PortsFile(const std::vector<std::uint32_t>& nodes,
                      const std::vector<std::uint32_t>& ports, const I64& bytes) {
  MadeResult result;
  result.tables = {ShapeTable(TwoLeaves()), LinkTable(TwoLeaves()),
                   TableOf("ports", nodes.size(),
                           {{"node", nodes},
                            {"port", ports},
                            {"sent_packets", I64(nodes.size(), 1)},
                            {"sent_bytes", bytes},
                            {"max_queued_bytes", I64(nodes.size(), 7)},
                            {"pauses", I64(nodes.size(), 2)}})};
  result.root["simulated_ps"] = std::int64_t{8000};
  const std::string path = TempPath("ports.h5");
  result.Write(path);
  return path;
}

const TierSum& TierNamed(const std::vector<TierSum>& tiers, const std::string& name) {
  for (const TierSum& tier : tiers) {
    if (tier.name == name) return tier;
  }
  static const TierSum none;
  return none;
}

TEST(PortTotals, AreTheRowsByNumberOfThePort) {
  const ReportSource source(PortsFile({6, 8}, {2, 1}, {100, 25}));
  const std::vector<PortTotals> ports = ReadPortTotals(source);
  ASSERT_EQ(ports.size(), 2u);
  EXPECT_EQ(ports[0].port, source.numbers().Of(NodeId(6), PortId(2)));
  EXPECT_EQ(ports[0].sent_bytes, 100);
  EXPECT_EQ(ports[0].max_queued_bytes, 7);
  EXPECT_EQ(ports[0].pauses, 2);
  EXPECT_DOUBLE_EQ(UtilisationOf(source, ports[0]), 1);
  EXPECT_DOUBLE_EQ(UtilisationOf(source, ports[1]), 0.25);
}

TEST(PortTotals, OfAPortThatTheFabricDoesNotHaveAreRefused) {
  const ReportSource source(PortsFile({6}, {9}, {100}));
  EXPECT_NE(MessageOf([&] { ReadPortTotals(source); }).find("table ports: port 9 of node 6"),
            std::string::npos);
}

TEST(PortTotals, WithoutTheTableAreNone) {
  MadeResult result;
  result.tables = {ShapeTable(TwoLeaves()), LinkTable(TwoLeaves())};
  result.Write(TempPath("none.h5"));
  EXPECT_TRUE(ReadPortTotals(ReportSource(TempPath("none.h5"))).empty());
}

// Leaf 6 sends 100 and 50 bytes up, of four links up; GPU 0 sends 100 into the fabric, of four.
TEST(TierUse, MeansAreOverAllLinksOfATier) {
  const ReportSource source(PortsFile({6, 6, 0}, {2, 3, 1}, {100, 50, 100}));
  const std::vector<TierSum> tiers = SumTiers(source);
  const TierSum& up = TierNamed(tiers, "leaf to spine");
  EXPECT_EQ(up.links, 4u);
  EXPECT_EQ(up.sent_bytes, 150);
  EXPECT_DOUBLE_EQ(up.mean(), 1.5 / 4);
  EXPECT_DOUBLE_EQ(TierNamed(tiers, "host to leaf").mean(), 0.25);
  EXPECT_EQ(TierNamed(tiers, "spine to leaf").mean(), 0);
  ASSERT_NE(HottestTier(tiers), nullptr);
  EXPECT_EQ(HottestTier(tiers)->name, "leaf to spine");
  EXPECT_EQ(BytesAboveLeaves(tiers), 150);
  std::int64_t bytes = 0;
  for (const TierSum& tier : tiers) bytes += tier.sent_bytes;
  EXPECT_EQ(bytes, 250) << "every byte is of a tier";
}

TEST(TierUse, TheHottestTierIsTheFirstOfEqualsAndNoNvLink) {
  const std::vector<TierSum> tiers = {{"NVLink", 2, 2.0, 9},
                                      {"host to leaf", 4, 1.2, 100},
                                      {"leaf to spine", 2, 0.6, 100},
                                      {"leaf to host", 4, 0.4, 100}};
  EXPECT_EQ(HottestTier(tiers)->name, "host to leaf") << "0.3 as the next one";
  EXPECT_EQ(HottestTier({{"NVLink", 2, 2.0, 9}, {"host to leaf", 4, 0, 0}}), nullptr);
  EXPECT_EQ(HottestTier({}), nullptr);
  EXPECT_EQ((TierSum{"none", 0, 0, 0}).mean(), 0);
}

TEST(TierUse, AboveTheLeavesAreLinksBetweenSwitches) {
  EXPECT_EQ(BytesAboveLeaves({{"NVLink", 2, 0, 1},
                              {"host to leaf", 2, 0, 10},
                              {"leaf to host", 2, 0, 100},
                              {"leaf to spine", 2, 0, 1000},
                              {"spine to leaf", 2, 0, 2000},
                              {"host to host", 2, 0, 10'000}}),
            3000);
  EXPECT_EQ(BytesAboveLeaves({}), 0);
}

TEST(TierUse, TheHighestIsOfTheTiersIntervals) {
  const Table load = {"tier_load",
                      "",
                      {{"tier", "1", "", Texts{"host to leaf", "leaf to spine", "leaf to spine"}},
                       {"utilisation", "1", "", F64{0.9, 0.2, 0.7}}}};
  EXPECT_EQ(HighestUse(load, "leaf to spine", 0.5), 0.7);
  EXPECT_EQ(HighestUse(load, "leaf to spine", 0.8), 0.8) << "at least the mean";
  EXPECT_EQ(HighestUse(load, "spine to leaf", 0.1), 0.1);
}

}  // namespace
}  // namespace heddle
