// SPDX-License-Identifier: GPL-2.0-only
#include "io/links/link_study.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/links/link_times.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

StudiedLink MadeLink(HopIndex port, const std::string& tier, double over_run, std::int64_t busy_ps,
                     double while_busy) {
  StudiedLink link;
  link.totals.port = port;
  link.totals.sent_bytes = static_cast<std::int64_t>(1000 * over_run);
  link.tier = tier;
  link.over_run = over_run;
  link.busy_ps = busy_ps;
  link.while_busy = while_busy;
  return link;
}

std::vector<HopIndex> NumbersOf(const std::vector<StudiedLink>& links) {
  std::vector<HopIndex> numbers;
  for (const StudiedLink& link : links) numbers.push_back(link.totals.port);
  return numbers;
}

// Use over the run times use while busy: 0.8 * 0.9 = 0.72; 0.5 * 1 = 0.5; 0.01 * 1 = 0.01; the last
// is not known to be busy.
TEST(BusiestLinks, WereFullForLong) {
  const std::vector<StudiedLink> links = {
      MadeLink(1, "a", 0.01, 10, 1), MadeLink(2, "a", 0.5, 500, 1), MadeLink(3, "a", 0.8, 888, 0.9),
      MadeLink(4, "a", 0.99, 0, 0)};
  EXPECT_EQ(NumbersOf(BusiestOf(links, 9, false)), (std::vector<HopIndex>{3, 2, 1, 4}));
  EXPECT_EQ(NumbersOf(BusiestOf(links, 2, false)), (std::vector<HopIndex>{3, 2}));
  EXPECT_TRUE(BusiestOf({}, 9, false).empty());
}

TEST(BusiestLinks, AtAMomentAreThoseWithMostFlows) {
  std::vector<StudiedLink> links = {MadeLink(1, "a", 0.9, 900, 1), MadeLink(2, "a", 0.1, 100, 1),
                                    MadeLink(3, "a", 0.5, 500, 1)};
  links[0].flows = 1;
  links[1].flows = 2;
  links[2].flows = 2;
  EXPECT_EQ(NumbersOf(BusiestOf(links, 9, true)), (std::vector<HopIndex>{3, 2, 1}));
  EXPECT_EQ(NumbersOf(BusiestOf(links, 9, false)), (std::vector<HopIndex>{1, 3, 2}));
}

// Six links that are equally busy, of two tiers whose ports take turns: one entry a tier.
TEST(BusiestLinks, ThatAreAlikeAreOneWhereverTheirPortsStand) {
  std::vector<StudiedLink> links;
  for (HopIndex port = 0; port < 6; ++port)
    links.push_back(MadeLink(port, port % 2 == 0 ? "leaf to host" : "leaf to spine", 0.5, 500, 1));
  const std::vector<StudiedLink> found = BusiestOf(links, 9, false);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].totals.port, 0u);
  EXPECT_EQ(found[0].alike, 3u);
  EXPECT_EQ(found[1].totals.port, 1u);
  EXPECT_EQ(found[1].alike, 3u);
}

// Of one entry the links alike count still, those after it do not.
TEST(BusiestLinks, CountAllThatAreAlikeThoughFewAreShown) {
  const std::vector<StudiedLink> found =
      BusiestOf({MadeLink(0, "a", 0.5, 500, 1), MadeLink(1, "a", 0.5, 500, 1),
                 MadeLink(2, "a", 0.2, 500, 0.4), MadeLink(3, "a", 0.5, 500, 1)},
                1, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].alike, 3u);
}

// Equally busy links of which one was busy half as long, with other bytes, are not alike.
TEST(BusiestLinks, ThatDifferInAnythingAreNotAlike) {
  StudiedLink first = MadeLink(0, "a", 0.5, 500, 1), bytes = first, at_once = first, busy = first;
  bytes.totals = {1, 0, 77};
  at_once.totals.port = 2;
  at_once.at_once = 3;
  busy.totals.port = 3;
  busy.busy_ps = 400;
  EXPECT_EQ(BusiestOf({first, bytes, at_once, busy}, 9, false).size(), 4u);
}

struct OnLinks {
  std::uint32_t src, dst;
  std::int64_t size, start, fct;
  std::uint8_t state = 0;
};

/// A run on SmallGraph() that ended at 10000 ps, in which 500 bytes are all that a link of 400
/// Gbit/s can send. Each flow's bytes were sent on its two links: from its source's port 1 to
/// switch 6, and from there to its destination.
MadeResult LinkRun(const std::vector<OnLinks>& flows) {
  U32 src, dst, number, node, port;
  I64 size, start, fct;
  U8 state;
  for (const OnLinks& flow : flows) {
    number.push_back(static_cast<std::uint32_t>(number.size()));
    src.push_back(flow.src);
    dst.push_back(flow.dst);
    size.push_back(flow.size);
    start.push_back(flow.start);
    fct.push_back(flow.fct);
    state.push_back(flow.state);
  }
  I64 sent(8);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    node.push_back(gpu);
    port.push_back(1);
  }
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    node.push_back(6);
    port.push_back(gpu);
  }
  for (const OnLinks& flow : flows) {
    if (flow.state != 0) continue;
    sent[flow.src] += flow.size;
    sent[4 + flow.dst] += flow.size;
  }
  MadeResult result;
  result.tables = {ShapeTable(SmallGraph()), LinkTable(SmallGraph()),
                   TableOf("flows", flows.size(),
                           {{"src", src},
                            {"dst", dst},
                            {"number", number},
                            {"source_port", U16(flows.size(), 10'000)},
                            {"destination_port", U16(flows.size(), 100)},
                            {"size_bytes", size},
                            {"start_ps", start},
                            {"fct_ps", fct},
                            {"state", state}}),
                   TableOf("ports", 8, {{"node", node}, {"port", port}, {"sent_bytes", sent}})};
  result.root["simulated_ps"] = std::int64_t{10'000};
  result.root["flows_recorded"] = std::string("all");
  return result;
}

LinkStudy StudyOfLinks(const MadeResult& result, const LinkWish& wish = {}) {
  const std::string path = TempPath("links.h5");
  result.Write(path);
  return StudyLinks(path, wish);
}

// 250 bytes are half of what a link can send in the run; they were sent within half of it.
TEST(LinkStudy, LinksAreBusyWhileTheirFlowsAreUnderWay) {
  const LinkStudy study = StudyOfLinks(LinkRun({{0, 2, 250, 1000, 5000}, {1, 3, 100, 0, 10'000}}));
  EXPECT_EQ(study.end_ps, 10'000);
  EXPECT_EQ(study.links, 4u);
  EXPECT_EQ(study.unknown, "");
  ASSERT_EQ(study.shown.size(), 4u);
  const StudiedLink& first = study.shown[0];
  EXPECT_EQ(first.name, "server 0 / GPU 0 -> switch 0");
  EXPECT_EQ(first.tier, "host to leaf");
  EXPECT_DOUBLE_EQ(first.over_run, 0.5);
  EXPECT_EQ(first.busy_ps, 5000);
  EXPECT_DOUBLE_EQ(first.while_busy, 1);
  EXPECT_EQ(first.flows, 1);
  EXPECT_EQ(first.alike, 1u);
  ASSERT_EQ(first.use.users.size(), 1u);
  EXPECT_EQ(first.use.users[0].name, "server 0 / GPU 0 to server 1 / GPU 0");
  EXPECT_EQ(first.use.bytes, 250);
  EXPECT_EQ(study.shown[1].tier, "leaf to host");
  EXPECT_DOUBLE_EQ(study.shown[2].over_run, 0.2);
  EXPECT_DOUBLE_EQ(study.shown[2].while_busy, 0.2);
}

// Two flows of GPU 0 from 0 to 4000 and from 3000 to 8000 ps: busy for 8000, two at once.
TEST(LinkStudy, BusyTimesOfFlowsThatOverlapCountOnce) {
  LinkWish wish;
  wish.tier = "host to leaf";
  const LinkStudy study =
      StudyOfLinks(LinkRun({{0, 2, 100, 0, 4000}, {0, 3, 100, 3000, 5000}}), wish);
  ASSERT_EQ(study.shown.size(), 1u);
  EXPECT_EQ(study.shown[0].busy_ps, 8000);
  EXPECT_EQ(study.shown[0].at_once, 2);
  EXPECT_EQ(study.shown[0].flows, 2);
  EXPECT_DOUBLE_EQ(study.shown[0].while_busy, 0.4 / 0.8);
}

TEST(LinkStudy, EqualLinksOfATierAreOneEntry) {
  const LinkStudy study = StudyOfLinks(LinkRun({{0, 2, 100, 0, 4000}, {1, 3, 100, 500, 4000}}));
  EXPECT_EQ(study.links, 4u);
  ASSERT_EQ(study.shown.size(), 2u);
  EXPECT_EQ(study.shown[0].alike + study.shown[1].alike, study.links);
}

// At 3500 both of GPU 0; at 8000, when the second has ended, none.
TEST(LinkStudy, AtAMomentOnlyFlowsUnderWayCount) {
  const MadeResult result = LinkRun({{0, 2, 100, 0, 4000}, {0, 2, 200, 3000, 5000}});
  LinkWish wish;
  wish.at = Time{3500};
  const LinkStudy both = StudyOfLinks(result, wish);
  ASSERT_EQ(both.shown.size(), 2u);
  EXPECT_EQ(both.shown[0].flows, 2);
  ASSERT_EQ(both.shown[0].use.users.size(), 1u);
  EXPECT_EQ(both.shown[0].use.users[0].flows, 2);
  EXPECT_EQ(both.shown[0].use.users[0].bytes, 300);
  wish.at = Time{8000};
  EXPECT_TRUE(StudyOfLinks(result, wish).shown.empty());
}

// A flow that did not end was on its links up to the end; one that never started on none.
TEST(LinkStudy, AFlowThatNeverStartedIsOnNoLink) {
  const MadeResult result = LinkRun({{0, 2, 100, 0, 4000},
                                     {0, 2, 700, 9000, -1, 1},
                                     {1, 3, 100, 0, 2000},
                                     {1, 3, 9, 8000, -1, 5}});
  const LinkStudy study = StudyOfLinks(result);
  for (const StudiedLink& link : study.shown) {
    const bool of_first = link.use.users.at(0).name == "server 0 / GPU 0 to server 1 / GPU 0";
    EXPECT_EQ(link.busy_ps, of_first ? 4000 : 2000 + 2000) << link.name;
    EXPECT_EQ(link.flows, of_first ? 1 : 2) << link.name;
    EXPECT_EQ(link.use.flows, of_first ? 1 : 2) << link.name;
    EXPECT_EQ(link.use.bytes, of_first ? 100 : 109) << link.name;
  }
  LinkWish wish;
  wish.at = Time{9500};
  for (const StudiedLink& link : StudyOfLinks(result, wish).shown)
    EXPECT_EQ(link.use.users.at(0).name, "server 0 / GPU 1 to server 1 / GPU 1");
}

TEST(LinkStudy, WithoutAllFlowsBusyTimesAreNotKnown) {
  MadeResult result = LinkRun({{0, 2, 250, 0, 5000}});
  result.root["flows_recorded"] = std::string("none");
  const LinkStudy study = StudyOfLinks(result);
  EXPECT_NE(study.unknown.find("--record flows=all"), std::string::npos);
  ASSERT_EQ(study.shown.size(), 2u);
  EXPECT_EQ(study.shown[0].busy_ps, 0);
  EXPECT_DOUBLE_EQ(study.shown[0].over_run, 0.5);
  EXPECT_TRUE(study.shown[0].use.users.empty());
  LinkWish wish;
  wish.at = Time{100};
  EXPECT_NE(MessageOf([&] { StudyOfLinks(result, wish); }).find("--at asks for flows"),
            std::string::npos);
}

TEST(LinkStudy, NvLinksCountIfNothingElseSent) {
  MadeResult result = LinkRun({});
  result.table("ports") = TableOf("ports", 1, {{"node", U32{0}}, {"sent_bytes", I64{360}}});
  const LinkStudy study = StudyOfLinks(result);
  ASSERT_EQ(study.shown.size(), 1u);
  EXPECT_EQ(study.shown[0].tier, "NVLink");
  EXPECT_NEAR(study.shown[0].over_run, 0.1, 1e-12) << "of 2880 Gbit/s 28.8 kbit in the run";
}

TEST(LinkStudy, WishesThatNothingFulfilsAreRefused) {
  LinkWish tier;
  tier.tier = "leaf to spine";
  EXPECT_NE(MessageOf([&] {
              StudyOfLinks(LinkRun({}), tier);
            }).find("no tier 'leaf to spine'. Expected: one of NVLink, host to leaf, leaf to host"),
            std::string::npos);
  LinkWish late;
  late.at = Time{10'001};
  EXPECT_NE(MessageOf([&] {
              StudyOfLinks(LinkRun({{0, 2, 9, 0, 9}}), late);
            }).find("after the end"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
