// SPDX-License-Identifier: GPL-2.0-only
/// Saved connections, whole and damaged.
#include "transport/model/requests/connection_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/transport/model/requests/copied.h"
#include "transport/model/requests/request_scheduler.h"

namespace heddle::testing {
namespace {

// Where things are saved: a count of 8 bytes and the rows, then the two turns and two times.
constexpr std::size_t kRow = 56;
constexpr std::size_t kEstimate = 8, kMinimum = 16, kSum = 24, kCount = 32, kWeight = 40,
                      kBytes = 48, kTokens = 56, kAllowed = 60;
constexpr std::size_t kTurns = 8 + 2 * kRow;

/// Two queue pairs with weights and tokens; each has posted and been measured.
ConnectionState Weighed() {
  RequestOptions options;
  options.scheduler = "cast-stripe";
  options.wrr = true;
  const RequestScheduler scheduler(options, 2);
  ConnectionState state = scheduler.NewConnection();
  std::vector<RequestScheduler::Share> shares;
  for (int us = 1; us <= 601; us += 100) {
    scheduler.Post(&state, us % 200 == 1 ? 1000 : 200'000, MicroSeconds(us), &shares);
    for (const auto& share : shares) {
      scheduler.Completed(&state,
                          {share, MicroSeconds(us), MicroSeconds(us + 20 * (1 + share.queue_pair)),
                           BitRate{400'000'000'000}, Time{0}});
    }
  }
  return state;
}

TEST(ConnectionState, StartsWithoutKnowledge) {
  const ConnectionState state(3);
  EXPECT_EQ(state.size(), 3U);
  EXPECT_FALSE(state.has_weights());
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(state.weight(i), 0);
    EXPECT_EQ(state.estimate(i), Time{0});
    EXPECT_EQ(state.bytes(i), 0);
  }
  EXPECT_EQ(state.memory(), 3 * sizeof(PairState));
  EXPECT_EQ(ConnectionState().memory(), 0U);
}

TEST(ConnectionState, IsSavedWhole) {
  const ConnectionState state = Weighed();
  ASSERT_TRUE(state.has_weights());
  StateWriter first, second;
  first << state;
  ASSERT_EQ(first.bytes().size(), kTurns + 8 + 16);
  ConnectionState copy;
  Copy(state, &copy);
  second << copy;
  EXPECT_EQ(first.bytes(), second.bytes());
  ConnectionState empty(2);
  Copy(ConnectionState(), &empty);
  EXPECT_EQ(empty.size(), 0U);
}

TEST(ConnectionState, RefusesTurnsOfNoQueuePair) {
  const ConnectionState state = Weighed();
  for (const std::size_t at : {kTurns, kTurns + 4}) {
    EXPECT_NE(RefusedWith(state, at, std::uint32_t{2}), "");
    EXPECT_EQ(RefusedWith(state, at, std::uint32_t{1}), "");
  }
  for (const std::size_t at : {kTurns + 8, kTurns + 16})
    EXPECT_NE(RefusedWith(state, at, std::int64_t{-1}), "");
}

TEST(ConnectionState, RefusesImpossibleNumbers) {
  const ConnectionState state = Weighed();
  const double not_a_number = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < 2; ++row) {
    const auto refuses = [&](std::size_t at, auto value) {
      return !RefusedWith(state, at + row * kRow, value).empty();
    };
    for (const double bad : {not_a_number, infinite, -1.0, 0.5, 1e300}) {
      EXPECT_TRUE(refuses(kEstimate, bad)) << bad;
      EXPECT_TRUE(refuses(kMinimum, bad)) << bad;
    }
    for (const double bad : {not_a_number, infinite, -1.0, 1e300}) {
      EXPECT_TRUE(refuses(kSum, bad)) << bad;
      EXPECT_TRUE(refuses(kWeight, bad)) << bad;
    }
    EXPECT_TRUE(refuses(kEstimate, 0.0));  // with a minimum
    EXPECT_TRUE(refuses(kMinimum, 0.0));   // with an estimate
    EXPECT_TRUE(refuses(kCount, std::int64_t{-1}));
    EXPECT_TRUE(refuses(kCount, std::int64_t{0}));  // with a sum
    EXPECT_TRUE(refuses(kWeight, 0.0));             // with tokens
    EXPECT_TRUE(refuses(kAllowed, 0U));             // with a weight
    EXPECT_TRUE(refuses(kAllowed, ~0U));
    EXPECT_TRUE(refuses(kTokens, ~0U));
    EXPECT_TRUE(refuses(kBytes, std::int64_t{-1}));
    EXPECT_TRUE(refuses(kBytes, std::numeric_limits<std::int64_t>::max()));
    EXPECT_FALSE(refuses(kEstimate, 5e6));
    EXPECT_FALSE(refuses(kTokens, 3U));
    EXPECT_FALSE(refuses(kWeight, 1.0));
  }
}

/// One queue pair with a weight, the other without one.
TEST(ConnectionState, RefusesWeightsOfSome) {
  StateWriter writer;
  writer << Weighed();
  std::vector<char> bytes = writer.bytes();
  std::memset(bytes.data() + kWeight, 0, 8);
  std::memset(bytes.data() + kAllowed, 0, 4);
  ConnectionState state;
  StateReader reader(bytes);
  EXPECT_THROW(reader >> state, UserError);
}

}  // namespace
}  // namespace heddle::testing
