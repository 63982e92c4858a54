// SPDX-License-Identifier: GPL-2.0-only
/// The lives of packets at a sender by hand, and against a plain table of all packets.
#include "transport/model/uec/packet_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Sends `count` packets of 100, 101, ... bytes, one a nanosecond.
PacketWindow Sent(int count) {
  PacketWindow window;
  for (int i = 0; i < count; ++i)
    window.Send(NanoSeconds(i), 100 + i, static_cast<std::uint16_t>(i + 7));
  return window;
}

Numbers Acknowledged(PacketWindow* window, std::int64_t cumulative, std::int64_t base = 0,
                     std::uint64_t bitmap = 0) {
  Numbers numbers;
  window->Acknowledge(cumulative, base, bitmap,
                      [&](std::int64_t number, const auto&) { numbers.push_back(number); });
  return numbers;
}

TEST(PacketWindow, EmptyOwnsNothing) {
  const PacketWindow window;
  EXPECT_TRUE(window.all_acknowledged());
  EXPECT_EQ(window.NextQueued(), PacketWindow::kNone);
  EXPECT_EQ(window.oldest(), PacketWindow::kNone);
  EXPECT_EQ(window.oldest_sent(), Time::Max());
  EXPECT_EQ(window.Find(0), nullptr);
  EXPECT_EQ(window.memory(), 0U);
}

TEST(PacketWindow, RecordsWhatWasSent) {
  PacketWindow window = Sent(3);
  EXPECT_EQ(window.next(), 3);
  EXPECT_EQ(window.outstanding(), 3);
  ASSERT_NE(window.Find(1), nullptr);
  EXPECT_EQ(window.Find(1)->bytes, 101);
  EXPECT_EQ(window.Find(1)->entropy, 8);
  EXPECT_EQ(window.Find(1)->sent, NanoSeconds(1));
  EXPECT_EQ(window.Find(1)->sends, 1);
  EXPECT_EQ(window.Find(3), nullptr);
  EXPECT_EQ(window.Find(-1), nullptr);
}

TEST(PacketWindow, CumulativeNumberAcknowledgesAllBelow) {
  PacketWindow window = Sent(5);
  const PacketWindow::Acked acked = window.Acknowledge(3, 0, 0);
  EXPECT_EQ(acked.packets, 3);
  EXPECT_EQ(acked.bytes, 303);
  EXPECT_EQ(acked.queued_bytes, 0);
  EXPECT_EQ(window.base(), 3);
  EXPECT_EQ(window.oldest(), 3);
  EXPECT_EQ(window.outstanding(), 2);
  EXPECT_EQ(window.Acknowledge(2, 0, 0).packets, 0);  // overtaken
  EXPECT_EQ(window.Acknowledge(5, 0, 0).packets, 2);
  EXPECT_TRUE(window.all_acknowledged());
  EXPECT_EQ(window.oldest_sent(), Time::Max());
}

TEST(PacketWindow, BitmapAcknowledgesSinglePackets) {
  PacketWindow window = Sent(80);
  EXPECT_EQ(Acknowledged(&window, 2, 4, 0b1011), (Numbers{0, 1, 4, 5, 7}));
  EXPECT_EQ(window.base(), 2);
  EXPECT_EQ(window.Find(4), nullptr);
  EXPECT_NE(window.Find(6), nullptr);
  // Bits below the base and of packets known already say nothing new; bit 63 is the last.
  EXPECT_EQ(Acknowledged(&window, 2, 0, 0b1011'0011 | std::uint64_t{1} << 63), Numbers{63});
  EXPECT_EQ(Acknowledged(&window, 4, 6, 1), (Numbers{2, 3, 6}));
  EXPECT_EQ(window.base(), 8);  // over what the bitmaps told
}

TEST(PacketWindow, VisitsRecordsAsTheyWere) {
  PacketWindow window = Sent(3);
  window.Lose(1);
  std::vector<PacketWindow::Where> where;
  window.Acknowledge(3, 0, 0, [&](std::int64_t number, const PacketWindow::Record& record) {
    where.push_back(record.where);
    EXPECT_EQ(record.entropy, number + 7);
  });
  using Where = PacketWindow::Where;
  EXPECT_EQ(where, (std::vector<Where>{Where::kOutstanding, Where::kQueued, Where::kOutstanding}));
}

TEST(PacketWindow, LostPacketsAreSentAgainLowestFirst) {
  PacketWindow window = Sent(10);
  EXPECT_EQ(window.Lose(7), 107);
  EXPECT_EQ(window.Lose(3), 103);
  EXPECT_EQ(window.Lose(3), 0);   // queued already
  EXPECT_EQ(window.Lose(10), 0);  // never sent
  EXPECT_EQ(window.queued_bytes(), 210);
  EXPECT_EQ(window.outstanding(), 8);
  EXPECT_EQ(window.NextQueued(), 3);
  EXPECT_EQ(window.Resend(NanoSeconds(50), 99), 3);
  EXPECT_EQ(window.Find(3)->sends, 2);
  EXPECT_EQ(window.Find(3)->entropy, 99);
  EXPECT_EQ(window.Find(3)->sent, NanoSeconds(50));
  EXPECT_EQ(window.NextQueued(), 7);
  window.Lose(5);  // below one that is queued
  EXPECT_EQ(window.NextQueued(), 5);
  EXPECT_EQ(window.Resend(NanoSeconds(51), 0), 5);
  EXPECT_EQ(window.Resend(NanoSeconds(52), 0), 7);
  EXPECT_EQ(window.NextQueued(), PacketWindow::kNone);
  EXPECT_EQ(window.queued_bytes(), 0);
  window.Acknowledge(4, 0, 0);
  EXPECT_EQ(window.Lose(2), 0);  // arrived
}

TEST(PacketWindow, QueuedPacketsMayTurnOutToHaveArrived) {
  PacketWindow window = Sent(6);
  window.Lose(1);
  window.Lose(4);
  const PacketWindow::Acked acked = window.Acknowledge(3, 4, 1);
  EXPECT_EQ(acked.packets, 4);
  EXPECT_EQ(acked.bytes, 303 + 104);
  EXPECT_EQ(acked.queued_bytes, 101 + 104);  // were taken off those in flight, wrongly
  EXPECT_EQ(window.queued_bytes(), 0);
  EXPECT_EQ(window.NextQueued(), PacketWindow::kNone);
}

TEST(PacketWindow, OldestIsByTheLastTimeOfSending) {
  PacketWindow window = Sent(4);
  EXPECT_EQ(window.oldest(), 0);
  window.Lose(0);
  EXPECT_EQ(window.oldest(), 1);
  EXPECT_EQ(window.oldest_sent(), NanoSeconds(1));
  window.Resend(NanoSeconds(100), 0);
  window.Acknowledge(0, 1, 0b101);
  EXPECT_EQ(window.oldest(), 2);
  window.Acknowledge(0, 2, 1);
  EXPECT_EQ(window.oldest(), 0);
  EXPECT_EQ(window.oldest_sent(), NanoSeconds(100));
  window.Lose(0);
  EXPECT_EQ(window.oldest_sent(), Time::Max());
  EXPECT_EQ(window.outstanding(), 0);
}

TEST(PacketWindow, RoundTripOnlyWhenTheCopyIsKnown) {
  PacketWindow window = Sent(3);
  const Time now = NanoSeconds(1000);
  EXPECT_EQ(window.RoundTrip(2, false, now), NanoSeconds(998));
  EXPECT_FALSE(window.RoundTrip(2, true, now));
  EXPECT_FALSE(window.RoundTrip(3, false, now));
  window.Lose(2);
  EXPECT_FALSE(window.RoundTrip(2, false, now));  // queued
  window.Resend(NanoSeconds(500), 0);
  EXPECT_FALSE(window.RoundTrip(2, false, now));  // the first copy, of which nothing is kept
  EXPECT_EQ(window.RoundTrip(2, true, now), NanoSeconds(500));
  window.Lose(2);
  window.Resend(NanoSeconds(600), 0);
  EXPECT_FALSE(window.RoundTrip(2, true, now));  // the second or the third
  window.Acknowledge(1, 0, 0);
  EXPECT_FALSE(window.RoundTrip(0, false, now));
}

TEST(PacketWindow, GoBackLosesAllFromANumberOn) {
  PacketWindow window = Sent(6);
  window.Acknowledge(1, 4, 1);
  window.Lose(3);
  EXPECT_EQ(window.LoseFrom(2), 102 + 105);
  EXPECT_EQ(window.outstanding(), 1);
  EXPECT_EQ(window.NextQueued(), 2);
  EXPECT_EQ(window.queued_bytes(), 102 + 103 + 105);
  EXPECT_EQ(window.LoseFrom(0), 101);
  EXPECT_EQ(window.oldest(), PacketWindow::kNone);
}

TEST(PacketWindow, CountOfSendsStops) {
  PacketWindow window = Sent(1);
  for (int i = 1; i < 400; ++i) {
    window.Lose(0);
    window.Resend(NanoSeconds(i), 0);
  }
  EXPECT_EQ(window.Find(0)->sends, 255);
}

TEST(PacketWindow, MemoryFollowsTheSpan) {
  PacketWindow window;
  for (int i = 0; i < 100'000; ++i) {
    window.Send(NanoSeconds(i), 100, 0);
    window.Acknowledge(i + 1, 0, 0);
  }
  EXPECT_LT(window.memory(), 1000U);
}

/// What a window must say, from a table of all packets.
struct Table {
  enum { kOut, kQueued, kGone };
  std::vector<int> where;
  std::vector<std::int64_t> sent;

  std::int64_t Lowest(int what) const {
    const auto found = std::find(where.begin(), where.end(), what);
    return found == where.end() ? PacketWindow::kNone : found - where.begin();
  }
  Time OldestSent() const {
    std::int64_t oldest = Time::Max().ps;
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] == kOut) oldest = std::min(oldest, sent[i]);
    }
    return {oldest};
  }
};

TEST(PacketWindow, AgreesWithATableOfAllPackets) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 0, RandomPurpose::kTrace);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(bound)));
    };
    PacketWindow window;
    Table table;
    for (std::int64_t now = 1; now < 3000; ++now) {
      const std::int64_t next = window.next();
      const std::int64_t any = window.base() + below(next - window.base() + 1);
      const std::int64_t action = below(10);
      if (action < 5) {
        window.Send({now}, 64 + below(100), 0);
        table.where.push_back(Table::kOut);
        table.sent.push_back(now);
      } else if (action < 7 && any < next) {
        auto& where = table.where[static_cast<std::size_t>(any)];
        EXPECT_EQ(window.Lose(any) > 0, where == Table::kOut);
        if (where == Table::kOut) where = Table::kQueued;
      } else if (action < 9 && window.NextQueued() != PacketWindow::kNone) {
        const auto number = static_cast<std::size_t>(window.Resend({now}, 0));
        table.where[number] = Table::kOut;
        table.sent[number] = now;
      } else if (any < next) {
        const std::int64_t cumulative = below(4) == 0 ? any : window.base();
        const std::uint64_t bitmap =
            random.Next() & random.Next() &
            (next - any >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (next - any)) - 1);
        window.Acknowledge(cumulative, any, bitmap);
        for (std::int64_t i = 0; i < next; ++i) {
          const bool set = i >= any && i < any + 64 && (bitmap >> (i - any) & 1) != 0;
          if (i < cumulative || set) table.where[static_cast<std::size_t>(i)] = Table::kGone;
        }
      }
      if (now % 97 == 0) window = Loaded<PacketWindow>(Saved(window));
      ASSERT_EQ(window.NextQueued(), table.Lowest(Table::kQueued));
      ASSERT_EQ(window.oldest_sent(), table.OldestSent());
      ASSERT_EQ(window.outstanding(),
                std::count(table.where.begin(), table.where.end(), Table::kOut));
      const auto first = std::find_if(table.where.begin(), table.where.end(),
                                      [](int where) { return where != Table::kGone; });
      ASSERT_EQ(window.base(), first - table.where.begin());
    }
    EXPECT_GT(window.next(), 1000);
  }
}

TEST(PacketWindow, GoesOnAfterSaving) {
  PacketWindow window = Sent(100);
  window.Acknowledge(20, 30, 0xF0F0);
  window.Lose(50);
  window.Lose(21);
  window.Lose(40);
  window.Resend(NanoSeconds(500), 5);
  PacketWindow copy = Loaded<PacketWindow>(Saved(window));
  EXPECT_EQ(Saved(copy), Saved(window));
  EXPECT_EQ(copy.base(), 20);
  EXPECT_EQ(copy.queued_bytes(), 150 + 140);
  EXPECT_EQ(copy.outstanding(), window.outstanding());
  EXPECT_EQ(copy.oldest(), 20);
  EXPECT_EQ(copy.Resend(NanoSeconds(501), 5), 40);
  EXPECT_EQ(copy.RoundTrip(21, true, NanoSeconds(600)), NanoSeconds(100));
}

TEST(PacketWindow, ImpossibleOrdersAreRefused) {
  PacketWindow window = Sent(6);
  window.Lose(0);
  // The order of sending, 1 to 5, lies behind base, next and its count.
  const std::vector<char> sound = Saved(window);
  const auto with = [&](const Numbers& order) {
    std::vector<char> bytes = sound;
    std::memcpy(&bytes[sound.size() - 6 * 16 - 8 - 5 * 8], order.data(), 5 * 8);
    return bytes;
  };
  EXPECT_EQ(with({1, 2, 3, 4, 5}), sound);
  for (const Numbers& order : {Numbers{2, 1, 3, 4, 5},
                               {1, 1, 3, 4, 5},
                               {1, 2, 2, 4, 5},
                               {0, 2, 3, 4, 5},
                               {1, 2, 3, 4, 6},
                               {1, 2, 3, 4, -1}}) {
    EXPECT_THROW(Loaded<PacketWindow>(with(order)), UserError) << order[0] << order[1] << order[4];
  }
}

TEST(PacketWindow, DamagedStateIsRefusedOrHarmless) {
  PacketWindow window = Sent(12);
  window.Acknowledge(2, 5, 0b10010);
  window.Lose(4);
  window.Lose(7);
  window.Resend(NanoSeconds(20), 5);
  const int refused = Damaged(window, [](PacketWindow* damaged) {
    const Time late{Time::Max().ps};
    damaged->LoseFrom(damaged->base());
    while (damaged->NextQueued() != PacketWindow::kNone) damaged->Resend(late, 1);
    damaged->Send(late, 100, 1);
    damaged->Acknowledge(damaged->next(), 0, 0);
    EXPECT_TRUE(damaged->all_acknowledged());
    EXPECT_EQ(damaged->outstanding(), 0);
    EXPECT_EQ(damaged->queued_bytes(), 0);
  });
  EXPECT_GE(refused, 400);
}

}  // namespace
}  // namespace heddle::testing
