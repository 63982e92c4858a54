// SPDX-License-Identifier: GPL-2.0-only
/// Selective repeat by hand: packets of 1,000 bytes, a flow of ten of which six were sent.
#include "transport/model/reliability/irn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

DeliveryRules IrnRules(std::int64_t reorder = 0) {
  DeliveryRules rules;
  rules.options.selective_repeat = true;
  rules.options.reorder = reorder;
  rules.payload = 1000;
  return rules;
}

class IrnSenderTest : public ::testing::Test {
 protected:
  IrnSenderTest() {
    pair_.size = 10'000;
    pair_.next = pair_.highest = 6000;
  }
  /// An answer of packet `received`, when all before `missing` have arrived.
  void Answer(PacketKind kind, std::int64_t missing, std::int64_t received) {
    Packet answer{};
    answer.kind = kind;
    answer.sequence = static_cast<std::uint64_t>(missing * 1000) & 0xff'ffff'ffff;
    answer.note = static_cast<std::uint64_t>(received - missing) & 0xff'ffff;
    pair_.unacked = std::max(pair_.unacked, missing * 1000);
    scheme_.OnAnswer(&state_, &pair_, answer);
    EXPECT_EQ(scheme_.OnNack(&state_, &pair_, answer), kNoByte);  // it has learned already
  }
  std::vector<std::int64_t> Resends() {
    std::vector<std::int64_t> bytes;
    while (pair_.resend != 0) bytes.push_back(scheme_.NextResend(&state_, &pair_));
    return bytes;
  }

  Irn scheme_{IrnRules()};
  Irn::SendState state_ = scheme_.NewSender();
  QueuePair pair_;
};

TEST_F(IrnSenderTest, ANackSendsWhatIsMissingAgain) {
  Answer(PacketKind::kNack, 1, 3);
  EXPECT_EQ(Resends(), (std::vector<std::int64_t>{1000, 2000}));
  EXPECT_EQ(pair_.next, 6000);  // what follows is not sent again
  Answer(PacketKind::kNack, 1, 4);
  EXPECT_TRUE(Resends().empty());  // each once
}

TEST_F(IrnSenderTest, AnAckBeyondAGapIsNoLoss) {
  Answer(PacketKind::kAck, 1, 3);
  EXPECT_TRUE(Resends().empty());
  EXPECT_TRUE(state_.Acknowledged(3));
}

TEST_F(IrnSenderTest, WhatWasAcknowledgedBeyondTheGapCountsWhenItIsFilled) {
  Answer(PacketKind::kNack, 1, 2);
  Answer(PacketKind::kAck, 2, 2);
  EXPECT_EQ(pair_.unacked, 3000);
}

TEST_F(IrnSenderTest, ATimeoutSendsTheFirstOneAgain) {
  Answer(PacketKind::kAck, 2, 2);
  EXPECT_EQ(scheme_.OnTimeout(&state_, &pair_), kNoByte);
  EXPECT_EQ(Resends(), std::vector<std::int64_t>{2000});
  EXPECT_EQ(pair_.next, 6000);
}

TEST_F(IrnSenderTest, AReceiverThatHasForgottenTheFlowTakesItBack) {
  Answer(PacketKind::kAck, 4, 4);
  Packet nack{};
  nack.kind = PacketKind::kNack;
  nack.note = 5;
  scheme_.OnAnswer(&state_, &pair_, nack);
  EXPECT_EQ(pair_.unacked, 0);
  EXPECT_EQ(pair_.next, 0);
  EXPECT_EQ(pair_.resend, 0);
}

TEST_F(IrnSenderTest, ToleratedReorderingIsNoLoss) {
  scheme_ = Irn(IrnRules(2));
  state_ = scheme_.NewSender();
  Answer(PacketKind::kNack, 1, 4);
  EXPECT_EQ(Resends(), std::vector<std::int64_t>{1000});  // 2 and 3 are within two of 4
}

TEST_F(IrnSenderTest, DamageIsRefused) {
  EXPECT_NO_THROW(scheme_.CheckSender(&state_, pair_));
  pair_.resend = 1;
  EXPECT_THROW(scheme_.CheckSender(&state_, pair_), UserError);
  pair_.resend = 0;
  pair_.size = 1000;
  state_.Acknowledge(2, 6);
  EXPECT_THROW(scheme_.CheckSender(&state_, pair_), UserError);
  const SelectiveSender other(3);
  EXPECT_THROW(scheme_.CheckSender(&other, pair_), UserError);
}

class IrnReceiverTest : public ::testing::Test {
 protected:
  Reception Receive(std::int64_t number) {
    return scheme_.Receive(&state_, &receiver_, {{}, number * 1000, number * 1000 + 1000, false},
                           &books_);
  }

  Irn scheme_{IrnRules()};
  Irn::ReceiveState state_ = scheme_.NewReceiver();
  ReceiveQueuePair receiver_;
  DomainBooks books_;
};

TEST_F(IrnReceiverTest, EachPacketBeyondAGapIsReported) {
  EXPECT_EQ(Receive(0).answer, DataAnswer::kWhenDue);
  for (const std::int64_t number : {2, 4, 4}) {
    const Reception reception = Receive(number);
    EXPECT_EQ(reception.answer, DataAnswer::kNack);
    EXPECT_EQ(reception.note, number - 1);
  }
  EXPECT_EQ(books_.out_of_order, 2);
  EXPECT_EQ(books_.duplicates, 1);
  EXPECT_EQ(books_.most_held, 2);
  EXPECT_EQ(books_.furthest_ahead, 3);
}

TEST_F(IrnReceiverTest, AGapThatIsFilledJumps) {
  Receive(1);
  Receive(2);
  EXPECT_EQ(Receive(0).answer, DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 3000);
}

TEST_F(IrnReceiverTest, WhatCameTwiceIsAcknowledged) {
  Receive(0);
  const Reception again = Receive(0);
  EXPECT_EQ(again.answer, DataAnswer::kAck);
  EXPECT_EQ(again.note, 0);
}

}  // namespace
}  // namespace heddle
