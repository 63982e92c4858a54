// SPDX-License-Identifier: GPL-2.0-only
/// What a fabric says of flows that it cannot carry.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/message_of.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {
namespace {

FlowRequest Flow(std::uint32_t from, std::uint32_t to) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{1000};
  return flow;
}

/// In a fabric of two parts: GPUs 0 and 1 at switch 4, GPU 2 at NVSwitch 3.
std::string RefusalOf(const std::vector<FlowRequest>& requests, std::int64_t queue_pairs) {
  Graph graph(3, 1, 1, 3, "H100");
  for (const auto& [a, b] : {std::pair(0U, 4U), {1U, 4U}, {2U, 3U}}) {
    graph.AddLink({NodeId(a), NodeId(b), {100'000'000'000}, NanoSeconds(500), 0});
  }
  const std::vector<NodeId> nodes = {NodeId(0), NodeId(1), NodeId(2), NodeId(3), NodeId(4)};
  TransportOptions options;
  options.nic.qps_per_connection = queue_pairs;
  const Fabric fabric(graph, options,
                      {std::vector<DomainId>(nodes.size(), DomainId(0)), {nodes}, {RankId(0)}},
                      RankId(0), 1);
  return MessageOf([&] { fabric.CheckFlows(requests); });
}

TEST(Fabric, RefusalsNameTheFlowOfTheInput) {
  std::vector<FlowRequest> requests = {Flow(0, 1), Flow(0, 1), Flow(1, 3)};
  EXPECT_EQ(RefusalOf(requests, 4),
            "flow 3 of the input, from GPU 1 to NVSwitch 3: the topology has no path between them");
  std::swap(requests[2].source, requests[2].destination);
  EXPECT_EQ(RefusalOf(requests, 1),
            "flow 3 of the input, from NVSwitch 3 to GPU 1: the topology has no path between them");
  requests[1].size = Bytes{4 * kMaxFlowBytes + 1};
  EXPECT_EQ(RefusalOf(requests, 1),
            "flow 2 of the input has 4398046248961 bytes; at most 1099511562240 can be sent on one "
            "queue pair");
  EXPECT_EQ(
      RefusalOf(requests, 4),
      "flow 2 of the input has 4398046248961 bytes, 1099511562241 on each queue pair; at most "
      "1099511562240 can be sent on one queue pair");
}

}  // namespace
}  // namespace heddle
