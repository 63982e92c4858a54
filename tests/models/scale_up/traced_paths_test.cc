// SPDX-License-Identifier: GPL-2.0-only
// Paths of flows over dimensions as analyses of results trace them: by port, they add up to the
// bytes that the port sent.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/options/enum_words.h"
#include "io/collisions/flow_paths.h"
#include "io/result/dimension_table.h"
#include "io/result/graph_table.h"
#include "tests/support/results.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

/// Messages as single packets, so that a port's bytes are those of its messages.
NetworkDimension Whole(NetworkDimension dimension) {
  dimension.level.packet_bytes = ScaleUpLevel::kWholeMessages;
  dimension.level.padded = false;
  dimension.level.buffer_flits = 0;
  return dimension;
}

/// As a result has it: links, and dimensions beside them.
Graph AsRead(const Graph& graph) {
  Graph read = GraphFromTables(ShapeTable(graph), LinkTable(graph));
  SetDimensions(DimensionTable(*graph.scale_up()), &read);
  return read;
}

using BytesByPort = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

BytesByPort Traced(const Graph& graph, const Table& flows, const std::string& phases) {
  const FlowLanes lanes(graph, AttributeMap({{"option phases.collectives", phases}}));
  const FlowPathSource source(graph, flows, nullptr, nullptr, &lanes);
  const HopNumbers numbers(graph);
  std::vector<HopIndex> own;
  const PortLists paths = source.Trace(Routes(graph), numbers, &own);
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  BytesByPort bytes;
  const auto add = [&](HopIndex hop, std::size_t row) {
    const Hop at = numbers.At(hop);
    bytes[{at.node.value, at.port.value}] += size[row];
  };
  for (std::size_t row = 0; row < size.size(); ++row) {
    add(own[row], row);
    for (const HopIndex hop : paths[row]) add(hop, row);
  }
  return bytes;
}

BytesByPort Sent(const Table& ports) {
  const auto& node = GetColumn<std::uint32_t>(ports, "node");
  const auto& port = GetColumn<std::uint32_t>(ports, "port");
  const auto& bytes = GetColumn<std::int64_t>(ports, "sent_bytes");
  BytesByPort sent;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (bytes[i] > 0) sent[{node[i], port[i]}] = bytes[i];
  }
  return sent;
}

TEST(TracedPaths, AddUpToWhatEachPortSent) {
  NetworkDimension one_queue = Whole(Loop(5, 1, 1));
  one_queue.one_queue = true;
  const std::vector<std::vector<NetworkDimension>> fabrics = {
      {Whole(Loop(4, 2, 1)), Whole(Loop(3, 1, 2))},
      {Whole(Mesh(3, 2)), Whole(Loop(4, 2))},
      {Whole(Switched(4, 2)), Whole(Mesh(3))},
      {one_queue, Whole(Switched(2))}};
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    const Graph graph = ScaleUpFabric(fabrics[i]);
    const Graph read = AsRead(graph);
    for (const char* phases : {"off", "baseline", "enhanced"}) {
      for (const char* operation : {"ALLREDUCE", "ALLTOALL"}) {
        Scenario scenario;
        scenario.collectives.phased.collectives = *FindWord<PhasedOptions::Form>(phases);
        const std::string text = std::string("1 ") + operation + " 600000 ALL\n";
        const Observed o = SimulateJobs(graph, {MakeJob(graph, text)}, scenario);
        ASSERT_GT(RowCount(o.flows), 0U);
        EXPECT_EQ(Traced(read, o.flows, phases), Sent(o.ports))
            << "fabric " << i << ", " << phases << " " << operation;
      }
    }
  }
}

TEST(TracedPaths, LanesOfOneAlgorithmOverAllDimensionsAreNotKnown) {
  using Map = AttributeMap;
  EXPECT_EQ(WhyNoLanes(Map({{"option phases.algorithm", std::string("oneRing")}})), "");
  EXPECT_EQ(WhyNoLanes(Map({{"option phases.collectives", std::string("baseline")},
                            {"option phases.algorithm", std::string("ring")}})),
            "");
  EXPECT_EQ(WhyNoLanes(Map({{"option phases.collectives", std::string("baseline")},
                            {"option phases.algorithm", std::string("oneRing")}})),
            "the result does not say which lanes messages of phases.algorithm=oneRing took");
}

}  // namespace
}  // namespace heddle::testing
