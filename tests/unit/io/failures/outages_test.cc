// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/outages.h"

#include "core/base/check.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

using What = FailureEvent::What;

FailureEvent At(std::int64_t ps, What what, std::uint32_t a, std::int64_t b = -1) {
  FailureEvent event;
  event.time = Time{ps};
  event.what = what;
  event.a = NodeId(a);
  if (b >= 0) event.b = NodeId(static_cast<std::uint32_t>(b));
  return event;
}

FailureEvent OfCable(FailureEvent event, std::uint32_t cable) {
  event.cable = cable;
  return event;
}

FailureEvent ToRate(std::int64_t ps, std::uint32_t a, std::uint32_t b, std::int64_t bps) {
  FailureEvent event = At(ps, What::kLinkRate, a, b);
  event.rate = BitRate{bps};
  return event;
}

std::vector<Outage> Find(const Graph& graph, const std::vector<FailureEvent>& events,
                         std::int64_t end_ps = 1000) {
  return FindOutages(graph, events, end_ps).all;
}

TEST(Outages, ALinkThatFlapsIsOneOutage) {
  const Graph graph = TwoLeaves();
  const auto outages = Find(graph, {At(10, What::kLinkDown, 6, 8), At(20, What::kLinkUp, 8, 6),
                                    At(30, What::kLinkDown, 8, 6), At(35, What::kLinkDown, 6, 8)});
  ASSERT_EQ(outages.size(), 1u);
  EXPECT_EQ(outages[0].kind, Outage::Kind::kLinkDown);
  EXPECT_EQ(outages[0].name, "leaf 0 - spine 0");
  ASSERT_EQ(outages[0].links.size(), 1u);
  ASSERT_EQ(outages[0].spells.size(), 2u);
  EXPECT_EQ(outages[0].spells[0].from_ps, 10);
  EXPECT_EQ(outages[0].spells[0].until_ps, 20);
  EXPECT_EQ(outages[0].spells[1].from_ps, 30);
  EXPECT_EQ(outages[0].spells[1].until_ps, -1);
}

TEST(Outages, EventsMayComeInAnyOrder) {
  const auto outages =
      Find(TwoLeaves(), {At(20, What::kLinkUp, 6, 8), At(10, What::kLinkDown, 6, 8)});
  ASSERT_EQ(outages.size(), 1u);
  EXPECT_EQ(outages[0].spells[0].until_ps, 20);
}

TEST(Outages, ANodeTakesItsLinksAndEndsNobodyElses) {
  // Spine 8 with both its links; the link to leaf 6 is taken down on its own, too.
  const auto outages = Find(TwoLeaves(), {At(10, What::kNodeDown, 8), At(15, What::kLinkDown, 6, 8),
                                          At(20, What::kNodeUp, 8), At(25, What::kNodeDown, 9)});
  ASSERT_EQ(outages.size(), 3u);
  EXPECT_EQ(outages[0].name, "spine 0");
  EXPECT_EQ(outages[0].kind, Outage::Kind::kNodeDown);
  EXPECT_EQ(outages[0].links.size(), 2u);
  EXPECT_EQ(outages[0].spells[0].until_ps, 20);
  EXPECT_EQ(outages[1].spells[0].until_ps, -1) << "the node's return is not the link's";
  EXPECT_EQ(outages[2].name, "spine 1");
  const auto of_link = OutagesOfLinks(outages, TwoLeaves().links().size());
  EXPECT_EQ(of_link[outages[1].links[0].value], (std::vector<std::uint32_t>{0, 1}));
}

TEST(Outages, ACableIsNotAllCables) {
  Graph graph = TwoLeaves();
  graph.AddLink({NodeId(6), NodeId(8), {100'000'000'000}, {500'000}, 0});
  const auto outages =
      Find(graph, {OfCable(At(10, What::kLinkDown, 6, 8), 1), At(20, What::kLinkDown, 6, 8),
                   OfCable(At(30, What::kLinkUp, 6, 8), 1), At(40, What::kLinkUp, 6, 8)});
  ASSERT_EQ(outages.size(), 2u);
  EXPECT_EQ(outages[0].name, "leaf 0 - spine 0 (cable 1)");
  EXPECT_EQ(outages[0].links.size(), 1u);
  EXPECT_EQ(outages[0].spells[0].until_ps, 30);
  EXPECT_EQ(outages[1].links.size(), 2u);
  EXPECT_EQ(outages[1].spells[0].until_ps, 40) << "one of its cables alone does not end it";
}

TEST(Outages, ASlowLinkIsAnOutageUntilItsNextRate) {
  const std::int64_t full = 100'000'000'000;
  const auto outages = Find(TwoLeaves(), {ToRate(10, 6, 8, full / 4), ToRate(20, 6, 8, full / 2),
                                          ToRate(30, 6, 8, full), ToRate(40, 7, 9, 2 * full)});
  ASSERT_EQ(outages.size(), 1u) << "a faster link is none";
  EXPECT_FALSE(outages[0].is_down());
  ASSERT_EQ(outages[0].spells.size(), 2u);
  EXPECT_EQ(outages[0].spells[0].rate_bps, full / 4);
  EXPECT_EQ(outages[0].spells[0].until_ps, 20);
  EXPECT_EQ(outages[0].spells[1].rate_bps, full / 2);
  EXPECT_EQ(outages[0].spells[1].until_ps, 30);
}

TEST(Outages, EventsAfterTheEndAreCountedOnly) {
  const Outages outages =
      FindOutages(TwoLeaves(), {At(10, What::kLinkDown, 6, 8), At(50, What::kLinkUp, 6, 8)}, 49);
  EXPECT_EQ(outages.after_end, 1u);
  ASSERT_EQ(outages.all.size(), 1u);
  EXPECT_EQ(outages.all[0].spells[0].until_ps, -1);
  EXPECT_EQ(outages.events.size(), 2u);
}

TEST(Outages, WhatTheTopologyDoesNotHaveIsRefused) {
  EXPECT_THROW(Find(TwoLeaves(), {At(10, What::kLinkDown, 6, 7)}), UserError);
  EXPECT_THROW(Find(TwoLeaves(), {At(10, What::kNodeDown, 10)}), UserError);
  EXPECT_THROW(Find(TwoLeaves(), {OfCable(At(10, What::kLinkDown, 6, 8), 1)}), UserError);
}

}  // namespace
}  // namespace heddle
