// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "io/failures/failure_difference.h"

namespace heddle {
namespace {

StudiedOutage HarmOf(std::int64_t unfinished, std::int64_t longest, std::int64_t on_it,
                     std::int64_t lost) {
  StudiedOutage one;
  one.flows.unfinished = unfinished;
  one.flows.longest_ps = longest;
  one.flows.on_it = on_it;
  one.lost_packets = lost;
  return one;
}

StudiedOutage KindOnly(Outage::Kind kind) {
  StudiedOutage one;
  one.outage.kind = kind;
  return one;
}

TEST(FailureSums, OutagesAreCountedByKind) {
  const OutageCounts counts =
      CountOutages({KindOnly(Outage::Kind::kNodeDown), KindOnly(Outage::Kind::kLinkDown),
                    KindOnly(Outage::Kind::kLinkDown), KindOnly(Outage::Kind::kSlowLink)});
  EXPECT_EQ(counts.links, 2);
  EXPECT_EQ(counts.nodes, 1);
  EXPECT_EQ(counts.slow_links, 1);
  EXPECT_EQ(CountOutages({}).links, 0);
}

// Unfinished flows weigh more than any wait, a wait more than flows, flows more than packets.
TEST(FailureSums, TheMostHarmComesFirst) {
  EXPECT_EQ(OutagesByHarm({HarmOf(0, 0, 0, 9), HarmOf(0, 0, 7, 0), HarmOf(0, 50, 0, 0),
                           HarmOf(1, 0, 0, 0), HarmOf(0, 50, 2, 0)}),
            (std::vector<std::size_t>{3, 4, 2, 1, 0}));
  EXPECT_EQ(OutagesByHarm({HarmOf(0, 5, 1, 1), HarmOf(0, 5, 1, 1)}),
            (std::vector<std::size_t>{0, 1}))
      << "equal ones in their order";
  EXPECT_TRUE(OutagesByHarm({}).empty());
}

// 10 + 5 in the run, and the last from 900 on: up to the end, whether it ends later or never.
TEST(FailureSums, TheTimeOutIsWithinTheRun) {
  Outage outage;
  outage.spells = {{100, 110}, {200, 205}, {900, -1}};
  EXPECT_EQ(TimeOut(outage, 1000), 115);
  outage.spells.back().until_ps = 4000;
  EXPECT_EQ(TimeOut(outage, 1000), 115);
  outage.spells.back().until_ps = 1000;
  EXPECT_EQ(TimeOut(outage, 1000), 115);
  EXPECT_EQ(TimeOut({}, 1000), 0);
}

TEST(FailureSums, NobodyNoticedWhatMetNoFlowAndNoPacket) {
  FailureStudy study;
  EXPECT_FALSE(NobodyNoticed(study)) << "there was nothing to notice";
  study.outages = {HarmOf(0, 0, 0, 0), HarmOf(0, 0, 0, 0)};
  EXPECT_TRUE(NobodyNoticed(study));
  study.unknown = "no rows of flows";
  EXPECT_FALSE(NobodyNoticed(study)) << "nobody knows";
  study.unknown = "";
  study.outages[1].lost_packets = 1;
  EXPECT_FALSE(NobodyNoticed(study));
  study.outages[1] = HarmOf(0, 0, 0, 0);
  study.outages[0].flows.detours = 1;
  EXPECT_FALSE(NobodyNoticed(study));
}

TEST(FailureSums, AJobIsLateAgainstItsTimeWithoutFailures) {
  const LateJob late{0, "", 1100, 1000}, early{0, "", 900, 1000};
  EXPECT_EQ(late.late_ps(), 100);
  EXPECT_DOUBLE_EQ(late.late_share(), 0.1);
  EXPECT_DOUBLE_EQ(early.late_share(), -0.1);
  EXPECT_TRUE(late.ended_in_both());
  EXPECT_FALSE((LateJob{0, "", -1, 1000}).ended_in_both());
  EXPECT_FALSE((LateJob{0, "", 1000, -1}).ended_in_both());
  EXPECT_DOUBLE_EQ((LateJob{0, "", 0, 0}).late_share(), 0) << "a job without steps";
}

}  // namespace
}  // namespace heddle
