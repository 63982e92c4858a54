// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/open_flows.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// GPUs on one switch at 8 Gbps: a byte takes a nanosecond.
Graph Star(std::uint32_t gpus) {
  Graph graph(gpus, 0, 1, 1, "X");
  for (std::uint32_t i = 0; i < gpus; ++i)
    graph.AddLink({NodeId(i), NodeId(gpus), BitRate{8'000'000'000}, NanoSeconds(500), 0});
  return graph;
}

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t start_ns, std::int64_t bytes) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.start = NanoSeconds(start_ns);
  flow.size = Bytes{bytes};
  return flow;
}

using Most = std::vector<std::uint32_t>;

TEST(OpenFlows, OneAfterTheOther) {
  EXPECT_EQ(
      MostOpenFlows(Star(2), {Flow(0, 1, 0, 1000), Flow(0, 1, 1001, 1000), Flow(0, 1, 5000, 1000)}),
      Most({1, 0}));
}

TEST(OpenFlows, TogetherAndInAnyOrderOfTheInput) {
  EXPECT_EQ(
      MostOpenFlows(Star(2), {Flow(0, 1, 900, 1000), Flow(0, 1, 1, 1000), Flow(0, 1, 1100, 1000)}),
      Most({2, 0}));
}

TEST(OpenFlows, TheReceiverIsTheBottleneck) {
  // Three into one: the last flow of GPU 2 is under way until 3000, long after its next one has
  // begun.
  EXPECT_EQ(MostOpenFlows(Star(4), {Flow(0, 3, 0, 1000), Flow(1, 3, 0, 1000), Flow(2, 3, 0, 1000),
                                    Flow(2, 3, 2500, 1000)}),
            Most({1, 1, 2, 0}));
}

TEST(OpenFlows, NoneAndGpusWithoutLinks) {
  EXPECT_EQ(MostOpenFlows(Graph(2, 0, 0, 1, "X"), {}), Most({0, 0}));
}

}  // namespace
}  // namespace heddle
