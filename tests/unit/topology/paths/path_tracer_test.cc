// SPDX-License-Identifier: GPL-2.0-only
/// Paths compared with those of SimAI, and with the central controller's demonstration.
#include "topology/paths/path_tracer.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/test_data.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

std::string PathText(const Graph& graph, const std::vector<Hop>& path) {
  std::string text;
  for (const NodeId node : NodesEntered(graph, path)) {
    text += (text.empty() ? "" : " ") + std::to_string(node.value);
  }
  return text;
}

class SimaiPaths : public ::testing::TestWithParam<const char*> {};

TEST_P(SimaiPaths, AreTakenForDataAndAcks) {
  const Graph graph = ReadCase(GetParam());
  const Routes routes(graph);
  int flows = 0;
  for (const std::string& line : ReadLines(CasePath(GetParam(), "paths.txt"))) {
    std::istringstream in(line);
    std::uint32_t number, source, destination;
    std::uint16_t source_port, destination_port;
    if (line.rfind("# next-hop", 0) == 0) {
      break;
    }
    if (line.empty() || line[0] == '#' ||
        !(in >> number >> source >> destination >> source_port >> destination_port)) {
      continue;
    }
    const NodeId from(source), to(destination);
    const auto data = TracePath(graph, routes, from, to, source_port, destination_port);
    const auto ack = TracePath(graph, routes, to, from, destination_port, source_port);
    const std::string tail = "| " + PathText(graph, data) + " | " + PathText(graph, ack);
    const std::string expected = line.substr(line.find('|'));
    EXPECT_EQ(tail, expected.substr(0, expected.find_last_not_of(' ') + 1)) << line;
    ++flows;
  }
  EXPECT_GT(flows, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, SimaiPaths,
                         ::testing::Values("f_dcn64_mixed_cc1", "f_hpndp64_rail_cc1",
                                           "f_loss_one40MB_cc1", "f_sx128_rail_cc1"));

/// The spine that a flow of GPU i of server 0 to GPU i of server 1 crosses.
std::uint32_t Spine(const Graph& graph, const Routes& routes, std::uint32_t i, std::uint16_t port) {
  const auto path = TracePath(graph, routes, NodeId(i), NodeId(i + 8), port, 100);
  return NodesEntered(graph, path).at(1).value;
}

TEST(PathTracer, ControllerDemonstration) {
  LeafSpineOptions options;
  options.gpus = 16;
  options.gpu_type = "A100";
  options.bandwidth = options.leaf_spine_bandwidth = "100Gbps";
  options.nvlink_bandwidth = "2400Gbps";
  options.nics_per_leaf = 8;
  options.spine_switches = 8;
  options.leaves_per_spine = 2;
  const Graph graph = Generate("DCN-SingleToR", options);
  const Routes routes(graph);
  const std::uint16_t chosen[] = {1, 1, 1, 1, 2, 4, 2, 1};
  const std::uint32_t with[] = {27, 20, 23, 24, 25, 22, 21, 26};
  const std::uint32_t without[] = {25, 26, 24, 20, 24, 21, 21, 23};
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(Spine(graph, routes, i, chosen[i]), with[i]) << "flow " << i;
    EXPECT_EQ(Spine(graph, routes, i, 10000), without[i]) << "flow " << i;
  }
}

TEST(PathTracer, NoWayIsAnError) {
  Graph graph(2, 0, 2, 1, "X");
  Connect(&graph, 0, 2);
  Connect(&graph, 1, 3);
  EXPECT_THROW(TracePath(graph, Routes(graph), NodeId(0), NodeId(1), 1, 2), UserError);
}

TEST(PathTracer, StartsWithTheSourcesPort) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");
  const auto path = TracePath(graph, Routes(graph), NodeId(0), NodeId(8), 10000, 100);
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path[0].node, NodeId(0));
  EXPECT_EQ(path[0].port, PortId(1));  // port 0 is NVLink
  EXPECT_EQ(path[1].node, NodeId(72));
}

}  // namespace
}  // namespace heddle
