// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/request_input.h"

#include <gtest/gtest.h>

#include "core/app/run/arguments/serving_arguments.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

std::vector<std::int64_t> Spread(const std::vector<std::int64_t>& times) {
  ServingRequests requests;
  for (const std::int64_t time : times) requests.push_back({Time{time}, 1, 1});
  SpreadTicks(&requests);
  std::vector<std::int64_t> spread;
  for (const ServingRequest& request : requests) spread.push_back(request.arrival.ps);
  return spread;
}

using Times = std::vector<std::int64_t>;

TEST(RequestInput, TicksAreSpread) {
  EXPECT_EQ(Spread({0, 0, 0, 30, 60, 60}), (Times{0, 10, 20, 30, 60, 75}));
  EXPECT_EQ(Spread({5, 5}), (Times{5, 5}));  // nothing says how long a tick is
  EXPECT_EQ(Spread({}), Times{});
}

TEST(RequestInput, ServiceLevels) {
  const ServiceLevel level = ParseServiceLevel("ttft=2s,tpot=50ms");
  EXPECT_EQ(*level.ttft, MicroSeconds(2'000'000));
  EXPECT_EQ(*level.tpot, MicroSeconds(50'000));
  EXPECT_FALSE(level.e2el.has_value());
  EXPECT_FALSE(ParseServiceLevel("").any());
  for (const char* text : {"ttft", "ttft=2s,ttft=1s", "itl=1s", "ttft=2"})
    MessageOf([&] { ParseServiceLevel(text); }, ExitCode::kUsage);
}

}  // namespace
}  // namespace heddle
