// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/future_visitors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {
namespace {

struct Inner {
  std::uint8_t mode = 0;

  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Decides(self.mode);
  }
};

/// A member of each role.
struct Toy {
  BitRate rate;
  std::int64_t size = 0;
  std::uint32_t post = ~0U;
  std::uint16_t count = 0;
  bool asked = false;
  std::uint32_t turn = 0;
  std::int64_t peak = 0;
  Time last, next, timer = Time::Max();
  std::int64_t stamp = 0, sent_bytes = 0;
  std::uint32_t sent = 0;
  std::uint32_t queues[3] = {};
  std::uint8_t odd = 7;
  Inner inner;

  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Shape(self.rate);
    visit.Given(self.size);
    visit.GivenOrNone(self.post, ~0U);
    visit.Decides(self.count, self.asked);
    visit.DecidesAtRest(self.turn);
    visit.Peak(self.peak);
    visit.MovesWithTime(self.last);
    visit.MovesWhileAhead(self.next);
    visit.Timer(self.timer);
    visit.Stamp(self.stamp);
    visit.MovesWithBytes(self.sent_bytes);
    visit.MovesWithPackets(self.sent);
    visit.MustBe(self.odd, std::uint8_t{7});
    visit.Part(self.inner);
    visit.NoMatter(self.queues);
  }
};
static_assert(MemberCount<Toy>() == 18, "an array's elements count one by one");
static_assert(SpeaksForAllMembers<Toy>());

struct Silent {
  int spoken = 0, unspoken = 0;

  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Decides(self.spoken);
  }
};
static_assert(!SpeaksForAllMembers<Silent>());

constexpr Time kNow = MicroSeconds(5);

std::vector<std::uint64_t> WordsOf(const Toy& toy, bool* sound = nullptr) {
  std::vector<std::uint64_t> words;
  FutureWords visit(&words, kNow, 1000, true);
  Toy::VisitFuture(toy, visit);
  if (sound != nullptr) *sound = visit.sound();
  return words;
}

Toy Made() {
  Toy toy;
  toy.size = 9;
  toy.count = 3;
  toy.last = MicroSeconds(4);
  toy.next = MicroSeconds(6);
  toy.timer = MicroSeconds(7);
  toy.stamp = MicroSeconds(2).ps;
  toy.sent_bytes = 1234;
  toy.sent = 5;
  return toy;
}

TEST(FutureWords, HaveEachMemberThatDecides) {
  const std::vector<std::uint64_t> words = WordsOf(Made());
  const auto differs = [&](auto change) {
    Toy toy = Made();
    change(&toy);
    return WordsOf(toy) != words;
  };
  EXPECT_TRUE(differs([](Toy* toy) { toy->count = 4; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->asked = true; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->turn = 1; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->peak = 1; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->last += PicoSeconds(1); }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->next += PicoSeconds(1); }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->timer = Time::Max(); }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->stamp += 1; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->sent_bytes += 1; }));
  EXPECT_TRUE(differs([](Toy* toy) { toy->inner.mode = 1; }));
  EXPECT_FALSE(differs([](Toy* toy) { toy->queues[1] = 1; }));
  EXPECT_FALSE(differs([](Toy* toy) { toy->sent = 1; }));
}

TEST(FutureWords, ATimeThatIsPastMakesNoDifferenceIfItOnlyCountsAhead) {
  Toy a = Made(), b = Made();
  a.next = MicroSeconds(1);
  b.next = MicroSeconds(3);
  EXPECT_EQ(WordsOf(a), WordsOf(b));
}

TEST(FutureWords, AreUnsoundIfAMemberIsOtherThanItMustBe) {
  bool sound = false;
  WordsOf(Made(), &sound);
  EXPECT_TRUE(sound);
  Toy toy = Made();
  toy.odd = 8;
  WordsOf(toy, &sound);
  EXPECT_FALSE(sound);
}

// What is moved is as it was, at a later time.
TEST(FutureMove, KeepsTheWordsOfALaterTime) {
  const std::vector<std::uint64_t> before = WordsOf(Made());
  Toy toy = Made();
  FutureShift shift;
  shift.time = shift.ahead = MicroSeconds(3);
  shift.bytes = 500;
  shift.packets = 2;
  shift.stamps = true;
  FutureMove move(shift);
  Toy::VisitFuture(toy, move);
  EXPECT_EQ(toy.sent, 7U);
  std::vector<std::uint64_t> words;
  FutureWords visit(&words, kNow + MicroSeconds(3), 1500, true);
  Toy::VisitFuture(std::as_const(toy), visit);
  EXPECT_EQ(words, before);
}

TEST(FutureMove, LeavesWhatIsNotPendingAndStampsThatAreNoTimes) {
  Toy toy;
  toy.stamp = 3;
  FutureShift shift;
  shift.time = MicroSeconds(3);
  FutureMove move(shift);
  Toy::VisitFuture(toy, move);
  EXPECT_EQ(toy.timer, Time::Max());
  EXPECT_EQ(toy.stamp, 3);
  EXPECT_EQ(toy.next, Time{0}) << "it has nothing ahead";
}

TEST(RestCheck, HoldsIfNothingIsUnderWay) {
  const auto rests = [](auto change) {
    Toy toy;
    toy.turn = 5;
    toy.peak = 6;
    change(&toy);
    RestCheck visit;
    Toy::VisitFuture(std::as_const(toy), visit);
    return visit.holds();
  };
  EXPECT_TRUE(rests([](Toy* /*toy*/) {}));
  EXPECT_FALSE(rests([](Toy* toy) { toy->count = 1; }));
  EXPECT_FALSE(rests([](Toy* toy) { toy->timer = kNow; }));
  EXPECT_FALSE(rests([](Toy* toy) { toy->odd = 0; }));
  EXPECT_FALSE(rests([](Toy* toy) { toy->inner.mode = 1; }));
}

TEST(NewCheck, HoldsIfARecordDiffersFromOthersByWhatItIsGiven) {
  const auto is_new = [](auto change) {
    Toy toy;
    toy.next = kNow;
    toy.size = 77;
    toy.post = 3;
    change(&toy);
    NewCheck visit(kNow);
    Toy::VisitFuture(std::as_const(toy), visit);
    return visit.holds();
  };
  EXPECT_TRUE(is_new([](Toy* /*toy*/) {}));
  EXPECT_FALSE(is_new([](Toy* toy) { toy->turn = 1; }));
  EXPECT_FALSE(is_new([](Toy* toy) { toy->next += PicoSeconds(1); }));
  EXPECT_FALSE(is_new([](Toy* toy) { toy->sent_bytes = 1; }));
  EXPECT_FALSE(is_new([](Toy* toy) { toy->odd = 6; }));
}

TEST(GivenWords, HaveWhatARecordBeginsWith) {
  const auto words_of = [](std::int64_t size, std::uint32_t post) {
    Toy toy = Made();
    toy.size = size;
    toy.post = post;
    std::vector<std::uint64_t> words;
    GivenWords visit(&words);
    Toy::VisitFuture(std::as_const(toy), visit);
    return words;
  };
  EXPECT_NE(words_of(1, 2), words_of(2, 2));
  EXPECT_NE(words_of(1, 2), words_of(1, ~0U));
  EXPECT_EQ(words_of(1, 2), words_of(1, 3)) << "which it is makes no difference";
}

}  // namespace
}  // namespace heddle
