// SPDX-License-Identifier: GPL-2.0-only
/// Shares of requests by hand.
#include "transport/model/requests/request_scheduler.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/transport/model/requests/connection.h"
#include "tests/unit/transport/model/requests/copied.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle::testing {
namespace {

TEST(RequestScheduler, SaysWhatItDoes) {
  const std::vector<std::tuple<std::string, bool, bool>> expected = {
      {"message", false, false}, {"single", true, false},     {"round-robin", true, false},
      {"stripe", true, false},   {"cast-stripe", true, true}, {"cast-wrr", true, true}};
  ASSERT_EQ(std::size(RequestSchemeTable()), expected.size());
  for (const auto& [name, active, measures] : expected) {
    EXPECT_EQ(TraitsOfScheme(name).name, name);
    const PostedConnection connection(name, 4);
    EXPECT_EQ(connection.scheduler.active(), active) << name;
    EXPECT_EQ(connection.scheduler.measures(), measures) << name;
  }
}

/// The option offers and explains what the table has.
TEST(RequestScheduler, IsChosenByTheNamesOfTheTable) {
  RequestOptions options;
  OptionSet set;
  options.Declare(&set);
  const Option& option = *set.FindByName("requests.scheduler").at(0);
  ASSERT_EQ(option.choices.size(), std::size(RequestSchemeTable()));
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    EXPECT_EQ(option.choices[i], RequestSchemeTable()[i].name);
    EXPECT_NE(option.help.find(RequestSchemeTable()[i].does), std::string::npos);
  }
}

std::string Lines(const std::string& name, int queue_pairs, const Settings& settings = {}) {
  std::string text;
  for (const std::string& line : PostedConnection(name, queue_pairs, settings).scheduler.Describe())
    text += line + "\n";
  return text;
}

TEST(RequestScheduler, DescribesWhatItDoes) {
  EXPECT_EQ(Lines("message", 4), "");
  const std::string sizes = "requests of 512.00 KiB (send and receive: 128.00 KiB), 8 in flight; ";
  EXPECT_EQ(Lines("single", 1), sizes + "single over 1 queue pair\n");
  EXPECT_EQ(Lines("stripe", 4), sizes + "stripe over 4 queue pairs\n");
  EXPECT_EQ(Lines("cast-wrr", 4), sizes + "cast-wrr over 4 queue pairs\n");
  EXPECT_EQ(Lines("cast-stripe", 2), sizes + "cast-stripe over 2 queue pairs\n");
}

TEST(RequestScheduler, SaysWhenCastIsIdle) {
  for (const char* name : {"cast-stripe", "cast-wrr"})
    EXPECT_NE(Lines(name, 1).find("\nCAST is idle: a connection has one"), std::string::npos);
  const Settings high = {{"cast.split_min", "1MiB"}};
  EXPECT_NE(
      Lines("cast-stripe", 2, high)
          .find("\nCAST is idle: requests of 512.00 KiB over 2 queue pairs have 256.00 KiB each, "
                "below cast.split_min, 1.00 MiB"),
      std::string::npos);
  EXPECT_EQ(Lines("cast-wrr", 2, high).find("idle"), std::string::npos) << "tokens have no size";
  const Settings tokens = {{"cast.split_min", "1MiB"}, {"cast.wrr", "true"}};
  EXPECT_EQ(Lines("cast-stripe", 2, tokens).find("idle"), std::string::npos);
}

/// 128 KiB over four queue pairs.
TEST(RequestScheduler, SaysWhichRequestsAreNotSplit) {
  EXPECT_NE(Lines("cast-stripe", 4)
                .find("\nrequests of send and receive of 128.00 KiB over 4 queue "
                      "pairs have 32.00 KiB each, below cast.split_min, 64.00 KiB"),
            std::string::npos);
  EXPECT_NE(
      Lines("cast-stripe", 4, {{"requests.size", "64KiB"}, {"requests.send_recv_size", "1MiB"}})
          .find("\nrequests of collectives of 64.00 KiB"),
      std::string::npos);
}

TEST(RequestScheduler, SingleUsesTheFirst) {
  PostedConnection connection("single", 4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(connection.Post(1000), (Shares{{0, 1000}}));
    EXPECT_FALSE(connection.timed());
  }
}

TEST(RequestScheduler, RoundRobinTakesTurns) {
  PostedConnection connection("round-robin", 3);
  for (const std::uint32_t expected : {0U, 1U, 2U, 0U, 1U})
    EXPECT_EQ(connection.Post(kRequest), (Shares{{expected, kRequest}}));
  EXPECT_FALSE(connection.timed());
  EXPECT_EQ(connection.state.bytes(0), 2 * kRequest);
  EXPECT_EQ(connection.state.bytes(2), kRequest);
}

TEST(RequestScheduler, StripesAreEqualAndTheLastGetsTheRest) {
  PostedConnection connection("stripe", 4);
  EXPECT_EQ(connection.Post(1000), (Shares{{0, 256}, {1, 256}, {2, 256}, {3, 232}}));
  EXPECT_FALSE(connection.timed());
  EXPECT_EQ(connection.Post(513), (Shares{{0, 256}, {1, 256}, {2, 1}}));  // nothing for the last
  EXPECT_EQ(connection.Post(1), (Shares{{0, 1}}));
  EXPECT_EQ(connection.state.bytes(0), 513);
  EXPECT_EQ(connection.state.bytes(3), 232);
}

TEST(RequestScheduler, AStripeMayBeginWithTheNext) {
  PostedConnection connection("stripe", 3, {{"requests.stripe_start", "next"}});
  EXPECT_EQ(connection.Post(600), (Shares{{0, 256}, {1, 256}, {2, 88}}));
  EXPECT_EQ(connection.Post(600), (Shares{{1, 256}, {2, 256}, {0, 88}}));
  EXPECT_EQ(connection.Post(600), (Shares{{2, 256}, {0, 256}, {1, 88}}));
}

/// Below 64 KiB each a request goes to one queue pair, and a stripe leaves the turn alone.
TEST(RequestScheduler, SmallRequestsAreNotDivided) {
  PostedConnection connection("cast-stripe", 4);
  EXPECT_EQ(connection.Post(262'143), (Shares{{0, 262'143}}));
  EXPECT_FALSE(connection.timed());
  EXPECT_EQ(connection.Post(262'144), (Shares{{1, 65'536}, {2, 65'536}, {3, 65'536}, {0, 65'536}}));
  EXPECT_TRUE(connection.timed());
  EXPECT_EQ(connection.Post(131'072), (Shares{{1, 131'072}}));
}

/// Samples of 10, 30 us: by 1 / 10 and 1 / (20 + 10).
TEST(RequestScheduler, StripesFollowTheWeights) {
  PostedConnection connection("cast-stripe", 2);
  connection.Weigh({10, 30});
  EXPECT_NEAR(connection.state.weight(0), 0.75, 1e-12);
  EXPECT_EQ(connection.state.estimate(1), MicroSeconds(30));
  // 0.75 x 200001 = 150000.75, 1171.88 lines of 128 bytes.
  EXPECT_EQ(connection.Post(200'001), (Shares{{0, 1171 * 128}, {1, 200'001 - 1171 * 128}}));
}

TEST(RequestScheduler, TheLastOfAWeightedStripeCarriesTheRounding) {
  PostedConnection connection("cast-stripe", 4);
  connection.Weigh({10, 10, 10, 10});
  // A quarter of 262655 is 65663.75, which is 512 lines and 127.75 bytes.
  EXPECT_EQ(connection.Post(262'655),
            (Shares{{0, 65'536}, {1, 65'536}, {2, 65'536}, {3, 65'536 + 511}}));
}

/// A path 10000 times slower: 524288 / 10001 = 52 bytes.
TEST(RequestScheduler, ASlowQueuePairIsProbed) {
  PostedConnection probing("cast-stripe", 2), silent("cast-stripe", 2, {{"cast.probe", "0"}});
  for (PostedConnection* connection : {&probing, &silent}) connection->Weigh({10'000, 1});
  EXPECT_EQ(probing.Post(kRequest), (Shares{{0, 128}, {1, kRequest - 128}}));
  EXPECT_EQ(silent.Post(kRequest), (Shares{{1, kRequest}}));
}

TEST(RequestScheduler, FallsBackToTokensIfAsked) {
  PostedConnection connection("cast-stripe", 2, {{"cast.wrr", "1"}, {"cast.tokens", "4"}});
  EXPECT_EQ(connection.Post(1000), (Shares{{0, 1000}}));
  EXPECT_TRUE(connection.timed());
  EXPECT_EQ(connection.Post(1000), (Shares{{1, 1000}}));
  connection.Weigh({10, 30});
  // 3 and 1 tokens; round robin would alternate.
  std::vector<std::uint32_t> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(connection.Post(1000)[0].first);
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{0, 1, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(connection.Post(kRequest).size(), 2U);
}

TEST(RequestScheduler, WithoutTokensSmallRequestsTakeTurns) {
  PostedConnection connection("cast-stripe", 2);
  connection.Weigh({10, 30});
  for (const std::uint32_t expected : {0U, 1U, 0U, 1U, 0U})
    EXPECT_EQ(connection.Post(1000)[0].first, expected);
}

TEST(RequestScheduler, WeightedRoundRobinNeverDivides) {
  PostedConnection connection("cast-wrr", 2, {{"cast.tokens", "4"}});
  EXPECT_EQ(connection.Post(kRequest, 1), (Shares{{0, kRequest}}));
  EXPECT_TRUE(connection.timed());
  EXPECT_EQ(connection.Post(kRequest, 2), (Shares{{1, kRequest}}));
  connection.Sample(0, 30);
  connection.Sample(1, 10);
  EXPECT_EQ(connection.Post(kRequest, 1001), (Shares{{0, kRequest}}));  // then come weights
  std::vector<std::uint32_t> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(connection.Post(kRequest, 1002)[0].first);
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{0, 1, 1, 1}));
}

TEST(RequestScheduler, OneQueuePairIsNotMeasured) {
  for (const char* name : {"cast-stripe", "cast-wrr"}) {
    PostedConnection connection(name, 1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(connection.Post(kRequest), (Shares{{0, kRequest}}));
    EXPECT_FALSE(connection.timed());
  }
}

/// Whatever the weights and sizes: all bytes, none negative, none empty, every queue pair once.
TEST(RequestScheduler, SharesAddUp) {
  RandomStream random(1, 2, RandomPurpose::kPlacement);
  for (const int queue_pairs : {1, 2, 3, 16, 1024}) {
    PostedConnection connection("cast-stripe", queue_pairs,
                                {{"cast.split_min", "0"}, {"cast.weights", "inverse"}});
    std::int64_t total = 0;
    for (std::int64_t round = 1; round < 300; ++round) {
      const auto bytes = static_cast<std::int64_t>(1 + random.Below(round % 2 ? 2000 : 600'000));
      std::int64_t sum = 0;
      std::vector<bool> seen(static_cast<std::size_t>(queue_pairs));
      for (const auto& [queue_pair, part] : connection.Post(bytes, 60 * round)) {
        ASSERT_GT(part, 0);
        ASSERT_FALSE(seen.at(queue_pair));
        seen[queue_pair] = true;
        sum += part;
      }
      ASSERT_EQ(sum, bytes);
      total += bytes;
      for (std::uint32_t i = 0; i < connection.state.size(); ++i)
        connection.Sample(i, static_cast<std::int64_t>(1 + random.Below(900)), 2000);
    }
    for (std::uint32_t i = 0; i < connection.state.size(); ++i) total -= connection.state.bytes(i);
    EXPECT_EQ(total, 0);
    EXPECT_EQ(connection.state.has_weights(), queue_pairs > 1);
  }
}

TEST(RequestScheduler, ASavedStateContinuesAlike) {
  for (const char* name : {"round-robin", "stripe", "cast-stripe", "cast-wrr"}) {
    const Settings settings = {
        {"cast.wrr", "1"}, {"requests.stripe_start", "next"}, {"cast.reset_interval", "1ms"}};
    PostedConnection original(name, 5, settings), copy(name, 5, settings);
    original.Weigh({10, 11, 17, 40, 12});
    for (const std::int64_t bytes : {1000, 300, 400'000}) original.Post(bytes, 1010);
    Copy(original.state, &copy.state);
    copy.scheduler.Check(copy.state);
    RandomStream random(1, 2, RandomPurpose::kPlacement);
    for (std::int64_t at = 1020; at < 4000; at += 7) {
      const auto bytes = static_cast<std::int64_t>(1 + random.Below(700'000));
      const auto queue_pair = static_cast<std::uint32_t>(random.Below(5));
      ASSERT_EQ(copy.Post(bytes, at), original.Post(bytes, at)) << name;
      for (PostedConnection* connection : {&original, &copy})
        connection->Sample(queue_pair, at % 29 + 1, at);
      ASSERT_EQ(copy.Weights(), original.Weights()) << name;
    }
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(copy.state.bytes(i), original.state.bytes(i));
  }
}

TEST(RequestScheduler, RefusesAnotherNumberOfQueuePairs) {
  const PostedConnection four("cast-stripe", 4), three("cast-stripe", 3), five("cast-stripe", 5);
  EXPECT_NO_THROW(four.scheduler.Check(four.state));
  EXPECT_THROW(four.scheduler.Check(three.state), UserError);
  EXPECT_THROW(four.scheduler.Check(five.state), UserError);
  EXPECT_THROW(four.scheduler.Check(ConnectionState()), UserError);
}

}  // namespace
}  // namespace heddle::testing
