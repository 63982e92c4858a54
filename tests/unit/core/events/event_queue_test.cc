// SPDX-License-Identifier: GPL-2.0-only
/// The queue against a std::set ordered by (time, order).
#include "core/events/event_queue.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <set>
#include <sstream>

#include "core/base/random.h"

namespace heddle {
namespace {

struct ByOrder {
  bool operator()(const Event& a, const Event& b) const { return Earlier(a, b); }
};

/// A queue and its reference with the same operations; every step compares the two.
class Pair {
 public:
  explicit Pair(std::uint64_t seed, std::size_t at_once = 1)
      : random_(seed, 0, RandomPurpose::kPartition) {
    queue_.OpenAtOnce(at_once);
  }

  void PushAt(std::int64_t ps) {
    // Unique, not in sequence.
    const std::uint64_t order = (random_.Below(1U << 20) << 40) | pushed_;
    const Event event{PicoSeconds(ps), order, static_cast<std::uint32_t>(pushed_++), 0};
    queue_.Push(event);
    reference_.insert(event);
  }
  void Push(int bits) { PushAt(now_ + Draw(std::int64_t{1} << bits)); }
  /// Returns whether there was an event before `end`.
  bool Pop(Time end) {
    const bool expected = !reference_.empty() && reference_.begin()->time < end;
    Event event;
    EXPECT_EQ(queue_.PopBefore(end, &event), expected);
    if (!expected) return false;
    const Event first = *reference_.begin();
    reference_.erase(reference_.begin());
    EXPECT_EQ(event.time.ps, first.time.ps);
    EXPECT_EQ(event.order, first.order);
    EXPECT_EQ(event.argument, first.argument);
    now_ = first.time.ps;
    return true;
  }
  /// Takes all events before `end` as a domain does that merges them with events of its own; pushes
  /// more while it does.
  void RunWindow(Time end, int bits) {
    for (std::int64_t i = Draw(40); i-- > 0;) Push(bits);
    queue_.BeginWindow();
    for (;;) {
      const Event& first = queue_.First();
      if (first.time >= end) break;
      if (queue_.AtEdge()) {
        queue_.OpenMore(end);
        continue;
      }
      const Event event = first;
      queue_.PopFirst();
      ASSERT_FALSE(reference_.empty());
      ASSERT_EQ(event.order, reference_.begin()->order);
      ASSERT_EQ(event.time, reference_.begin()->time);
      reference_.erase(reference_.begin());
      now_ = event.time.ps;
      if (Draw(2) == 0) Push(bits - static_cast<int>(Draw(6)));
    }
    ASSERT_TRUE(reference_.empty() || reference_.begin()->time >= end);
    now_ = end.ps;
  }
  void Compare() const {
    ASSERT_EQ(queue_.size(), reference_.size());
    ASSERT_EQ(queue_.empty(), reference_.empty());
    ASSERT_EQ(queue_.NextTime(), reference_.empty() ? Time::Max() : reference_.begin()->time);
  }
  void CompareAll() const {
    const std::vector<Event> sorted = queue_.Sorted();
    ASSERT_EQ(sorted.size(), reference_.size());
    auto expected = reference_.begin();
    for (const Event& event : sorted) {
      ASSERT_EQ(event.order, expected->order);
      ASSERT_EQ(event.time, expected->time);
      ASSERT_EQ(event.argument, (expected++)->argument);
    }
  }
  void Drain() {
    while (Pop(Time::Max()) && !::testing::Test::HasFailure()) {
    }
    Compare();
  }
  void SaveAndLoad() {
    std::stringstream text;
    boost::archive::text_oarchive(text) << const_cast<const EventQueue&>(queue_);
    EventQueue other;
    other.Push({PicoSeconds(1), 1, 1, 0});  // earlier contents must be removed
    boost::archive::text_iarchive(text) >> other;
    queue_ = std::move(other);
  }
  /// Of the arguments that 3 divides.
  void RemoveThirds() {
    const auto drop = [](const Event& event) { return event.argument % 3 == 0; };
    queue_.Remove(drop);
    for (auto at = reference_.begin(); at != reference_.end();)
      at = drop(*at) ? reference_.erase(at) : std::next(at);
  }
  std::int64_t Draw(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(bound)));
  }
  std::int64_t now() const { return now_; }
  std::size_t size() const { return reference_.size(); }

 private:
  EventQueue queue_;
  std::set<Event, ByOrder> reference_;
  RandomStream random_;
  std::int64_t now_ = 0;
  std::uint64_t pushed_ = 0;
};

TEST(EventQueue, IsEmptyAtFirst) {
  EventQueue queue;
  Event event;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.NextTime(), Time::Max());
  EXPECT_FALSE(queue.PopBefore(Time::Max(), &event));
}

TEST(EventQueue, PopBeforeIsExclusive) {
  EventQueue queue;
  queue.Push({PicoSeconds(1000), 1, 7, 0});
  Event event;
  EXPECT_FALSE(queue.PopBefore(PicoSeconds(999), &event));
  EXPECT_FALSE(queue.PopBefore(PicoSeconds(1000), &event));
  EXPECT_EQ(queue.size(), 1U);
  ASSERT_TRUE(queue.PopBefore(PicoSeconds(1001), &event));
  EXPECT_EQ(event.argument, 7U);
}

TEST(EventQueue, BurstOfEqualTimesComesOutByOrder) {
  Pair pair(1);
  for (int i = 0; i < 5000; ++i) pair.PushAt(123456789);
  pair.CompareAll();
  pair.Drain();
}

TEST(EventQueue, RemovesWhatItIsToldTo) {
  Pair pair(9, 16);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i) pair.Push(10 + round);
    for (int i = 0; i < 50; ++i) pair.Pop(Time::Max());
    pair.RemoveThirds();
    pair.CompareAll();
  }
  pair.Drain();
}

TEST(EventQueue, BunchesOfEqualTimesDoNotMakeTheCalendarFiner) {
  // As in the steps of a ring: hundreds of events at the same time, every few microseconds.
  EventQueue queue;
  std::uint64_t order = 0;
  Event event;
  for (std::int64_t step = 0; step < 500; ++step) {
    const std::int64_t at = step * 2'400'000;
    for (int i = 0; i < 200; ++i) queue.Push({PicoSeconds(at), ++order, 0, 0});
    while (queue.PopBefore(PicoSeconds(at + 2'400'000), &event)) {
    }
  }
  // Successively finer buckets took 8 bytes each, up to half a MiB.
  EXPECT_LT(queue.memory(), 64U << 10);
}

TEST(EventQueue, OpensBucketsUntilThereIsSomethingToLookAheadIn) {
  EventQueue one, many;
  many.OpenAtOnce(32);
  for (int i = 0; i < 100; ++i) {
    one.Push({MicroSeconds(1 + i), 1, 0, 0});
    many.Push({MicroSeconds(1 + i), 1, 0, 0});
  }
  Event event;
  ASSERT_TRUE(one.PopBefore(MicroSeconds(50), &event));
  ASSERT_TRUE(many.PopBefore(MicroSeconds(50), &event));
  EXPECT_EQ(one.PeekOpen(0), nullptr);
  ASSERT_NE(many.PeekOpen(30), nullptr);
  EXPECT_EQ(many.PeekOpen(30)->time, MicroSeconds(32));
  while (many.PopBefore(MicroSeconds(50), &event)) {
    const Event* last = &event;
    for (std::size_t ahead = 0; many.PeekOpen(ahead) != nullptr; ++ahead)
      last = many.PeekOpen(ahead);
    EXPECT_LT(last->time, MicroSeconds(51))
        << "buckets beyond the window's end stay closed: messages will still come into them";
  }
}

TEST(EventQueue, LateEventsEnterTheOpenBucket) {
  Pair pair(2);
  for (int i = 0; i < 400; ++i) pair.PushAt(1000 + i * 600);  // within one bucket of 2^18 ps
  pair.Pop(Time::Max());
  for (int i = 0; i < 3000; ++i) {
    pair.Push(i % 2 == 0 ? 4 : 18);
    pair.Compare();
    if (i % 3 == 0) pair.Pop(Time::Max());
  }
  pair.Drain();
}

TEST(EventQueue, FarFutureEvents) {
  Pair pair(3);
  for (int round = 0; round < 40; ++round) {
    for (int bits : {10, 30, 45, 55, 60})
      pair.PushAt(std::min(pair.now(), std::int64_t{1} << 60) + (std::int64_t{1} << bits));
    pair.Compare();
    for (int i = 0; i < 3; ++i) pair.Pop(Time::Max());
  }
  pair.Drain();
}

TEST(EventQueue, SparseAndDenseInTurns) {
  Pair pair(4);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 4000; ++i) pair.Push(14);  // thousands a bucket: it must become finer
    while (pair.size() > 500) {
      pair.Pop(Time::Max());
      if (pair.Draw(3) == 0) pair.Push(12);
    }
    for (int i = 0; i < 1500; ++i) pair.Push(42);  // then coarser
    pair.CompareAll();
    while (pair.size() > 20) {
      pair.Pop(Time::Max());
      if (pair.Draw(4) == 0) pair.Push(42);
      pair.Compare();
    }
    if (HasFailure()) return;
  }
  pair.Drain();
}

TEST(EventQueue, NextTimeAndSortedChangeNothing) {
  EventQueue asked, left_alone;
  RandomStream random(5, 0, RandomPurpose::kPartition);
  Time now{0};
  for (int i = 0; i < 20000; ++i) {
    if (random.Below(5) < 3) {
      const Event event{now + PicoSeconds(static_cast<std::int64_t>(random.Below(1U << 24))),
                        random.Next(), static_cast<std::uint32_t>(i), 0};
      asked.Push(event);
      left_alone.Push(event);
    } else {
      Event a, b;
      ASSERT_EQ(asked.PopBefore(Time::Max(), &a), left_alone.PopBefore(Time::Max(), &b));
      ASSERT_EQ(a.order, b.order);
      now = std::max(now, b.time);
    }
    ASSERT_EQ(asked.NextTime(), asked.NextTime());
    if (i % 500 == 0) asked.Sorted();
    const Event* hint = asked.PeekOpen(0);
    const Event* other_hint = left_alone.PeekOpen(0);
    ASSERT_EQ(hint == nullptr, other_hint == nullptr);  // the geometry is equal as well
  }
}

class EventQueueFuzz : public ::testing::TestWithParam<int> {};

TEST_P(EventQueueFuzz, AgreesWithTheReference) {
  Pair pair(1000 + static_cast<std::uint64_t>(GetParam()), GetParam() % 2 == 0 ? 1 : 64);
  for (int phase = 0; phase < 12; ++phase) {
    const int bits = static_cast<int>(pair.Draw(46));
    const std::int64_t pushes = pair.Draw(5);
    const bool with_bursts = pair.Draw(3) == 0;
    for (int step = 0; step < 600; ++step) {
      for (std::int64_t i = 0; i < pushes; ++i) pair.Push(bits);
      if (with_bursts && pair.Draw(50) == 0) {
        const std::int64_t at = pair.now() + pair.Draw(std::int64_t{1} << bits);
        for (int i = 0; i < 60; ++i) pair.PushAt(at);
      }
      const Time end = pair.Draw(4) == 0
                           ? PicoSeconds(pair.now() + pair.Draw(std::int64_t{1} << bits))
                           : Time::Max();
      for (std::int64_t i = pair.Draw(5); i > 0; --i) pair.Pop(end);
      pair.Compare();
      if (HasFailure()) FAIL() << "phase " << phase << " step " << step << " bits " << bits;
    }
    pair.CompareAll();
    if (GetParam() % 2 == 0) pair.SaveAndLoad();
    if (pair.Draw(4) == 0) pair.Drain();
  }
  pair.Drain();
}

INSTANTIATE_TEST_SUITE_P(Seeds, EventQueueFuzz, ::testing::Range(0, 40));

TEST(EventQueue, EqualEventsAreSavedInOneOrder) {
  const auto arguments = [](std::vector<std::uint32_t> pushed) {
    EventQueue queue;
    for (const std::uint32_t argument : pushed) queue.Push({Time{7}, 3, argument});
    std::vector<std::uint32_t> found;
    for (const Event& event : queue.Sorted()) found.push_back(event.argument);
    return found;
  };
  const std::vector<std::uint32_t> in_order = {1, 2, 3, 4};
  EXPECT_EQ(arguments({4, 1, 3, 2}), in_order);
  EXPECT_EQ(arguments({2, 3, 4, 1}), in_order);
}

TEST(EventQueue, ArchiveKeepsOrderMidWay) {
  Pair pair(6);
  for (int bits : {3, 18, 20, 40, 58}) {
    for (int i = 0; i < 200; ++i) pair.Push(bits);
  }
  for (int i = 0; i < 130; ++i) pair.Pop(Time::Max());
  for (int i = 0; i < 30; ++i) pair.Push(3);
  pair.SaveAndLoad();
  pair.CompareAll();
  for (int i = 0; i < 300; ++i) pair.Push(19);
  pair.Drain();
}

}  // namespace
TEST(EventQueue, OrderHoldsInTheLastBucketOfTime) {
  EventQueue queue;
  queue.Push({Time{Time::Max().ps - 5}, 1, 1, 0});
  queue.Push({Time{Time::Max().ps - 3}, 2, 2, 0});
  Event event;
  ASSERT_TRUE(queue.PopBefore(Time::Max(), &event));
  EXPECT_EQ(event.argument, 1u);
  queue.Push({Time{Time::Max().ps - 4}, 3, 3, 0});
  EXPECT_EQ(queue.NextTime().ps, Time::Max().ps - 4);
  ASSERT_TRUE(queue.PopBefore(Time::Max(), &event));
  EXPECT_EQ(event.argument, 3u);
  ASSERT_TRUE(queue.PopBefore(Time::Max(), &event));
  EXPECT_EQ(event.argument, 2u);
}

TEST(EventQueue, MergedWindowsGiveTheSameOrder) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(seed);
    const int bits = 8 + static_cast<int>(seed % 20);
    std::int64_t end = 0;
    for (int window = 0; window < 50; ++window) {
      end += 1 + pair.Draw(std::int64_t{1} << bits);
      pair.RunWindow(PicoSeconds(end), bits);
      pair.Compare();
      if (seed % 7 == 0) pair.CompareAll();
      if (::testing::Test::HasFailure()) return;
    }
    pair.Drain();
  }
}

TEST(EventQueue, AnEventAtTheEndOfTimeStays) {
  EventQueue queue;
  queue.Push({Time::Max(), 1, 7, 0});
  Event event;
  EXPECT_FALSE(queue.PopBefore(Time::Max(), &event));
  EXPECT_EQ(queue.NextTime(), Time::Max());
  EXPECT_EQ(queue.size(), 1U);
}

}  // namespace heddle
