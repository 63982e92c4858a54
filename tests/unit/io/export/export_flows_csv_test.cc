// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_flows_csv.h"

#include <sstream>

#include "io/collisions/flow_paths.h"
#include "io/collisions/spine_load.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/controller_tables.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

std::string Text(const FlowTables& tables, std::size_t unfinished = 0) {
  std::ostringstream out;
  const Graph graph = TwoLeaves();
  EXPECT_EQ(ExportFlowsCsv(graph, Routes(graph), tables, out), unfinished);
  return out.str();
}

const std::string kHeader =
    "flow_id,src_gpu,dst_gpu,sport,spine_switch,fct_ns,slowdown,cc_assigned,hops\n";

TEST(ExportFlowsCsv, ControllersPortsAndPaths) {
  const Table flows = FlowTable({{0, 2, 10000, 0, 1500, 0},  // moved: its last port is 7
                                 {0, 1, 10000, 0, 2000},     // within the server
                                 {1, 3, 10000, 0, -1, 1},    // not finished
                                 {2, 0, 10000, 0, 1000, 0},  // no free path: the host's own port
                                 {3, 1, 9, 0, 4000, 0, 10, 3000}});
  const Table requests = Requests({{0, 2, 0},
                                   {1, 3, 1},
                                   {2, 0, 0, ControllerOutcome::kHostsOwnPort, 0},
                                   {3, 1, 0, ControllerOutcome::kLeastLoaded, 9},
                                   {0, 2, 0, ControllerOutcome::kFreePath, 7}});
  // Here the path of GPU 2's own port is reserved too, so that the test does not depend on the
  // hash.
  const Table paths = PathHops({{0, 6, 2},
                                {0, 8, 1},
                                {0, 7, 0},
                                {2, 7, 2},
                                {2, 8, 0},
                                {2, 6, 0},
                                {3, 7, 3},
                                {3, 9, 0},
                                {3, 6, 1},
                                {4, 6, 3},
                                {4, 9, 1},
                                {4, 7, 0}});
  EXPECT_EQ(Text({&flows, &requests, &paths}, 1), kHeader +
                                                      "0,0,2,7,9,1500,1.5000,1,3\n"
                                                      "1,0,1,10000,-1,2000,2.0000,0,1\n"
                                                      "3,2,0,10000,8,1000,1.0000,0,3\n"
                                                      "4,3,1,9,9,4000,1.3333,1,3\n");
}

TEST(ExportFlowsCsv, WithoutControllerPathsAreTraced) {
  const Graph graph = TwoLeaves();
  const Table flows = FlowTable({{0, 2, 10000, 0, 1500, kNoRow, 10, 0}}, false);
  const NodeId spine = TracePath(graph, Routes(graph), NodeId(0), NodeId(2), 10000, 100)[2].node;
  EXPECT_EQ(Text({&flows}),
            kHeader + "0,0,2,10000," + std::to_string(spine.value) + ",1500,,0,3\n");
}

TEST(ExportFlowsCsv, SprayedFlowsHaveNoSpine) {
  const Table flows = FlowTable({{0, 2, 10000, 0, 1500, kNoRow, 10, 0}}, false);
  EXPECT_EQ(Text({&flows, nullptr, nullptr, true}), kHeader + "0,0,2,10000,-1,1500,,0,3\n");
}

TEST(ExportFlowsCsv, WhatDoesNotFitTheGraphIsRefused) {
  const Table flows = FlowTable({{0, 99, 10000}});
  EXPECT_NE(
      MessageOf([&] { Text({&flows}); }).find("table flows: node 99 in column dst. Expected: "),
      std::string::npos);
  const Table good = FlowTable({{0, 2, 1, 0, 10, 0}});
  const Table requests = Requests({{0, 2, 0}});
  const Table paths = PathHops({{0, 6, 4}});
  EXPECT_NE(MessageOf([&] {
              Text({&good, &requests, &paths});
            }).find("table controller/paths: port 4 of node 6 in row 0"),
            std::string::npos);
}

TEST(FlowPaths, TracedHopsAreThoseOfPathTracerWithoutTheNic) {
  const Graph graph = TwoLeaves();
  const Routes routes(graph);
  const HopNumbers numbers(graph);
  EXPECT_EQ(numbers.count(), 2 * graph.links().size());
  std::vector<FlowFigures> list;
  for (std::uint16_t port = 0; port < 100; ++port)
    list.push_back({port % 4u, (port % 4u + 1 + port % 3u) % 4u, port});
  const Table flows = FlowTable(list);
  const FlowPathSource source(graph, flows, nullptr, nullptr);
  const PortLists lists = source.Trace(routes, numbers);
  ASSERT_EQ(lists.size(), list.size());
  for (std::size_t flow = 0; flow < list.size(); ++flow) {
    const auto path = TracePath(graph, routes, NodeId(list[flow].src), NodeId(list[flow].dst),
                                list[flow].source_port, 100);
    ASSERT_EQ(lists[flow].size() + 1, path.size());
    for (std::size_t i = 1; i < path.size(); ++i) {
      EXPECT_EQ(numbers.At(lists[flow][i - 1]).node, path[i].node);
      EXPECT_EQ(numbers.At(lists[flow][i - 1]).port, path[i].port);
    }
  }
}

TEST(FlowPaths, HostsCountFrom10000APair) {
  std::vector<FlowFigures> list = {{0, 1, 1}, {0, 2, 1}, {0, 1, 1}, {1, 0, 1}};
  EXPECT_EQ(HostsOwnPorts(FlowTable(list)),
            (std::vector<std::uint16_t>{10000, 10000, 10001, 10000}));
  list.assign(65'536 - 10'000 + 2, {0, 1, 1});
  const std::vector<std::uint16_t> ports = HostsOwnPorts(FlowTable(list));
  EXPECT_EQ(ports[55'535], 65'535);
  EXPECT_EQ(ports[55'536], 0);
  EXPECT_EQ(ports.back(), 1);
}

TEST(SpineLoad, CountsFlowsAndBytesOfAllSpines) {
  const Graph graph = TwoLeaves();
  const HopNumbers numbers(graph);
  PortLists paths;
  for (int flow = 0; flow < 3; ++flow) {
    for (const Hop hop :
         {Hop{NodeId(6), PortId(3)}, Hop{NodeId(9), PortId(1)}, Hop{NodeId(7), PortId(0)}}) {
      if (flow < 2) paths.Push(numbers.Of(hop.node, hop.port));
    }
    if (flow == 2) paths.Push(numbers.Of(NodeId(4), PortId(1)));  // by NVSwitch
    paths.EndFlow();
  }
  const auto tiers =
      LoadOfSpines(graph, FlowTable({{0, 2, 1}, {1, 2, 1}, {0, 1, 1}}), numbers, paths);
  ASSERT_EQ(tiers.size(), 1u);
  EXPECT_EQ(tiers[0].tier, 3u);
  ASSERT_EQ(tiers[0].spines.size(), 2u);
  EXPECT_EQ(tiers[0].spines[0].flows, 0u);
  EXPECT_EQ(tiers[0].spines[1].spine, NodeId(9));
  EXPECT_EQ(tiers[0].spines[1].flows, 2u);
  EXPECT_EQ(tiers[0].spines[1].bytes, 2'000'000);
}

}  // namespace
}  // namespace heddle
