// SPDX-License-Identifier: GPL-2.0-only
/// The end of an Ultra Ethernet flow whose packets overtake each other.
#include <gtest/gtest.h>

#include "core/options/options.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// GPUs 0 and 1, each with a leaf (2, 3), and two spines between (4, 5), of which the second is 3
/// us further away. All links 100 Gbps.
Graph TwoWays() {
  Graph graph(2, 0, 4, 1, "X");
  const auto link = [&](std::uint32_t a, std::uint32_t b, std::int64_t delay) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(delay), 0});
  };
  link(0, 2, kMicro);
  link(1, 3, kMicro);
  for (std::uint32_t leaf = 2; leaf < 4; ++leaf) {
    link(leaf, 4, kMicro);
    link(leaf, 5, leaf == 2 ? 4 * kMicro : kMicro);
  }
  return graph;
}

TEST(UecLastAck, EndsAFlowWhoseLastPacketOvertookAnother) {
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  keys.SetAll({"transport.protocol=uec", "entropy.scheme=flow", "balance.ports=round-robin"});
  std::int64_t overtaken = 0;
  for (std::int64_t packets = 2; packets < 9; ++packets) {
    const Observed run = Simulate(TwoWays(), {Flow(0, 1, 4086 * packets)}, options);
    EXPECT_TRUE(AllFinished(run));
    EXPECT_EQ(run.books.timeouts, 0) << packets;
    EXPECT_EQ(run.books.resent_bytes, 0) << packets;
    overtaken += run.books.out_of_order;
  }
  EXPECT_GT(overtaken, 3);
}

}  // namespace
}  // namespace heddle::testing
