// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/selective_repeat.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <deque>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/random.h"

namespace heddle {
namespace {

// The last packet of a flow of 2^40 bytes, one byte each.
constexpr std::int64_t kFar = (std::int64_t{1} << 40) - 1;

template <class T>
T Copied(const T& from) {
  std::stringstream text;
  boost::archive::text_oarchive(text) << from;
  T copy;
  boost::archive::text_iarchive(text) >> copy;
  return copy;
}

TEST(PacketBitmap, EmptyOwnsNothing) {
  PacketBitmap bitmap;
  EXPECT_TRUE(bitmap.empty());
  EXPECT_FALSE(bitmap.Test(0));
  EXPECT_FALSE(bitmap.Test(kFar));
  EXPECT_EQ(bitmap.FirstClear(5), 5);
  bitmap.AdvanceBase(kFar);
  EXPECT_EQ(bitmap.base(), kFar);
  EXPECT_EQ(bitmap.end(), kFar);
  static_assert(sizeof(PacketBitmap) <= 40);
}

TEST(PacketBitmap, FarFromZeroItNeedsOnlyItsSpan) {
  PacketBitmap bitmap;
  bitmap.AdvanceBase(kFar - 1000);
  EXPECT_TRUE(bitmap.Set(kFar));
  EXPECT_FALSE(bitmap.Set(kFar));
  EXPECT_TRUE(bitmap.Set(kFar - 999));
  EXPECT_EQ(bitmap.FirstClear(kFar - 999), kFar - 998);
  EXPECT_EQ(bitmap.end(), kFar + 1);
  bitmap.AdvanceBase(kFar);
  EXPECT_TRUE(bitmap.Test(kFar));
  bitmap.AdvanceBase(kFar + 1);
  EXPECT_TRUE(bitmap.empty());
}

TEST(PacketBitmap, RunsCrossWords) {
  PacketBitmap bitmap;
  for (std::int64_t n = 60; n < 200; ++n) bitmap.Set(n);
  EXPECT_EQ(bitmap.FirstClear(0), 0);
  EXPECT_EQ(bitmap.FirstClear(60), 200);
  EXPECT_EQ(bitmap.FirstClear(127), 200);
  bitmap.AdvanceBase(128);
  EXPECT_EQ(bitmap.FirstClear(128), 200);
}

TEST(PacketBitmap, OfMoreThanItsMembersIsRefused) {
  PacketBitmap bitmap;
  bitmap.Set(2);
  std::stringstream saved;
  boost::archive::text_oarchive(saved) << bitmap;
  std::string text = saved.str();
  const std::size_t word = text.rfind(" 4");
  ASSERT_NE(word, std::string::npos);
  PacketBitmap loaded;
  std::istringstream whole(text), damaged(text.replace(word, 2, " 12"));  // packet 3, at the end
  boost::archive::text_iarchive(whole) >> loaded;
  EXPECT_TRUE(loaded.Test(2));
  EXPECT_THROW(boost::archive::text_iarchive(damaged) >> loaded, UserError);
}

TEST(PacketBitmap, AgreesWithASet) {
  RandomStream random(2, 0, RandomPurpose::kPartition);
  PacketBitmap bitmap;
  std::set<std::int64_t> set;
  std::int64_t base = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::int64_t n =
        base + static_cast<std::int64_t>(random.Below(step % 5000 < 2500 ? 100 : 700));
    switch (random.Below(8)) {
      case 0:
        base += static_cast<std::int64_t>(random.Below(random.Below(50) == 0 ? 1000 : 20));
        bitmap.AdvanceBase(base);
        set.erase(set.begin(), set.lower_bound(base));
        break;
      case 1: {
        std::int64_t clear = n;
        while (set.count(clear) != 0) ++clear;
        ASSERT_EQ(bitmap.FirstClear(n), clear);
        break;
      }
      case 2:
        ASSERT_EQ(bitmap.Test(n), set.count(n) != 0);
        break;
      default:
        ASSERT_EQ(bitmap.Set(n), set.insert(n).second);
    }
    ASSERT_EQ(bitmap.base(), base);
    ASSERT_EQ(bitmap.empty(), set.empty());
    ASSERT_EQ(bitmap.end(), set.empty() ? base : *set.rbegin() + 1);
    if (step % 1000 == 0) bitmap = Copied(bitmap);
  }
}

TEST(SelectiveReceiver, AGapThatIsFilledJumps) {
  SelectiveReceiver receiver;
  const auto in_order = receiver.Receive(0);
  EXPECT_TRUE(in_order.is_new && in_order.in_order);
  EXPECT_EQ(in_order.advanced, 1);
  for (const std::int64_t n : {2, 3, 5}) {  // 1 and 4 are missing
    const auto arrival = receiver.Receive(n);
    EXPECT_TRUE(arrival.is_new);
    EXPECT_FALSE(arrival.in_order);
    EXPECT_EQ(arrival.advanced, 0);
  }
  EXPECT_EQ(receiver.expected(), 1);
  EXPECT_TRUE(receiver.has_gap());
  EXPECT_FALSE(receiver.Receive(3).is_new);
  EXPECT_FALSE(receiver.Receive(0).is_new);
  EXPECT_EQ(receiver.Receive(1).advanced, 3);  // 1, 2, 3
  EXPECT_EQ(receiver.expected(), 4);
  EXPECT_TRUE(receiver.Received(5));
  EXPECT_FALSE(receiver.Received(4));
  EXPECT_EQ(receiver.Receive(4).advanced, 2);
  EXPECT_EQ(receiver.expected(), 6);
  EXPECT_FALSE(receiver.has_gap());
}

TEST(SelectiveReceiver, AnyOrderDeliversEachPacketOnce) {
  RandomStream random(4, 0, RandomPurpose::kPermutation);
  constexpr std::int64_t kPackets = 5000;
  std::vector<std::int64_t> order;
  for (std::int64_t n = 0; n < kPackets; ++n)
    order.insert(order.end(), 2, n);  // every packet twice
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  SelectiveReceiver receiver;
  std::set<std::int64_t> arrived;
  std::int64_t advanced = 0;
  for (const std::int64_t n : order) {
    const auto arrival = receiver.Receive(n);
    ASSERT_EQ(arrival.is_new, arrived.insert(n).second);
    advanced += arrival.advanced;
    ASSERT_EQ(receiver.expected(), advanced);
    ASSERT_TRUE(receiver.Received(n));
    ASSERT_EQ(arrived.count(receiver.expected()), 0U);
  }
  EXPECT_EQ(advanced, kPackets);
  EXPECT_FALSE(receiver.has_gap());
}

/// The packets that the sender requests to send again, until there are none.
std::vector<std::int64_t> Drain(SelectiveSender* sender) {
  std::vector<std::int64_t> sent;
  while (sender->NextRetransmission() != SelectiveSender::kNone) {
    sent.push_back(sender->NextRetransmission());
    sender->Retransmitted();
  }
  return sent;
}
using Packets = std::vector<std::int64_t>;

TEST(SelectiveSender, SendsAgainWhatIsMissingBelowTheLargestAcknowledged) {
  SelectiveSender sender;
  sender.Acknowledge(2, 10);  // 0..9 were sent
  EXPECT_FALSE(sender.in_recovery());
  sender.Nack(2, 4, 10);  // 2, 3 missing
  EXPECT_TRUE(sender.in_recovery());
  EXPECT_EQ(sender.recovery_point(), 9);
  EXPECT_EQ(sender.NextRetransmission(), 2);
  sender.Retransmitted();
  sender.Nack(2, 7, 12);  // 5, 6 too; the recovery point stays
  EXPECT_EQ(sender.recovery_point(), 9);
  EXPECT_EQ(Drain(&sender), (Packets{3, 5, 6}));
  sender.Nack(2, 8, 12);  // nothing new is missing, and each packet is sent again only once
  EXPECT_EQ(Drain(&sender), Packets{});
  EXPECT_TRUE(sender.Acknowledged(7));
  EXPECT_FALSE(sender.Acknowledged(5));
}

TEST(SelectiveSender, AnAckInOrderOfAllThatWasSentIsNoPacketBeyond) {
  SelectiveSender sender;
  sender.Arrive(10, 10, 10);  // 0..9 were sent
  EXPECT_EQ(sender.unacknowledged(), 10);
  EXPECT_FALSE(sender.Acknowledged(10));
  sender.Arrive(10, 12, 13);  // 12 arrived, 10 and 11 may come
  EXPECT_FALSE(sender.in_recovery());
  EXPECT_TRUE(sender.Acknowledged(12));
  EXPECT_FALSE(sender.Acknowledged(10));
}

TEST(SelectiveSender, RecoveryEndsBeyondItsPoint) {
  SelectiveSender sender;
  sender.Nack(2, 4, 10);
  EXPECT_EQ(Drain(&sender), (Packets{2, 3}));
  sender.Acknowledge(9, 14);
  EXPECT_TRUE(sender.in_recovery());  // 9 itself is not acknowledged
  sender.Acknowledge(10, 14);
  EXPECT_FALSE(sender.in_recovery());
  EXPECT_EQ(sender.recovery_point(), SelectiveSender::kNone);
  sender.Nack(10, 12, 14);  // another loss, another recovery
  EXPECT_EQ(sender.recovery_point(), 13);
  EXPECT_EQ(Drain(&sender), (Packets{10, 11}));
}

TEST(SelectiveSender, AKnownHoleBeyondThePointBeginsTheNextRecovery) {
  SelectiveSender sender;
  sender.Nack(2, 4, 5);  // point 4
  EXPECT_EQ(Drain(&sender), (Packets{2, 3}));
  sender.Nack(2, 7, 9);  // 5, 6 missing; not sent again before the point is passed
  sender.Acknowledge(5, 9);
  EXPECT_TRUE(sender.in_recovery());
  EXPECT_EQ(sender.recovery_point(), 8);
  EXPECT_EQ(Drain(&sender), (Packets{5, 6}));
  sender.Acknowledge(9, 9);
  EXPECT_FALSE(sender.in_recovery());
}

TEST(SelectiveSender, ACumulativePointThatMeetsSelectiveOnesSkipsThem) {
  SelectiveSender sender;
  sender.Nack(0, 1, 6);
  sender.Nack(0, 2, 6);
  sender.Nack(0, 5, 6);
  sender.Acknowledge(1, 6);  // 1 and 2 are known to have arrived
  EXPECT_EQ(sender.unacknowledged(), 3);
  EXPECT_EQ(Drain(&sender), (Packets{3, 4}));
}

TEST(SelectiveSender, OldNewsChangesNothing) {
  SelectiveSender sender;
  sender.Acknowledge(8, 10);
  sender.Acknowledge(3, 10);
  EXPECT_EQ(sender.unacknowledged(), 8);
  sender.Nack(3, 5, 10);
  EXPECT_FALSE(sender.in_recovery());
  EXPECT_EQ(sender.NextRetransmission(), SelectiveSender::kNone);
}

TEST(SelectiveSender, ATimeoutSendsTheFirstAgainAndALostTailOneByOne) {
  SelectiveSender sender;
  sender.Timeout(0);  // nothing is outstanding
  EXPECT_FALSE(sender.in_recovery());
  sender.Acknowledge(4, 8);  // 4..7 are lost
  sender.Timeout(8);
  EXPECT_EQ(sender.recovery_point(), 7);
  EXPECT_EQ(Drain(&sender), Packets{4});
  sender.Timeout(8);  // lost again
  EXPECT_EQ(Drain(&sender), Packets{4});
  for (std::int64_t n = 5; n < 8; ++n) {
    sender.Acknowledge(n, 9);
    EXPECT_EQ(Drain(&sender), Packets{n});
  }
  sender.Acknowledge(8, 9);  // 8 was sent after the timeout: it is not known to be lost
  EXPECT_FALSE(sender.in_recovery());
  EXPECT_EQ(sender.NextRetransmission(), SelectiveSender::kNone);
}

TEST(SelectiveSender, ATimeoutInARecoveryAllowsEveryMissingOneAgain) {
  SelectiveSender sender;
  sender.Nack(0, 3, 6);
  EXPECT_EQ(Drain(&sender), (Packets{0, 1, 2}));
  sender.Timeout(6);  // the second copies were lost too
  EXPECT_EQ(Drain(&sender), (Packets{0, 1, 2}));
}

TEST(SelectiveSender, ArchiveKeepsTheRecovery) {
  SelectiveSender sender;
  sender.Nack(2, 6, 10);
  sender.Retransmitted();
  SelectiveSender copy = Copied(sender);
  EXPECT_EQ(copy.recovery_point(), 9);
  EXPECT_EQ(Drain(&copy), (Packets{3, 4, 5}));
  sender.Timeout(10);
  copy = Copied(sender);
  copy.Retransmitted();
  copy.Acknowledge(7, 10);
  EXPECT_EQ(copy.NextRetransmission(), 7);
}

/// Sender and receiver over a path that loses packets and ACKs: all data arrives in the end.
TEST(SelectiveRepeat, DeliversOverALossyPath) {
  for (const std::uint64_t loss : {0U, 1U, 10U, 40U}) {  // percent, of packets and of ACKs
    constexpr std::int64_t kPackets = 3000;
    constexpr std::int64_t kWindow = 100;
    constexpr std::size_t kPath = 20;  // packets in flight, each way
    RandomStream random(9, loss, RandomPurpose::kPartition);
    SelectiveSender sender;
    SelectiveReceiver receiver;
    struct Answer {
      std::int64_t cumulative, received;
      bool nack;
    };
    std::deque<std::int64_t> path(kPath, -1);
    std::deque<Answer> back(kPath, Answer{0, -1, false});
    std::int64_t next_new = 0, sent = 0, new_arrivals = 0, idle = 0;
    int timeouts = 0;
    while (sender.unacknowledged() < kPackets) {
      ASSERT_LT(sent + idle, 2'000'000);
      std::int64_t packet = sender.NextRetransmission();
      if (packet != SelectiveSender::kNone) {
        ASSERT_FALSE(sender.Acknowledged(packet));
        sender.Retransmitted();
      } else if (next_new < kPackets && next_new - sender.unacknowledged() < kWindow) {
        packet = next_new++;
      }
      sent += packet >= 0 ? 1 : 0;
      idle = packet >= 0 ? 0 : idle + 1;
      if (idle > 200) {
        sender.Timeout(next_new);
        ASSERT_EQ(sender.NextRetransmission(), sender.unacknowledged());
        ++timeouts;
        idle = 0;
      }
      path.push_back(random.Below(100) < loss ? -1 : packet);
      Answer answer{0, -1, false};
      if (path.front() >= 0) {
        const auto arrival = receiver.Receive(path.front());
        new_arrivals += arrival.is_new ? 1 : 0;
        answer = {receiver.expected(), path.front(), arrival.is_new && !arrival.in_order};
      }
      path.pop_front();
      if (random.Below(100) < loss) answer.received = -1;
      back.push_back(answer);
      const Answer heard = back.front();
      back.pop_front();
      if (heard.received < 0) continue;
      if (heard.nack) {
        sender.Nack(heard.cumulative, heard.received, next_new);
      } else {
        sender.Acknowledge(heard.cumulative, next_new);
      }
      ASSERT_LE(sender.unacknowledged(), receiver.expected());
    }
    EXPECT_EQ(new_arrivals, kPackets);
    EXPECT_EQ(receiver.expected(), kPackets);
    EXPECT_FALSE(receiver.has_gap());
    if (loss == 0) {
      EXPECT_EQ(sent, kPackets);  // nothing is sent twice unnecessarily
      EXPECT_EQ(timeouts, 0);
    } else {
      EXPECT_GT(sent, kPackets);
    }
    // Selective: at 1 % of losses far fewer than the window's 100 packets are sent again for each.
    if (loss == 1) {
      EXPECT_LT(sent, kPackets * 105 / 100);
    }
  }
}

}  // namespace
}  // namespace heddle
