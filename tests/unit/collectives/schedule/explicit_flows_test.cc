// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/explicit_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/algorithms/chain_schedule.h"
#include "collectives/algorithms/pxn_all_to_all_schedule.h"
#include "collectives/algorithms/ring_schedule.h"
#include "collectives/schedule/explicit_flows_text.h"
#include "core/base/check.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

CollectiveSpec AllReduce(std::int64_t bytes) {
  CollectiveSpec spec;
  spec.bytes = bytes;
  return spec;
}

/// Executes the list by its parents only; counts each (src, dst, channel, chunk, connection).
using Happened =
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Connection>,
             int>;
Happened RunList(const std::vector<SingleFlow>& flows) {
  Happened happened;
  std::vector<std::size_t> missing;
  std::vector<std::uint32_t> ready;
  for (const SingleFlow& flow : flows) {
    missing.push_back(flow.parents.size());
    if (flow.parents.empty()) ready.push_back(flow.id);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const SingleFlow& flow = flows[ready[i]];
    ++happened[{flow.src.value, flow.dst.value, flow.channel, flow.chunk, flow.connection}];
    for (const std::uint32_t child : flow.children) {
      if (--missing[child] == 0) ready.push_back(child);
    }
  }
  return happened;
}

Happened RunSchedule(const Schedule& schedule, const GroupShape& shape) {
  Happened happened;
  std::vector<GroupFlow> ready;
  std::map<std::tuple<Participant, Participant, std::uint32_t, std::uint32_t, Connection>,
           std::uint32_t>
      arrived;
  for (Participant p = 0; p < shape.participants(); ++p) schedule.Begin(p, &ready);
  while (!ready.empty()) {
    const GroupFlow flow = ready.back();
    ready.pop_back();
    ++happened[{shape.node(flow.source).value, shape.node(flow.destination).value, flow.channel,
                flow.chunk, flow.connection}];
    schedule.AfterSent(flow, &ready);
    std::vector<GroupFlow> children;
    schedule.After(flow, &children);
    for (const GroupFlow& child : children) {
      auto& count =
          arrived[{child.source, child.destination, child.channel, child.chunk, child.connection}];
      if (++count == schedule.ParentCount(child)) ready.push_back(child);
    }
  }
  return happened;
}

TEST(ExplicitFlows, RunAsTheScheduleDoes) {
  for (const GroupShape& shape : IrregularShapes()) {
    const RingSchedule ring(AllReduce(1000), shape, true);
    EXPECT_EQ(RunList(MakeExplicitFlows(ring, shape)), RunSchedule(ring, shape));
    const PxnAllToAllSchedule all_to_all(1000, shape);
    EXPECT_EQ(RunList(MakeExplicitFlows(all_to_all, shape)), RunSchedule(all_to_all, shape));
    CollectiveSpec spec = AllReduce(3'000'000);
    spec.operation = Operation::kReduce;
    const ChainSchedule chain(spec, shape, ChunkOptions(), false);
    EXPECT_EQ(RunList(MakeExplicitFlows(chain, shape)), RunSchedule(chain, shape));
  }
}

TEST(ExplicitFlows, ParentsAndChildrenAreEachOthers) {
  const GroupShape shape = OnGpus({8, 9, 17, 18, 19});
  const std::vector<SingleFlow> flows = MakeExplicitFlows(PxnAllToAllSchedule(1000, shape), shape);
  for (const SingleFlow& flow : flows) {
    EXPECT_EQ(&flows[flow.id], &flow);
    for (const std::uint32_t child : flow.children) {
      const SingleFlow& c = flows[child];
      EXPECT_TRUE(std::binary_search(c.parents.begin(), c.parents.end(), flow.id));
      EXPECT_TRUE(std::binary_search(c.prev.begin(), c.prev.end(), flow.src));
      EXPECT_EQ(c.src, flow.dst);
    }
  }
}

TEST(ExplicitFlows, AreNotMadeIfThereAreTooMany) {
  const GroupShape shape(1920, 8);
  try {
    MakeExplicitFlows(RingSchedule(AllReduce(1 << 30), shape, false), shape);
    FAIL() << "58,951,680 flows were written out";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("58951680"), std::string::npos) << error.what();
  }
}

/// Two ranks: each sends a half, then forwards the sum that it received.
TEST(ExplicitFlows, AsText) {
  const GroupShape shape = OnGpus({3, 8});
  const std::vector<SingleFlow> flows =
      MakeExplicitFlows(RingSchedule(AllReduce(100), shape, false), shape);
  EXPECT_EQ(
      FlowsAsCsv(flows),
      "flow_id,src,dst,flow_size_bytes,prev,parents,children,channel,chunk,chunk_count,connection\n"
      "0,3,8,50,,,3,0,0,2,RING\n"
      "1,8,3,50,,,2,0,0,2,RING\n"
      "2,3,8,50,8,1,,0,1,2,RING\n"
      "3,8,3,50,3,0,,0,1,2,RING\n");
  EXPECT_EQ(FlowsAsTable(flows),
            "flow  channel  chunk  chunks  connection  src  dst  bytes  prev  parents  children\n"
            "   0        0      0       2        RING    3    8     50     -        -  3\n"
            "   1        0      0       2        RING    8    3     50     -        -  2\n"
            "   2        0      1       2        RING    3    8     50     8        1  -\n"
            "   3        0      1       2        RING    8    3     50     3        0  -\n");
  EXPECT_EQ(
      FlowsAsDot(flows),
      "digraph collective {\n  node [shape=box];\n  subgraph cluster_0 {\n    label=\"channel "
      "0\";\n"
      "    f0 [label=\"0: 3 -> 8\\nRING 0, 50 B\"];\n    f1 [label=\"1: 8 -> 3\\nRING 0, 50 B\"];\n"
      "    f2 [label=\"2: 3 -> 8\\nRING 1, 50 B\"];\n    f3 [label=\"3: 8 -> 3\\nRING 1, 50 "
      "B\"];\n  }\n"
      "  f0 -> f3;\n  f1 -> f2;\n}\n");
}

TEST(ExplicitFlows, OfNothingAreText) {
  EXPECT_EQ(FlowsAsDot({}), "digraph collective {\n  node [shape=box];\n}\n");
  EXPECT_EQ(FlowsAsCsv({}),
            "flow_id,src,dst,flow_size_bytes,prev,parents,children,channel,chunk,chunk_count,"
            "connection\n");
}

}  // namespace
}  // namespace heddle
