// SPDX-License-Identifier: GPL-2.0-only
/// Go-back-N by hand: packets of 1,000 bytes, gaps reported at most once in 5 us, chunks of 1,500
/// bytes.
#include "transport/model/reliability/go_back_n.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr Time kGapInterval = MicroSeconds(5);

DeliveryRules GoBackRules(bool back_to_zero = false, bool sprays = false) {
  DeliveryRules rules;
  rules.options.nack_interval = kGapInterval;
  rules.options.chunk = 1500;
  rules.options.back_to_zero = back_to_zero;
  rules.payload = 1000;
  rules.sprays = sprays;
  return rules;
}

QueuePair HalfSent() {
  QueuePair pair;
  pair.size = 10'000;
  pair.next = pair.highest = 6000;
  pair.unacked = 2000;
  return pair;
}

Packet NackOf(std::int64_t sequence) {
  Packet nack{};
  nack.kind = PacketKind::kNack;
  nack.sequence = static_cast<std::uint64_t>(sequence) & 0xff'ffff'ffff;
  return nack;
}

class GoBackReceiverTest : public ::testing::Test {
 protected:
  DataAnswer Receive(const GoBackN& scheme, std::int64_t first, Time now = {}) {
    const Reception reception =
        scheme.Receive(nullptr, &receiver_, {now, first, first + 1000, false}, &books_);
    EXPECT_EQ(reception.note, 0);
    return reception.answer;
  }

  GoBackN plain_{GoBackRules()};
  ReceiveQueuePair receiver_;
  DomainBooks books_;
};

TEST_F(GoBackReceiverTest, InOrderMovesTheNextByte) {
  EXPECT_EQ(Receive(plain_, 0), DataAnswer::kWhenDue);
  EXPECT_EQ(Receive(plain_, 1000), DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 2000);
  EXPECT_EQ(books_.out_of_order + books_.duplicates, 0);
}

TEST_F(GoBackReceiverTest, APacketThatIsHereInPartCountsAsTheNext) {
  receiver_.expected = 500;
  EXPECT_EQ(Receive(plain_, 0), DataAnswer::kWhenDue);
  EXPECT_EQ(receiver_.expected, 1000);
}

TEST_F(GoBackReceiverTest, ADuplicateIsAcknowledged) {
  receiver_.expected = 3000;
  EXPECT_EQ(Receive(plain_, 2000), DataAnswer::kAck);
  EXPECT_EQ(receiver_.expected, 3000);
  EXPECT_EQ(books_.duplicates, 1);
}

TEST_F(GoBackReceiverTest, AGapIsReportedOnceAnInterval) {
  receiver_.expected = 1000;
  EXPECT_EQ(Receive(plain_, 2000), DataAnswer::kNack);
  EXPECT_EQ(Receive(plain_, 3000), DataAnswer::kNothing);
  EXPECT_EQ(Receive(plain_, 3000, kGapInterval - PicoSeconds(1)), DataAnswer::kNothing);
  EXPECT_EQ(Receive(plain_, 3000, kGapInterval), DataAnswer::kNack);
  EXPECT_EQ(books_.out_of_order, 4);
  EXPECT_EQ(receiver_.expected, 1000);  // nothing is kept
}

TEST_F(GoBackReceiverTest, AnotherGapIsReportedAtOnce) {
  EXPECT_EQ(Receive(plain_, 1000), DataAnswer::kNack);
  EXPECT_EQ(Receive(plain_, 0), DataAnswer::kWhenDue);
  EXPECT_EQ(Receive(plain_, 2000), DataAnswer::kNack);
}

TEST_F(GoBackReceiverTest, BackToZeroGivesUpTheChunk) {
  const GoBackN chunks(GoBackRules(true));
  receiver_.expected = 4000;
  EXPECT_EQ(Receive(chunks, 5000), DataAnswer::kNack);
  EXPECT_EQ(receiver_.expected, 3000);
}

TEST_F(GoBackReceiverTest, WithEntropiesEachPacketIsAnswered) {
  const GoBackN sprays(GoBackRules(false, true));
  EXPECT_EQ(Receive(sprays, 2000), DataAnswer::kNack);
  EXPECT_EQ(Receive(sprays, 3000), DataAnswer::kAck);
}

TEST(GoBackSender, ANackGoesOnFromItsByte) {
  const GoBackN scheme(GoBackRules());
  QueuePair pair = HalfSent();
  pair.unacked = 4000;  // the NACK acknowledges what is before it
  EXPECT_EQ(scheme.OnNack(nullptr, &pair, NackOf(4000)), 4000);
  EXPECT_EQ(pair.next, 4000);
  EXPECT_EQ(pair.highest, 6000);
}

TEST(GoBackSender, ANackBelowWhatWasAcknowledgedTakesItBack) {
  const GoBackN scheme(GoBackRules());
  QueuePair pair = HalfSent();
  EXPECT_EQ(scheme.OnNack(nullptr, &pair, NackOf(1500)), 1500);
  EXPECT_EQ(pair.unacked, 1500);
  EXPECT_EQ(pair.next, 1500);
}

TEST(GoBackSender, ATimeoutGoesOnFromTheFirstUnacknowledgedByte) {
  const GoBackN scheme(GoBackRules());
  QueuePair pair = HalfSent();
  EXPECT_EQ(scheme.OnTimeout(nullptr, &pair), 2000);
  EXPECT_EQ(pair.next, 2000);
  EXPECT_EQ(pair.resend, 0);
}

TEST(GoBackSender, NoSinglePacketWaitsToBeSentAgain) {
  const GoBackN scheme(GoBackRules());
  QueuePair pair = HalfSent();
  EXPECT_NO_THROW(scheme.CheckSender(nullptr, pair));
  pair.resend = 1;
  EXPECT_THROW(scheme.CheckSender(nullptr, pair), UserError);
}

}  // namespace
}  // namespace heddle
