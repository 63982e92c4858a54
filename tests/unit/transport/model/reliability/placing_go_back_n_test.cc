// SPDX-License-Identifier: GPL-2.0-only
/// Go-back-N that places up to two packets of 1,000 bytes behind a missing one, by hand.
#include "transport/model/reliability/placing_go_back_n.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

DeliveryRules PlacingRules(bool sprays = false) {
  DeliveryRules rules;
  rules.options.reorder = 2;
  rules.options.nack_interval = MicroSeconds(5);
  rules.options.chunk = 1500;
  rules.options.back_to_zero = true;  // which gives up nothing here
  rules.payload = 1000;
  rules.sprays = sprays;
  return rules;
}

class PlacingTest : public ::testing::Test {
 protected:
  Reception Receive(std::int64_t number, bool asks = false) {
    return scheme_.Receive(&state_, &receiver_, {{}, number * 1000, number * 1000 + 1000, asks},
                           &books_);
  }

  PlacingGoBackN scheme_{PlacingRules()};
  SelectiveReceiver state_;
  ReceiveQueuePair receiver_;
  DomainBooks books_;
};

TEST_F(PlacingTest, WhatIsNearIsKeptInSilence) {
  EXPECT_EQ(Receive(1).answer, DataAnswer::kNothing);
  EXPECT_EQ(Receive(2, true).answer, DataAnswer::kNothing);
  EXPECT_EQ(receiver_.asked, 1);  // for later
  EXPECT_EQ(books_.out_of_order, 2);
  EXPECT_EQ(books_.most_held, 2);
  EXPECT_EQ(books_.furthest_ahead, 2);
  EXPECT_EQ(Receive(0).answer, DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 3000);
}

TEST_F(PlacingTest, WhatIsFurtherIsDroppedAndReportedOnceAnInterval) {
  EXPECT_EQ(Receive(3).answer, DataAnswer::kNack);
  EXPECT_EQ(Receive(4).answer, DataAnswer::kNothing);
  EXPECT_EQ(books_.out_of_order, 2);
  EXPECT_EQ(books_.most_held, 0);
  EXPECT_EQ(Receive(0).answer, DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 1000);
  EXPECT_FALSE(state_.Received(3));
}

TEST_F(PlacingTest, AGapGivesUpNoChunk) {
  Receive(0);
  Receive(1);
  EXPECT_EQ(Receive(5).answer, DataAnswer::kNack);
  EXPECT_EQ(receiver_.expected, 2000);
}

TEST_F(PlacingTest, WhatCameTwiceIsAcknowledged) {
  Receive(0);
  EXPECT_EQ(Receive(0).answer, DataAnswer::kAck);
  EXPECT_EQ(books_.duplicates, 1);
}

TEST_F(PlacingTest, TheLastPacketMayBeShort) {
  receiver_.end = 1200;
  Receive(0);
  EXPECT_EQ(Receive(1).answer, DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 1200);
}

TEST_F(PlacingTest, WithEntropiesWhatIsKeptIsAnswered) {
  scheme_ = PlacingGoBackN(PlacingRules(true));
  const Reception kept = Receive(2);
  EXPECT_EQ(kept.answer, DataAnswer::kAck);
  EXPECT_EQ(kept.note, 2);
}

TEST_F(PlacingTest, ItsSenderGoesBack) {
  QueuePair pair;
  pair.size = pair.next = pair.highest = 10'000;
  pair.unacked = 4000;
  EXPECT_EQ(scheme_.OnTimeout(nullptr, &pair), 4000);
  EXPECT_EQ(pair.next, 4000);
}

}  // namespace
}  // namespace heddle
