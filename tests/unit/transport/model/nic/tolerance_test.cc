// SPDX-License-Identifier: GPL-2.0-only
/// Selective repeat that tolerates reordering: a packet is lost when one more than so many behind
/// it has arrived.
#include <gtest/gtest.h>

#include "transport/model/nic/selective_repeat.h"

namespace heddle {
namespace {

constexpr std::int64_t kNone = SelectiveSender::kNone, kSent = 20;

TEST(Tolerance, ArrivalsBeginNoRecovery) {
  SelectiveSender sender(3);
  EXPECT_EQ(sender.tolerance(), 3);
  sender.Arrive(0, 9, kSent);
  EXPECT_FALSE(sender.in_recovery());
  EXPECT_TRUE(sender.Acknowledged(9));
  EXPECT_EQ(sender.NextRetransmission(), kNone);
  sender.Arrive(10, 10, kSent);  // a plain ACK: nothing beyond the gap
  EXPECT_EQ(sender.unacknowledged(), 10);
  EXPECT_FALSE(sender.Acknowledged(10));
}

TEST(Tolerance, OnlyWhatIsFarBehindIsSentAgain) {
  SelectiveSender sender(3);
  sender.Arrive(0, 2, kSent);
  sender.Nack(0, 6, kSent);  // 0, 1 and 3 to 5 are missing
  EXPECT_EQ(sender.NextRetransmission(), 0);
  sender.Retransmitted();
  EXPECT_EQ(sender.NextRetransmission(), 1);
  sender.Retransmitted();
  EXPECT_EQ(sender.NextRetransmission(), kNone);  // 3 is 3 behind 6
  sender.Arrive(0, 7, kSent);
  EXPECT_EQ(sender.NextRetransmission(), 3);
  sender.Arrive(0, 3, kSent);  // late, not lost
  EXPECT_EQ(sender.NextRetransmission(), kNone);
}

TEST(Tolerance, NoneIsTheRuleOfBefore) {
  SelectiveSender sender;
  sender.Nack(0, 2, kSent);
  EXPECT_EQ(sender.NextRetransmission(), 0);
  sender.Retransmitted();
  EXPECT_EQ(sender.NextRetransmission(), 1);
  sender.Retransmitted();
  EXPECT_EQ(sender.NextRetransmission(), kNone);
}

TEST(Tolerance, ATimeoutDoesNotWait) {
  SelectiveSender sender(3);
  sender.Arrive(0, 1, 2);
  sender.Timeout(2);
  EXPECT_EQ(sender.NextRetransmission(), 0);
}

}  // namespace
}  // namespace heddle
