// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/flow_ledger.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

FlowRecord LedgerFlow(std::uint32_t number, FlowState state = FlowState::kFinished) {
  FlowRecord flow;
  flow.flow = {NodeId(1), number};
  flow.destination = NodeId(2);
  flow.state = state;
  flow.size = 1000;
  flow.completion = state == FlowState::kFinished ? MicroSeconds(1) : Time{-1};
  flow.ideal = MicroSeconds(1);
  return flow;
}

TEST(FlowLedger, WhatIsNotKeptIsInDigestAndStatisticsAllTheSame) {
  const FlowSample all, none{0};
  FlowLedger keeps(&all), forgets(&none);
  for (FlowLedger* ledger : {&keeps, &forgets}) {
    ledger->AddFlow(LedgerFlow(0));
    ledger->AddFlow(LedgerFlow(1));
    ledger->AddFlow(LedgerFlow(2, FlowState::kRetryLimit));
    ledger->AddArrival({{NodeId(7), 0}, MicroSeconds(3)});
  }
  EXPECT_EQ(keeps.finished().size(), 3u);
  EXPECT_EQ(keeps.arrivals().size(), 1u);
  ASSERT_EQ(forgets.finished().size(), 1u);  // those that failed are always kept
  EXPECT_EQ(forgets.finished()[0].state, FlowState::kRetryLimit);
  EXPECT_TRUE(forgets.arrivals().empty());
  const std::uint64_t digest = DigestOf(LedgerFlow(0)) + DigestOf(LedgerFlow(1)) +
                               DigestOf(LedgerFlow(2, FlowState::kRetryLimit)) +
                               DigestOf(FlowArrival{{NodeId(7), 0}, MicroSeconds(3)});
  EXPECT_EQ(keeps.digest(), digest);
  EXPECT_EQ(forgets.digest(), digest);
  ASSERT_EQ(forgets.statistics().Sizes().size(), 1u);
  EXPECT_EQ(forgets.statistics().Sizes()[0].flows, 2u);
}

TEST(FlowLedger, WhatIsDroppedIsForgottenButNotItsDigest) {
  const FlowSample all;
  FlowLedger ledger(&all);
  ledger.AddFlow(LedgerFlow(0));
  ledger.AddArrival({{NodeId(1), 1}, Time{0}});
  const std::uint64_t digest = ledger.digest();
  EXPECT_EQ(ledger.finished().size(), 1u);
  EXPECT_EQ(ledger.arrivals().size(), 1u);
  ledger.Drop();
  EXPECT_TRUE(ledger.finished().empty());
  EXPECT_TRUE(ledger.arrivals().empty());
  EXPECT_EQ(ledger.digest(), digest);
}

TEST(FlowLedger, LossesAreSummedByPortAndReason) {
  const FlowSample all;
  FlowLedger ledger(&all);
  for (int i = 0; i < 3; ++i) ledger.AddDrop(NodeId(4), PortId(1), DropReason::kBufferFull);
  ledger.AddDrop(NodeId(4), PortId(1), DropReason::kNoRoute);
  ledger.AddDrop(NodeId(4), PortId(2), DropReason::kBufferFull);
  ledger.AddDrop(NodeId(5), PortId(1), DropReason::kBufferFull);
  ASSERT_EQ(ledger.drops().size(), 4u);
  EXPECT_EQ(ledger.drops()[0].packets, 3);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(ledger.drops()[i].packets, 1);
}

TEST(FlowLedger, PausesAreSummedByWhereTheyBegan) {
  PauseCauses causes;
  causes.Add(NodeId(4), PortId(1), 0, NanoSeconds(3));
  causes.Add(NodeId(4), PortId(1), 2, NanoSeconds(4));
  causes.Add(NodeId(4), PortId(1), 1, NanoSeconds(5));
  causes.Add(NodeId(4), PortId(2), 0, NanoSeconds(6));
  ASSERT_EQ(causes.records().size(), 2u);
  EXPECT_EQ(causes.records()[0].pauses, 3);
  EXPECT_EQ(causes.records()[0].paused, NanoSeconds(12));
  EXPECT_EQ(causes.records()[0].longest_chain, 2u);
  EXPECT_NO_THROW(causes.Check(5));
  EXPECT_THROW(causes.Check(4), UserError);
}

TEST(FlowLedger, FlowsAndLossesOfAnotherDomainAreRefused) {
  const FlowSample all;
  FlowLedger ledger(&all);
  ledger.AddFlow(LedgerFlow(0));
  ledger.AddDrop(NodeId(4), PortId(1), DropReason::kBufferFull);
  const auto yes = [](NodeId) { return true; };
  const auto no = [](NodeId) { return false; };
  EXPECT_NO_THROW(ledger.Check(5, yes, yes));
  EXPECT_THROW(ledger.Check(5, no, yes), UserError);
  EXPECT_THROW(ledger.Check(5, yes, no), UserError);
  EXPECT_THROW(ledger.Check(2, yes, yes), UserError);  // of the flow's destination
}

}  // namespace
}  // namespace heddle
