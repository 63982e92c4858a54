// SPDX-License-Identifier: GPL-2.0-only
/// The calendar of messages against a sorted list.
#include "core/events/message_calendar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/random.h"

namespace heddle {
namespace {

constexpr std::int64_t kStep = std::int64_t{1} << 19;  // ps

struct Sent {
  Time time;
  std::uint64_t order;
  bool operator<(const Sent& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
  bool operator==(const Sent& other) const { return time == other.time && order == other.order; }
};

/// A calendar and the messages that it accepted. The cargo of each repeats its order.
class CalendarPair {
 public:
  explicit CalendarPair(std::uint64_t seed) : random_(seed, 0, RandomPurpose::kPartition) {}

  bool Append(Time time, std::uint64_t order) {
    Cargo cargo{};
    std::memcpy(cargo.bytes, &order, sizeof order);
    const unsigned char* place = calendar_.Append(time, order, cargo);
    if (place == nullptr) return false;
    EXPECT_EQ(std::memcmp(place, cargo.bytes, sizeof cargo.bytes), 0);
    expected_.push_back({time, order});
    return true;
  }
  /// Runs a window up to `end`. A message that comes meanwhile is not accepted.
  void Run(Time end) {
    calendar_.Collect(end, &sorted_);
    EXPECT_FALSE(calendar_.Append(end, 1, Cargo{}));
    std::sort(expected_.begin(), expected_.end());
    std::vector<Sent> before;
    while (before.size() < expected_.size() && expected_[before.size()].time < end)
      before.push_back(expected_[before.size()]);
    ASSERT_EQ(sorted_.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Message& message = *sorted_.begin()[i];
      ASSERT_EQ(message.time, before[i].time);
      ASSERT_EQ(message.order, before[i].order);
      ASSERT_EQ(std::memcmp(message.cargo.bytes, &message.order, sizeof message.order), 0);
    }
    EXPECT_EQ(sorted_.begin()[before.size()]->time, Time::Max());
    calendar_.Forget(end);
    expected_.erase(expected_.begin(),
                    expected_.begin() + static_cast<std::ptrdiff_t>(before.size()));
    EXPECT_EQ(calendar_.NextTime(), expected_.empty() ? Time::Max() : expected_.front().time);
  }
  void Empty() {
    std::vector<Sent> rest;
    calendar_.Empty([&](const Message& message) { rest.push_back({message.time, message.order}); });
    std::sort(rest.begin(), rest.end());
    std::sort(expected_.begin(), expected_.end());
    EXPECT_TRUE(rest == expected_);
    expected_.clear();
    EXPECT_EQ(calendar_.NextTime(), Time::Max());
  }
  std::int64_t Draw(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(bound)));
  }

 private:
  MessageCalendar calendar_;
  SortedMessages sorted_;
  std::vector<Sent> expected_;
  RandomStream random_;
};

TEST(MessageCalendar, HandsOutWhatIsBeforeTheWindowsEnd) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    CalendarPair pair(seed);
    const std::int64_t window = 1 + pair.Draw(3 * kStep);
    const std::int64_t times = 1 + pair.Draw(seed % 3 == 0 ? 4 : window);  // few distinct ones, too
    const std::int64_t most = std::int64_t{1} << pair.Draw(11);
    std::int64_t now = pair.Draw(50) * kStep;
    std::uint64_t order = 0;
    for (int windows = 0; windows < 20; ++windows) {
      const std::int64_t end = now + window;
      for (std::int64_t i = pair.Draw(most); i-- > 0;) {
        const std::uint64_t node = static_cast<std::uint64_t>(pair.Draw(100)) << 44;
        pair.Append(PicoSeconds(end + pair.Draw(times)), node | ++order);
      }
      pair.Run(PicoSeconds(end));
      now = end + (pair.Draw(4) == 0 ? pair.Draw(20 * kStep) : 0);  // idle time is skipped
      if (::testing::Test::HasFatalFailure()) return;
    }
    pair.Empty();
  }
}

TEST(MessageCalendar, TakesNoMessageFarFromTheOthers) {
  CalendarPair pair(1);
  EXPECT_TRUE(pair.Append(PicoSeconds(100 * kStep), 1));
  EXPECT_FALSE(pair.Append(PicoSeconds(110 * kStep), 2));
  EXPECT_FALSE(pair.Append(PicoSeconds(90 * kStep), 3));
  EXPECT_TRUE(pair.Append(PicoSeconds(102 * kStep), 4));
  pair.Run(PicoSeconds(103 * kStep));
  // It is empty, so its range may move.
  EXPECT_TRUE(pair.Append(PicoSeconds(1000 * kStep), 5));
  pair.Run(PicoSeconds(1001 * kStep));
}

TEST(MessageCalendar, ManyMessagesOfOneTimeComeByOrder) {
  CalendarPair pair(2);
  for (std::uint64_t i = 0; i < 5000; ++i)
    ASSERT_TRUE(pair.Append(PicoSeconds(7 * kStep), (i * 7919 % 5000) << 40));
  pair.Run(PicoSeconds(8 * kStep));
}

}  // namespace
}  // namespace heddle
