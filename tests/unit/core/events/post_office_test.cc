// SPDX-License-Identifier: GPL-2.0-only
#include "core/events/post_office.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

struct Note {
  std::uint64_t text = 0;
  std::uint64_t rest[5] = {};
};

/// A domain that records the events it ran.
class Scribe final : public Domain {
 public:
  using Domain::Domain;
  void RunUntil(Time end) override {
    Event event;
    while (queue_.PopBefore(end, &event)) {
      Note note;
      std::memcpy(&note, cargo_[event.argument].bytes, sizeof note);
      cargo_.Free(event.argument);
      ++events_;
      ran.push_back({event.time.ps, static_cast<std::int64_t>(note.text)});
    }
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> ran;
};
using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

class PostOfficeTest : public ::testing::Test {
 protected:
  PostOfficeTest() : post_({RankId(1), RankId(0), RankId(1), RankId(2)}, RankId(1), 3) {
    post_.Add(&zero_);
    post_.Add(&two_);
  }
  static Note Text(std::uint64_t text) {
    Note note;
    note.text = text;
    return note;
  }
  Scribe zero_{DomainId(0)}, two_{DomainId(2)};
  PostOffice post_;
};

TEST_F(PostOfficeTest, LocalMessagesRunInOrderOfTimeThenOrder) {
  post_.Send(DomainId(2), PicoSeconds(50), 5, Text(1));
  post_.Send(DomainId(2), PicoSeconds(40), 9, Text(2));
  post_.Send(DomainId(2), PicoSeconds(40), 3, Text(3));
  post_.Send(DomainId(2), PicoSeconds(60), 1, Text(4));
  EXPECT_TRUE(two_.idle());  // still in the inbox
  EXPECT_EQ(post_.next_time(1), PicoSeconds(40));
  EXPECT_EQ(post_.next_time(0), Time::Max());
  EXPECT_EQ(post_.NextTime(), PicoSeconds(40));
  EXPECT_EQ(post_.hastened(), (std::vector<std::uint32_t>{1, 1}));
  post_.RunDomain(1, PicoSeconds(60));
  EXPECT_EQ(two_.ran, (Runs{{40, 3}, {40, 2}, {50, 1}}));
  EXPECT_EQ(post_.next_time(1), PicoSeconds(60));
  EXPECT_EQ(two_.events(), 3U);
  post_.RunDomain(1, PicoSeconds(61));
  EXPECT_EQ(post_.NextTime(), Time::Max());
  EXPECT_TRUE(zero_.ran.empty());
  EXPECT_EQ(post_.TakeEarliestSent().first(), Time::Max());
}

TEST_F(PostOfficeTest, RemoteMessagesGoIntoTheOutboxOfTheOwner) {
  post_.Send(DomainId(3), PicoSeconds(70), 1, Text(1));
  post_.Send(DomainId(1), PicoSeconds(30), 2, Text(2));
  post_.Send(DomainId(3), PicoSeconds(90), 3, Text(3));
  ASSERT_EQ(post_.outbox(RankId(0)).size(), 1U);
  ASSERT_EQ(post_.outbox(RankId(2)).size(), 2U);
  EXPECT_TRUE(post_.outbox(RankId(1)).empty());
  const AddressedMessage& message = post_.outbox(RankId(2))[0];
  EXPECT_EQ(message.destination, DomainId(3));
  EXPECT_EQ(message.message.time, PicoSeconds(70));
  EXPECT_EQ(message.message.order, 1U);
  EXPECT_EQ(message.message.cargo.bytes[0], 1);
  EXPECT_EQ(post_.NextTime(), Time::Max());
  EXPECT_EQ(post_.TakeEarliestSent().first(), PicoSeconds(30));
  EXPECT_EQ(post_.TakeEarliestSent().first(), Time::Max());
}

TEST_F(PostOfficeTest, ReceivedMessagesReachTheirDomain) {
  AddressedMessage message;
  message.message = {PicoSeconds(20), 4, Cargo::Of(Text(8))};
  message.destination = DomainId(0);
  post_.Receive(&message, 1);
  EXPECT_EQ(post_.next_time(0), PicoSeconds(20));
  EXPECT_EQ(post_.hastened(), std::vector<std::uint32_t>{0});
  post_.EmptyAllInboxes();
  EXPECT_EQ(zero_.NextTime(), PicoSeconds(20));
  post_.RunDomain(0, Time::Max());
  EXPECT_EQ(zero_.ran, (Runs{{20, 8}}));
}

TEST_F(PostOfficeTest, RefusesAMessageForADomainElsewhere) {
  AddressedMessage message;
  message.destination = DomainId(3);
  EXPECT_THROW(post_.Receive(&message, 1), InvariantError);
}

/// A domain that records the first byte of each message and of its tail.
class TailScribe final : public Domain {
 public:
  using Domain::Domain;
  void RunUntil(Time end) override {
    Event event;
    while (queue_.PopBefore(end, &event)) {
      ran.push_back({cargo_[event.argument].bytes[0], tails_[event.argument].bytes[127]});
      cargo_.Free(event.argument);
    }
  }
  std::vector<std::pair<int, int>> ran;
};

TEST(PostOfficeTails, TravelWithTheirMessagesWithinARankAndBetweenRanks) {
  const std::vector<RankId> owners = {RankId(0), RankId(1)};
  PostOffice here(owners, RankId(0), 2, PostOffice::Tails::kAlways),
      there(owners, RankId(1), 2, PostOffice::Tails::kAlways);
  TailScribe zero(DomainId(0)), one(DomainId(1));
  here.Add(&zero);
  there.Add(&one);
  for (unsigned char i = 1; i <= 40; ++i) {
    MessageTail tail{};
    tail.bytes[127] = static_cast<unsigned char>(100 + i);
    Cargo cargo{};
    cargo.bytes[0] = i;
    here.Send(here.AddressOf(DomainId(0)), DomainId(0), PicoSeconds(100 - i), i, cargo, &tail);
    here.Send(here.AddressOf(DomainId(1)), DomainId(1), PicoSeconds(10 + i), i, cargo, &tail);
  }
  const std::vector<AddressedMessage>& batch = here.outbox(RankId(1));
  ASSERT_EQ(batch.size(), 40 * here.stride());
  there.Receive(batch.data(), batch.size());
  EXPECT_THROW(there.Receive(batch.data(), 1), InvariantError);
  here.RunDomain(0, Time::Max());
  there.RunDomain(0, Time::Max());
  ASSERT_EQ(zero.ran.size(), 40U);
  ASSERT_EQ(one.ran.size(), 40U);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(zero.ran[static_cast<std::size_t>(i)], (std::pair<int, int>{40 - i, 140 - i}));
    EXPECT_EQ(one.ran[static_cast<std::size_t>(i)], (std::pair<int, int>{1 + i, 101 + i}));
  }
}

}  // namespace
}  // namespace heddle
