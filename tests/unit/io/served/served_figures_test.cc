// SPDX-License-Identifier: GPL-2.0-only
#include "io/served/served_figures.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using Times = std::vector<std::int64_t>;

/// Two finished requests and a rejected one; seconds are 10^12 ps.
Table ThreeRequests(const std::vector<std::string>& levels) {
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  Table table{"serving/requests", "", {}};
  table.columns.push_back(
      {"state", "1", "", std::vector<std::string>{"finished", "finished", "rejected"}});
  table.columns.push_back({"output_tokens", "1", "", std::vector<std::uint32_t>{3, 1, 5}});
  table.columns.push_back({"arrival_ps", "ps", "", Times{kSecond, 2 * kSecond, 3 * kSecond}});
  table.columns.push_back({"first_token_ps", "ps", "", Times{2 * kSecond, 5 * kSecond, -1}});
  table.columns.push_back({"last_token_ps", "ps", "", Times{4 * kSecond, 5 * kSecond, -1}});
  if (!levels.empty()) table.columns.push_back({"slo", "1", "", levels});
  return table;
}

TEST(ServedFigures, OfFinishedRequests) {
  const ServedFigures figures = FiguresOfServed(ThreeRequests({"kept", "missed", "missed"}));
  EXPECT_EQ(figures.requests, 3);
  EXPECT_EQ(figures.finished, 2);
  EXPECT_DOUBLE_EQ(*figures.ttft_p50, 2e12);  // of 1 and 3 s
  EXPECT_DOUBLE_EQ(*figures.tpot_p99, 1e12);  // of the one with several tokens
  EXPECT_DOUBLE_EQ(*figures.kept, 1.0 / 3);   // rejected ones count against it
  EXPECT_DOUBLE_EQ(*figures.goodput, 0.25);   // in 4 s
}

TEST(ServedFigures, WithoutLimits) {
  EXPECT_FALSE(FiguresOfServed(ThreeRequests({"none", "none", "none"})).kept.has_value());
  EXPECT_FALSE(FiguresOfServed(ThreeRequests({})).kept.has_value());  // of a version before 3.14
}

}  // namespace
}  // namespace heddle
