// SPDX-License-Identifier: GPL-2.0-only
/// Root causes of pauses: each names the congested port at the end of its chain, and totals of
/// pauses agree.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

TransportOptions RootCauseSmallBuffer() {
  TransportOptions options = Unlimited();
  options.buffer.buffer_mib = 1;
  options.monitors.pfc = true;
  return options;
}

TEST(RootCause, AChainIsFollowedToItsBegin) {
  // GPU 0 - 2 - 3 - 4 - 5 - GPU 1, the last cable slow: all pauses begin at port 1 of switch 5.
  // Seen from there, the port of switch 4 is paused by it directly (0), that of switch 3 over one
  // switch, .., GPU 0 over three.
  TransportOptions options = RootCauseSmallBuffer();
  options.buffer.resume_offset = 50'000;
  const Observed outcome =
      Simulate(Row({{100}, {100}, {100}, {100}, {10}}), {Flow(0, 1, 150 * 9000)}, options);
  const std::map<std::uint32_t, int> depth_of = {{4, 0}, {3, 1}, {2, 2}, {0, 3}};
  std::map<std::uint32_t, int> pauses;
  for (const PauseRow& row : PauseRows(outcome)) {
    if (row.pause == 0) continue;
    ++pauses[row.node];
    EXPECT_EQ(row.root_node, 5U) << row.node;
    EXPECT_EQ(row.root_port, 1U) << row.node;
    ASSERT_TRUE(depth_of.count(row.node) == 1) << row.node;
    EXPECT_EQ(row.depth, depth_of.at(row.node)) << row.node;
  }
  EXPECT_EQ(pauses.size(), 4U);
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.pause_causes, "node"), std::vector<std::uint32_t>{5});
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.pause_causes, "port"), std::vector<std::uint32_t>{1});
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.pause_causes, "longest_chain"),
            std::vector<std::uint32_t>{3});
}

/// GPUs 0 and 1 - switch 4 - switch 5 - GPU 2 (25 Gbps); GPU 3 (10 Gbps) is attached to switch 4:
/// two points of congestion.
Graph TwoRoots() {
  Graph graph(4, 0, 2, 1, "X");
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::int64_t gbps) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{gbps * kG}, PicoSeconds(kMicro), 0});
  };
  add(0, 4, 100);
  add(1, 4, 100);
  add(4, 5, 100);
  add(5, 2, 25);
  add(3, 4, 10);
  return graph;
}

TEST(RootCause, TwoCongestedPortsAreToldApart) {
  // GPU 0 sends to GPU 2 (root: switch 5 port 1, over switch 4), GPU 1 to GPU 3 (root: switch 4
  // port 3).
  const Observed outcome = Simulate(TwoRoots(), {Flow(0, 2, 200 * 9000), Flow(1, 3, 200 * 9000)},
                                    RootCauseSmallBuffer());
  int to_0 = 0, to_1 = 0;
  for (const PauseRow& row : PauseRows(outcome)) {
    if (row.pause == 0) continue;
    if (row.node == 0) {
      ++to_0;
      EXPECT_EQ(row.root_node, 5U);
      EXPECT_EQ(row.root_port, 1U);
      EXPECT_EQ(row.depth, 1);
    } else if (row.node == 1) {
      ++to_1;
      EXPECT_EQ(row.root_node, 4U);
      EXPECT_EQ(row.root_port, 3U);
      EXPECT_EQ(row.depth, 0);
    }
  }
  EXPECT_GT(to_0, 0);
  EXPECT_GT(to_1, 0);
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.pause_causes, "node").size(), 2U);
}

TEST(RootCause, TheCausesAddUpToThePauses) {
  const Observed outcome = Simulate(TwoRoots(), {Flow(0, 2, 200 * 9000), Flow(1, 3, 200 * 9000)},
                                    RootCauseSmallBuffer());
  ASSERT_TRUE(AllFinished(outcome));
  const auto& paused = GetColumn<std::int64_t>(outcome.pause_causes, "paused_ps");
  EXPECT_EQ(Sum(paused), Sum(GetColumn<std::int64_t>(outcome.ports, "paused_ps")));
  EXPECT_EQ(Sum(GetColumn<std::int64_t>(outcome.pause_causes, "pauses")), outcome.books.pauses);
  EXPECT_EQ(Sum(GetColumn<std::int64_t>(outcome.ports, "pauses")), outcome.books.pauses);
  EXPECT_TRUE(std::is_sorted(paused.rbegin(), paused.rend())) << "the worst first";
}

}  // namespace
}  // namespace heddle::testing
