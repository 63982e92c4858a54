// SPDX-License-Identifier: GPL-2.0-only
/// Ties are the cause of differences of nanoseconds without randomness: with the cables of the same
/// fabric in other orders, a flow's completion time either never changes and equals SimAI's, or
/// SimAI's is within its range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/validation/comparison.h"
#include "tests/validation/recabled.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kOrders = 100;

struct Range {
  std::int64_t least = 0, most = 0;
  bool moves() const { return least < most; }
  bool holds(std::int64_t value) const { return least <= value && value <= most; }
};

/// Completion times of every flow over all orders, truncated as SimAI's [ns].
std::map<FlowName, Range> Ranges(const std::string& name) {
  SimaiCase c(name);
  c.options.truncate_ns = true;
  std::map<FlowName, Range> ranges;
  for (std::uint32_t order = 0; order < kOrders; ++order) {
    const Graph graph = Recabled(name, order);
    for (const auto& [flow, answer] : AnswersOf(Simulation(graph, c.flows, c.options).flows)) {
      const std::int64_t ns = answer.fct / 1000;
      Range& range = ranges.try_emplace(flow, Range{ns, ns}).first->second;
      range.least = std::min(range.least, ns);
      range.most = std::max(range.most, ns);
    }
  }
  return ranges;
}

class SimaiTies : public ::testing::TestWithParam<const char*> {};

TEST_P(SimaiTies, OnlyWhatTiesDecideDiffers) {
  const std::map<FlowName, Range> ranges = Ranges(GetParam());
  const Answers simai = ReadFct(GetParam());
  ASSERT_EQ(ranges.size(), simai.size());
  std::size_t moving = 0;
  for (const auto& [flow, range] : ranges) {
    EXPECT_TRUE(range.holds(simai.at(flow).fct_ns))
        << Text(flow) << ": SimAI " << simai.at(flow).fct_ns << " ns, heddle " << range.least
        << " to " << range.most;
    moving += range.moves() ? 1 : 0;
  }
  EXPECT_GT(moving, 0u) << "then the case has no ties and belongs to those that are equal";
  std::printf(
      "%s: over %u orders of the cables %zu of %zu flows change, the others equal SimAI's to the "
      "nanosecond\n",
      GetParam(), kOrders, moving, ranges.size());
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiTies,
                         ::testing::Values("f_burst8_4MB_cc1_det", "f_dcn64_mixed_cc1"),
                         [](const auto& made) { return std::string(made.param); });

/// Sixteen senders start together, and their packets meet at every relevant nanosecond. Ties decide
/// which of them PFC pauses first, and no order of ports equals insertion order; but the last flow
/// ends when the link has carried everything.
TEST(SimaiTiesOfIncast, LastFlowEndsAtTheSameNanosecondInAnyOrder) {
  const char* name = "f_pfc_incast16_bs2_fixed";
  SimaiCase c(name);
  c.options.truncate_ns = true;
  const Answers simai = ReadFct(name);
  std::int64_t slowest = 0;
  for (const auto& [flow, times] : simai) slowest = std::max(slowest, times.fct_ns);
  for (std::uint32_t order = 0; order < 10; ++order) {
    const Graph graph = Recabled(name, order);
    std::int64_t own = 0;
    for (const auto& [flow, answer] : AnswersOf(Simulation(graph, c.flows, c.options).flows))
      own = std::max(own, answer.fct);
    EXPECT_EQ(own, slowest * 1000) << "order " << order << " [ps]";
  }
}

}  // namespace
}  // namespace heddle::testing
