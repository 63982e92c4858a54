// SPDX-License-Identifier: GPL-2.0-only
/// Link 8, of leaf 6 and spine 8, is down from 500 to 1500 ps; routes avoid it from 600 to 1600 ps.
#include "io/failures/flow_losses.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

using Fate = FlowFate::Kind;

struct LossesOfRun {
  OutageFlows flows;  ///< of the only outage
  std::vector<FlowFate> fates;
  Recovery others;
  std::int64_t flows_of_others = 0;
};

LossesOfRun StudyLosses(MadeResult result) {
  LetLinkFail(6, 8, &result);
  const ViewedRun run(result);
  const Outages outages = ReadOutages(run.source);
  const FlowLosses losses(run.source, outages);
  EXPECT_EQ(outages.all.size(), 1u);
  return {losses.of(0), losses.fates(), losses.others(), losses.flows_of_others()};
}

bool IsUnmet(const FlowFate& fate) { return fate.outage == FlowFate::kNoOutage; }

// On it: under way when the link failed; begun while routes still led to it. Not on it: done at the
// moment of the failure; over the other spine; begun when routes were back.
TEST(FlowLosses, AFlowOnTheLinkWhileItWasDownIsOnTheOutage) {
  const std::uint16_t port = PortOver(8, 8), other = PortOver(9, 9);
  const LossesOfRun found = StudyLosses(TwoLeafRun({{0, 2, 0, 2000, port},
                                                    {0, 2, 550, 40, port},
                                                    {0, 2, 0, 500, port},
                                                    {0, 2, 0, 2000, other},
                                                    {0, 2, 1600, 100, port}}));
  EXPECT_EQ(found.flows.on_it, 2);
  EXPECT_EQ(found.flows.rerouted, 1) << "the first went on over spine 9";
  EXPECT_EQ(found.flows.unharmed, 2);
  EXPECT_EQ(found.flows.moved + found.flows.detours, 0);
  EXPECT_EQ(found.flows.longest, kNoFlow) << "none waited";
  EXPECT_EQ(found.fates[0].kind, Fate::kOnIt);
  EXPECT_EQ(found.fates[1].outage, 0u);
  for (const std::size_t row : {2u, 3u, 4u}) EXPECT_TRUE(IsUnmet(found.fates[row])) << row;
}

TEST(FlowLosses, AFlowIsOnTheLinkOfItsAcknowledgements) {
  const LossesOfRun found = StudyLosses(TwoLeafRun({{0, 2, 0, 2000, PortOver(9, 8)}}));
  EXPECT_EQ(found.flows.on_it, 1);
  EXPECT_EQ(found.flows.rerouted, 0) << "its data kept their path";
}

// Begun at 700, when routes avoided the link: on another path than the healthy fabric's.
TEST(FlowLosses, AFlowThatBeganOnAnotherPathIsADetour) {
  const LossesOfRun found =
      StudyLosses(TwoLeafRun({{0, 2, 700, 300, PortOver(8, 8)}, {0, 2, 700, 300, PortOver(9, 9)}}));
  EXPECT_EQ(found.flows.on_it, 0);
  EXPECT_EQ(found.flows.detours, 1);
  EXPECT_EQ(found.fates[0].kind, Fate::kDetour);
  EXPECT_TRUE(IsUnmet(found.fates[1])) << "it would have gone there in any case";
}

// Rows: on it, detour, met by nothing twice, the latter without a loss.
TEST(FlowLosses, RecoveryBelongsToTheFateOfItsFlow) {
  const std::uint16_t port = PortOver(8, 8), other = PortOver(9, 9);
  MadeResult result = TwoLeafRun({{0, 2, 0, 2000, port},
                                  {0, 2, 700, 300, port},
                                  {0, 2, 0, 100, other},
                                  {0, 2, 0, 200, other}});
  result.table("recovery") = TableOf("recovery", 3,
                                     {{"src", U32{0, 0, 0}},
                                      {"number", U32{0, 1, 2}},
                                      {"timeouts", U16{2, 0, 1}},
                                      {"waited_ps", I64{700, 0, 60}},
                                      {"nacks", U32{1, 3, 0}},
                                      {"resent_bytes", I64{300, 50, 9}}});
  const LossesOfRun found = StudyLosses(result);
  EXPECT_EQ(found.flows.timed_out, 1);
  EXPECT_EQ(found.flows.sent_again, 1);
  EXPECT_EQ(found.flows.unharmed, 0);
  EXPECT_EQ(found.flows.longest, 0u);
  EXPECT_EQ(found.flows.longest_ps, 700);
  EXPECT_EQ(found.flows_of_others, 1);
  EXPECT_EQ(found.flows.recovery.timeouts + found.flows.of_moved.timeouts + found.others.timeouts,
            3);
  EXPECT_EQ(found.flows.recovery.nacks, 1);
  EXPECT_EQ(found.flows.of_moved.nacks, 3);
  EXPECT_EQ(found.flows.recovery.resent_bytes + found.flows.of_moved.resent_bytes +
                found.others.resent_bytes,
            359)
      << "no byte is lost to nobody";
}

TEST(FlowLosses, AFlowThatNeverStartedIsMetByNothing) {
  const LossesOfRun found =
      StudyLosses(TwoLeafRun({{0, 2, 0, -1, PortOver(8, 8), 1}, {0, 2, 0, -1, PortOver(8, 8), 5}}));
  EXPECT_EQ(found.flows.on_it, 1);
  EXPECT_EQ(found.flows.unfinished, 1);
  EXPECT_EQ(found.flows.unharmed, 0) << "it did not finish";
  EXPECT_TRUE(IsUnmet(found.fates[0]));
}

TEST(FlowLosses, OfNoFlowsAreNone) {
  const LossesOfRun found = StudyLosses(TwoLeafRun({}));
  EXPECT_TRUE(found.fates.empty());
  EXPECT_EQ(found.flows.on_it, 0);
  EXPECT_EQ(found.flows_of_others, 0);
}

}  // namespace
}  // namespace heddle
