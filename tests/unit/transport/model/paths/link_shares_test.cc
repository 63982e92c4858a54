// SPDX-License-Identifier: GPL-2.0-only
/// Reservations on links, in each of the three units, and the texts of the limit.
#include "transport/model/paths/link_shares.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle::testing {
namespace {

constexpr BitRate Gbps(std::int64_t n) { return {n * 1'000'000'000}; }
constexpr ShareLimit::Unit kFlows = ShareLimit::Unit::kFlows, kRate = ShareLimit::Unit::kRate,
                           kLine = ShareLimit::Unit::kLine;

std::string ErrorOf(const std::string& text) {
  ShareLimit limit;
  OptionSet set;
  Option option;
  option.key = "controller.share";
  option.set = [&](std::string_view value) { limit = ParseShareLimit(value); };
  set.Add(option);
  try {
    set.Set("controller.share", text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ShareLimit, TextForms) {
  for (const char* text : {"1", "64", "1000000", "400Gbps", "2500Mbps", "line"}) {
    EXPECT_EQ(ToText(ParseShareLimit(text)), text);
  }
  EXPECT_EQ(ParseShareLimit("12").unit, kFlows);
  EXPECT_EQ(ParseShareLimit("12").value, 12);
  EXPECT_EQ(ParseShareLimit("0.4Tb/s").unit, kRate);
  EXPECT_EQ(ParseShareLimit("0.4Tb/s").value, Gbps(400).bps);
  EXPECT_EQ(ParseShareLimit("line").unit, kLine);
  EXPECT_EQ(ToText(ShareLimit{}), "1") << "the specification's rule is the default";
}

TEST(ShareLimit, WhatIsNoneSaysWhatOneIs) {
  EXPECT_EQ(ErrorOf("0"),
            "option controller.share: found '0'. Expected: a number of flows from 1 to 1000000, a "
            "rate from 1Mbps to 1000000Gbps "
            "with its unit, such as 400Gbps, or line");
  for (const char* text : {"", "1000001", "-1", "+1", "1.5", "99999999999999999999", "0Gbps",
                           "999kbps", "1000001Gbps", "400", "Line", "line ", "1 flow", "-4Gbps"}) {
    const bool is_number = std::string(text) == "400";
    EXPECT_EQ(ErrorOf(text).empty(), is_number) << "'" << text << "'";
  }
}

/// GPUs 0 and 1 at switch 2, with 400 and 100 Gbps.
Graph TwoLinks() {
  Graph graph(2, 0, 1, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), Gbps(400), Time{}, 0});
  graph.AddLink({NodeId(1), NodeId(2), Gbps(100), Time{}, 0});
  return graph;
}

class LinkSharesTest : public ::testing::Test {
 protected:
  LinkShares Shares(ShareLimit limit) const { return LinkShares(graph_, numbers_, limit); }
  const Graph graph_ = TwoLinks();
  const HopNumbers numbers_{graph_};
  const HopIndex wide_ = numbers_.Of(NodeId(2), PortId(0));
  const HopIndex narrow_ = numbers_.Of(NodeId(2), PortId(1));
};

TEST_F(LinkSharesTest, HopsAreNumberedOverTheWholeFabric) {
  EXPECT_EQ(numbers_.count(), 4u);
  for (HopIndex hop = 0; hop < numbers_.count(); ++hop) {
    const Hop at = numbers_.At(hop);
    EXPECT_EQ(numbers_.Of(at.node, at.port), hop);
    EXPECT_LT(at.port.value, graph_.ports(at.node).size());
  }
  EXPECT_EQ(numbers_.At(3).node, NodeId(2));
  EXPECT_EQ(numbers_.At(3).port, PortId(1));
}

TEST_F(LinkSharesTest, NodesWithoutPortsHaveNoHops) {
  Graph graph(3, 0, 2, 1, "X");
  graph.AddLink({NodeId(0), NodeId(4), Gbps(1), Time{}, 0});
  const HopNumbers numbers(graph);
  EXPECT_EQ(numbers.count(), 2u);
  EXPECT_EQ(numbers.At(1).node, NodeId(4));
}

TEST_F(LinkSharesTest, FlowsAreCountedWhateverTheyBring) {
  LinkShares shares = Shares({kFlows, 2});
  EXPECT_EQ(shares.links_in_use(), 0u);
  shares.Reserve(wide_, Gbps(400));
  EXPECT_TRUE(shares.Fits(wide_, Gbps(1)));
  EXPECT_EQ(shares.UseWith(wide_, Gbps(1)), LinkShares::kFull);
  shares.Reserve(wide_, Gbps(1));
  EXPECT_EQ(shares.load(wide_), 2);
  EXPECT_EQ(shares.links_in_use(), 1u);
  EXPECT_FALSE(shares.Fits(wide_, Gbps(1)));
  EXPECT_TRUE(shares.Fits(narrow_, Gbps(1)));
  shares.Release(wide_, Gbps(400));
  EXPECT_TRUE(shares.Fits(wide_, Gbps(1)));
  EXPECT_EQ(shares.links_in_use(), 1u);
  shares.Release(wide_, Gbps(1));
  EXPECT_EQ(shares.links_in_use(), 0u);
}

TEST_F(LinkSharesTest, RatesAddUpToTheLimit) {
  LinkShares shares = Shares({kRate, Gbps(300).bps});
  shares.Reserve(narrow_, Gbps(200));
  EXPECT_TRUE(shares.Fits(narrow_, Gbps(100)));
  EXPECT_FALSE(shares.Fits(narrow_, BitRate{Gbps(100).bps + 1}));
  EXPECT_EQ(shares.UseWith(narrow_, BitRate{Gbps(100).bps + 1}), LinkShares::kFull + 1)
      << "rounded up: it does not fit";
  EXPECT_EQ(shares.UseWith(narrow_, Gbps(100)), LinkShares::kFull);
  EXPECT_EQ(shares.UseWith(wide_, Gbps(150)), LinkShares::kFull / 2);
}

TEST_F(LinkSharesTest, ALineIsAsWideAsItsLink) {
  LinkShares shares = Shares({kLine, 0});
  shares.Reserve(wide_, Gbps(200));
  shares.Reserve(narrow_, Gbps(50));
  EXPECT_TRUE(shares.Fits(wide_, Gbps(200)));
  EXPECT_FALSE(shares.Fits(narrow_, Gbps(200)));
  EXPECT_TRUE(shares.Fits(narrow_, Gbps(50)));
}

TEST_F(LinkSharesTest, AnIdleLinkTakesAFlowThatBringsMore) {
  LinkShares shares = Shares({kLine, 0});
  EXPECT_TRUE(shares.Fits(narrow_, Gbps(400)));
  EXPECT_EQ(shares.UseWith(narrow_, Gbps(400)), LinkShares::kFull);
  shares.Reserve(narrow_, Gbps(400));
  EXPECT_EQ(shares.load(narrow_), Gbps(100).bps) << "it claims all of the link, not more";
  EXPECT_FALSE(shares.Fits(narrow_, BitRate{1}));
  shares.Release(narrow_, Gbps(400));
  EXPECT_EQ(shares.load(narrow_), 0);
}

TEST_F(LinkSharesTest, ReservationsBeyondTheLimitCount) {
  LinkShares shares = Shares({kRate, kHighestLinkRate.bps});
  constexpr int kFlowsOnIt = 1000;
  for (int i = 0; i < kFlowsOnIt; ++i) shares.Reserve(wide_, kHighestLinkRate);
  EXPECT_EQ(shares.UseWith(wide_, kHighestLinkRate), (kFlowsOnIt + 1) * LinkShares::kFull)
      << "no overflow";
  for (int i = 0; i < kFlowsOnIt; ++i) shares.Release(wide_, kHighestLinkRate);
  EXPECT_EQ(shares.links_in_use(), 0u);
}

TEST_F(LinkSharesTest, WhatWasNotReservedCannotBeReleased) {
  LinkShares shares = Shares({kRate, Gbps(300).bps});
  EXPECT_THROW(shares.Release(wide_, Gbps(1)), InvariantError);
  shares.Reserve(wide_, Gbps(1));
  EXPECT_THROW(shares.Release(wide_, Gbps(2)), InvariantError);
  EXPECT_THROW(shares.Release(narrow_, Gbps(1)), InvariantError);
  EXPECT_EQ(shares.load(wide_), Gbps(1).bps) << "a refused release changes nothing";
}

TEST_F(LinkSharesTest, FitsExactlyIfTheUseIsAtMostFull) {
  for (const ShareLimit limit :
       {ShareLimit{kFlows, 3}, ShareLimit{kRate, 7'777'777}, ShareLimit{kLine, 0}}) {
    LinkShares shares = Shares(limit);
    for (std::int64_t i = 1; i < 200; ++i) {
      const BitRate demand{i * 1'234'567};
      EXPECT_EQ(shares.Fits(narrow_, demand), shares.UseWith(narrow_, demand) <= LinkShares::kFull);
      if (i % 3 == 0) shares.Reserve(narrow_, demand);
    }
  }
}

}  // namespace
}  // namespace heddle::testing
