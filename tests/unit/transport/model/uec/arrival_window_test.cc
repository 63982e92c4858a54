// SPDX-License-Identifier: GPL-2.0-only
/// When a receiver acknowledges, one rule after the other, and what its ACKs say.
#include "transport/model/uec/arrival_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

using TrimAnswer = ArrivalWindow::TrimAnswer;

/// Packets of 4000 bytes; an ACK after 16,384.
class Receiver {
 public:
  explicit Receiver(const char* mode = "rud") : rules(Uec({{"uec.mode", mode}})) {}
  ArrivalWindow::Arrival Get(std::int64_t number, bool marked = false, bool asks = false) {
    return window.Receive({number, 4000, marked, asks}, rules);
  }
  bool Acks(std::int64_t number, bool marked = false, bool asks = false) {
    return Get(number, marked, asks).ack;
  }
  TrimAnswer Trimmed(std::int64_t number) { return window.ReceiveTrimmed(number, rules); }

  ArrivalRules rules;
  ArrivalWindow window;
};

TEST(ArrivalWindow, FirstPacketIsAcknowledged) {
  Receiver receiver;
  EXPECT_TRUE(receiver.Acks(0));
  EXPECT_FALSE(receiver.Acks(1));
  Receiver other;
  EXPECT_TRUE(other.Acks(5));  // whichever comes first
  EXPECT_FALSE(other.Acks(0));
}

TEST(ArrivalWindow, AnAckEverySoManyBytes) {
  Receiver receiver;
  receiver.Get(0);
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i <= 4; ++i) EXPECT_FALSE(receiver.Acks(5 * round + i));
    EXPECT_TRUE(receiver.Acks(5 * round + 5));  // 20,000 bytes
  }
  Receiver each;
  each.rules.threshold = 4000;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(each.Acks(i));
}

TEST(ArrivalWindow, MarkedPacketsAreAcknowledgedAtOnce) {
  Receiver receiver;
  receiver.Get(0);
  for (int i = 1; i <= 3; ++i) receiver.Get(i);
  const ArrivalWindow::Arrival arrival = receiver.Get(4, true);
  EXPECT_TRUE(arrival.ack);
  EXPECT_TRUE(arrival.anchored);
  for (int i = 5; i <= 8; ++i) EXPECT_FALSE(receiver.Acks(i));  // the count of bytes began anew
  EXPECT_TRUE(receiver.Acks(9));
}

TEST(ArrivalWindow, PacketsThatAskAreAcknowledgedAtOnce) {
  Receiver receiver;
  receiver.Get(0);
  const ArrivalWindow::Arrival arrival = receiver.Get(1, false, true);
  EXPECT_TRUE(arrival.ack);
  EXPECT_TRUE(arrival.anchored);
  EXPECT_FALSE(receiver.Acks(2));
  EXPECT_TRUE(receiver.Acks(4, false, true));  // beyond a hole too
}

TEST(ArrivalWindow, ClosedHolesAreAcknowledgedOnceAskedFor) {
  Receiver receiver;
  receiver.Get(0);
  receiver.Get(2);
  EXPECT_FALSE(receiver.Acks(1));  // nobody asked
  receiver.Get(5, false, true);
  EXPECT_FALSE(receiver.Acks(3));  // 4 is missing
  const ArrivalWindow::Arrival last = receiver.Get(4);
  EXPECT_TRUE(last.ack);
  EXPECT_FALSE(last.anchored);
  receiver.Get(7);
  EXPECT_FALSE(receiver.Acks(6));  // answered: must be asked again
}

TEST(ArrivalWindow, APacketThatAsksInOrderLeavesNothingOpen) {
  Receiver receiver;
  receiver.Get(0);
  EXPECT_TRUE(receiver.Acks(1, false, true));
  receiver.Get(3);
  EXPECT_FALSE(receiver.Acks(2));
}

TEST(ArrivalWindow, DuplicatesAreAcknowledgedAtOnceAndNotCounted) {
  Receiver receiver;
  receiver.Get(0);
  receiver.Get(3);
  for (const std::int64_t number : {0, 3}) {
    const ArrivalWindow::Arrival arrival = receiver.Get(number, false, true);
    EXPECT_TRUE(arrival.ack);
    EXPECT_FALSE(arrival.is_new);
    EXPECT_FALSE(arrival.anchored);
  }
  EXPECT_TRUE(receiver.Get(3, true).anchored);
  EXPECT_EQ(receiver.window.duplicates(), 3);
  EXPECT_EQ(receiver.window.received_bytes(), 8000);
  receiver.Get(1);
  EXPECT_FALSE(receiver.Acks(2));  // a duplicate that asks opens nothing
}

TEST(ArrivalWindow, DuplicatesBeginTheCountOfBytesAnew) {
  Receiver receiver;
  receiver.Get(0);
  for (int i = 1; i <= 4; ++i) receiver.Get(i);
  receiver.Get(2);
  EXPECT_FALSE(receiver.Acks(5));
}

TEST(ArrivalWindow, CumulativeNumberPassesWhatIsHeld) {
  Receiver receiver;
  receiver.Get(0);
  receiver.Get(2);
  receiver.Get(3);
  receiver.Get(5);
  EXPECT_EQ(receiver.window.expected(), 1);
  EXPECT_EQ(receiver.window.held(), 3);
  EXPECT_EQ(receiver.Get(1).advanced, 3);
  EXPECT_EQ(receiver.window.expected(), 4);
  EXPECT_EQ(receiver.window.held(), 1);
  EXPECT_TRUE(receiver.window.Received(5));
  EXPECT_FALSE(receiver.window.Received(4));
  EXPECT_EQ(receiver.window.received_bytes(), 20'000);
  EXPECT_EQ(receiver.window.out_of_order(), 3);
}

TEST(ArrivalWindow, RemembersTheLargestReordering) {
  Receiver receiver;
  receiver.Get(0);
  receiver.Get(9);
  EXPECT_EQ(receiver.window.reordering().held, 1);
  EXPECT_EQ(receiver.window.reordering().distance, 8);
  for (const std::int64_t number : {3, 4, 2, 1}) receiver.Get(number);
  EXPECT_EQ(receiver.window.expected(), 5);
  receiver.Get(11);
  EXPECT_EQ(receiver.window.reordering().held, 4);  // 2, 3, 4, 9
  EXPECT_EQ(receiver.window.reordering().distance, 8);
}

TEST(ArrivalWindow, RequestsToSendAreAnsweredAndCarryNoBytes) {
  Receiver receiver;
  EXPECT_TRUE(receiver.window.Receive({0, 0, false, true}, receiver.rules).ack);
  EXPECT_EQ(receiver.window.received_bytes(), 0);
  EXPECT_EQ(receiver.window.expected(), 1);
  EXPECT_TRUE(receiver.Acks(1));  // still the first with payload
}

TEST(ArrivalWindow, AckFieldsOfAPacketInOrder) {
  Receiver receiver;
  for (int i = 0; i < 3; ++i) receiver.Get(i);
  const AckFields fields = receiver.window.Ack(2, false);
  EXPECT_EQ(fields.cumulative, 3);
  EXPECT_EQ(fields.number, 2);
  EXPECT_EQ(fields.bitmap_base, 4);
  EXPECT_EQ(fields.bitmap, 0U);
  EXPECT_EQ(fields.received_bytes, 12'000);
  EXPECT_EQ(fields.held, 0);
}

TEST(ArrivalWindow, BitmapEndsAtThePacketUnlessAnchored) {
  Receiver receiver;
  for (const std::int64_t number : {0, 2, 5, 100, 101, 140}) receiver.Get(number);
  AckFields fields = receiver.window.Ack(5, false);
  EXPECT_EQ(fields.bitmap_base, 2);  // cumulative + 1
  EXPECT_EQ(fields.bitmap, 0b1001U);
  EXPECT_EQ(fields.held, 5);
  fields = receiver.window.Ack(140, false);
  EXPECT_EQ(fields.bitmap_base, 77);
  EXPECT_EQ(fields.bitmap,
            std::uint64_t{1} << 23 | std::uint64_t{1} << 24 | std::uint64_t{1} << 63);
  fields = receiver.window.Ack(100, true);
  EXPECT_EQ(fields.bitmap_base, 100);
  EXPECT_EQ(fields.bitmap, 0b11U | std::uint64_t{1} << 40);
}

TEST(ArrivalWindow, BitmapSaysNothingUpToTheCumulativeNumber) {
  Receiver receiver;
  for (const std::int64_t number : {0, 1, 2, 4}) receiver.Get(number);
  const AckFields fields = receiver.window.Ack(1, true);
  EXPECT_EQ(fields.bitmap_base, 1);
  EXPECT_EQ(fields.bitmap, 0b1000U);  // 4 alone
}

TEST(ArrivalWindow, TrimmedPacketsGetANackUnlessTheyAreThere) {
  Receiver receiver;
  receiver.Get(0);
  receiver.Get(3);
  EXPECT_EQ(receiver.Trimmed(1), TrimAnswer::kNack);
  EXPECT_EQ(receiver.Trimmed(7), TrimAnswer::kNack);
  EXPECT_EQ(receiver.Trimmed(0), TrimAnswer::kAck);
  EXPECT_EQ(receiver.Trimmed(3), TrimAnswer::kAck);
  EXPECT_FALSE(receiver.window.Received(1));
  EXPECT_EQ(receiver.window.received_bytes(), 8000);
}

TEST(ArrivalWindow, InOrderRefusesWhatIsAheadAndSaysSoOnce) {
  Receiver receiver("rod");
  receiver.Get(0);
  ArrivalWindow::Arrival arrival = receiver.Get(2, true, true);
  EXPECT_TRUE(arrival.refused);
  EXPECT_TRUE(arrival.nack);
  EXPECT_FALSE(arrival.ack);
  EXPECT_FALSE(arrival.is_new);
  arrival = receiver.Get(3);
  EXPECT_TRUE(arrival.refused);
  EXPECT_FALSE(arrival.nack);
  EXPECT_EQ(receiver.window.received_bytes(), 4000);
  EXPECT_EQ(receiver.window.expected(), 1);
  EXPECT_EQ(receiver.Get(1).advanced, 1);
  EXPECT_TRUE(receiver.Get(4).nack);  // another gap
  EXPECT_TRUE(receiver.Get(0).ack);   // duplicates as ever
}

TEST(ArrivalWindow, InOrderTrimsAheadAreRefusedToo) {
  Receiver receiver("rod");
  receiver.Get(0);
  EXPECT_EQ(receiver.Trimmed(3), TrimAnswer::kNackExpected);
  EXPECT_EQ(receiver.Trimmed(4), TrimAnswer::kNone);
  EXPECT_EQ(receiver.Trimmed(1), TrimAnswer::kNack);  // the expected one: whenever it happens
  EXPECT_EQ(receiver.Trimmed(0), TrimAnswer::kAck);
  receiver.Get(1);
  EXPECT_EQ(receiver.Trimmed(2), TrimAnswer::kNack);
  EXPECT_FALSE(receiver.Get(3).nack);  // 2 was named already
}

TEST(ArrivalWindow, AgreesWithASetOfNumbers) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomStream random(seed, 0, RandomPurpose::kTrace);
    Receiver receiver;
    std::set<std::int64_t> there;
    std::int64_t distance = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t number = std::max<std::int64_t>(
          0, receiver.window.expected() + static_cast<std::int64_t>(random.Below(100)) - 10);
      const bool asks = random.Below(20) == 0;
      ASSERT_EQ(receiver.Get(number, false, asks).is_new, there.insert(number).second);
      std::int64_t expected = 0;
      while (there.count(expected) > 0) ++expected;
      ASSERT_EQ(receiver.window.expected(), expected);
      ASSERT_EQ(receiver.window.held(), static_cast<std::int64_t>(there.size()) - expected);
      if (number > expected) distance = std::max(distance, *there.rbegin() - expected);
      const AckFields fields = receiver.window.Ack(number, asks);
      for (std::int64_t bit = 0; bit < 64; ++bit) {
        const std::int64_t at = fields.bitmap_base + bit;
        ASSERT_EQ(fields.bitmap >> bit & 1, at > expected && there.count(at) > 0 ? 1U : 0U);
      }
      if (i % 101 == 0) receiver.window = Loaded<ArrivalWindow>(Saved(receiver.window));
    }
    EXPECT_EQ(receiver.window.reordering().distance, distance);
    EXPECT_GT(receiver.window.expected(), 100);
  }
}

TEST(ArrivalWindow, GoesOnAfterSaving) {
  Receiver receiver;
  for (const std::int64_t number : {0, 2, 5, 5}) receiver.Get(number, false, number == 2);
  Receiver copy;
  copy.window = Loaded<ArrivalWindow>(Saved(receiver.window));
  EXPECT_EQ(copy.window.duplicates(), 1);
  for (const std::int64_t number : {1, 3, 7, 4, 6}) {
    const ArrivalWindow::Arrival a = receiver.Get(number);
    const ArrivalWindow::Arrival b = copy.Get(number);
    EXPECT_EQ(a.ack, b.ack) << number;
    EXPECT_EQ(a.advanced, b.advanced) << number;
  }
  EXPECT_EQ(Saved(copy.window), Saved(receiver.window));
  Receiver ordered("rod");
  ordered.Get(0);
  ordered.Get(2);
  copy = ordered;
  copy.window = Loaded<ArrivalWindow>(Saved(ordered.window));
  EXPECT_FALSE(copy.Get(3).nack);
}

TEST(ArrivalWindow, DamagedStateIsRefusedOrHarmless) {
  Receiver receiver;
  for (const std::int64_t number : {0, 2, 5, 5, 70}) receiver.Get(number, false, number == 2);
  const int refused = Damaged(receiver.window, [&](ArrivalWindow* window) {
    const std::int64_t from = window->expected();
    for (std::int64_t i = 0; i < 200; ++i)
      window->Receive({from + i * 7 % 200, 100, false, i == 50}, receiver.rules);
    EXPECT_GE(window->expected(), from + 200);
    EXPECT_EQ(window->Ack(window->expected() - 1, false).cumulative, window->expected());
  });
  EXPECT_GE(refused, 50);
  std::vector<char> bytes = Saved(receiver.window);
  char& held = bytes[bytes.size() - 49];  // before two counts, two of reordering, NACK and asking
  ASSERT_EQ(held, 3);
  held = 2;
  EXPECT_THROW(Loaded<ArrivalWindow>(bytes), UserError);
}

}  // namespace
}  // namespace heddle::testing
