// SPDX-License-Identifier: GPL-2.0-only
/// Paths of fluids: the times of lone flows are the ideal ones of packets, and the parts of sprayed
/// flows are those of packets that take every next hop equally often.
#include "transport/run/flow/fluid_paths.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>

#include "tests/unit/transport/domain/fabric_domain/one_domain.h"
#include "transport/domain/state/ideal_time.h"

namespace heddle {
namespace {

Graph Linked(std::uint32_t gpus, std::uint32_t switches,
             const std::vector<std::array<std::int64_t, 4>>& links) {
  Graph graph(gpus, 0, switches, 1, "X");
  for (const auto& [a, b, gbps, ns] : links) {
    graph.AddLink({NodeId(static_cast<std::uint32_t>(a)), NodeId(static_cast<std::uint32_t>(b)),
                   BitRate{gbps * 1'000'000'000}, NanoSeconds(ns), 0});
  }
  return graph;
}

/// GPUs 0 and 1 at switches 2 and 5, between them switches 3 and 4; the way has links of four
/// rates.
Graph Diamond() {
  return Linked(2, 4,
                {{0, 2, 400, 500},
                 {2, 3, 100, 700},
                 {2, 4, 100, 700},
                 {3, 5, 50, 300},
                 {4, 5, 50, 300},
                 {5, 1, 200, 100}});
}

FluidRun RunOf(const FabricContext& context) {
  FluidRun run;
  run.graph = context.graph;
  run.routes = context.epochs[0].routes.get();
  run.metrics = context.metrics;
  run.split = context.split;
  run.trains = context.trains;
  run.payload = context.options.payload;
  run.packet = context.options.payload + context.header_bytes;
  run.ack = context.ack_bytes;
  return run;
}

TEST(FluidPaths, LoneFlowsTakeTheTimeOfPackets) {
  testing::OneDomain fabric(Diamond(), {});
  const FluidRun run = RunOf(fabric.context());
  const FluidPaths paths(&run);
  for (const auto& [from, to] : {std::pair(0U, 1U), std::pair(1U, 0U)}) {
    for (std::uint16_t port = 10'000; port < 10'008; ++port) {
      FluidPath path = paths.Find(NodeId(from), NodeId(to), port, 100);
      ASSERT_EQ(path.there.size(), 4U);
      ASSERT_EQ(path.back.size(), 4U);
      for (const std::int64_t size : {1, 8999, 9000, 9001, 18'000, 18'001, 1'000'000}) {
        const FluidTimes times = paths.TimesOf(&path, NodeId(from), NodeId(to), size);
        const Time ideal =
            fabric.context().ideal_times->Of({NodeId(from), NodeId(to), port, 100, size}, Time{0});
        EXPECT_EQ(times.there + times.back, ideal) << size << " byte";
        // The narrowest link is busy with the volume, and `after` is the rest.
        const Time busy =
            TimeOfVolume(FluidVolumeOf(paths.WireBytes(NodeId(from), NodeId(to), size)),
                         FluidRateOf({50'000'000'000}));
        EXPECT_EQ(times.after + busy, times.there);
      }
    }
  }
}

TEST(FluidPaths, LinksAreNumberedByPort) {
  testing::OneDomain fabric(Diamond(), {});
  const FluidRun run = RunOf(fabric.context());
  const FluidPaths paths(&run);
  EXPECT_EQ(paths.links(), 12U);
  const std::vector<FluidNetwork::Direction> directions = paths.Directions();
  for (std::uint32_t link = 0; link < paths.links(); ++link) {
    EXPECT_EQ(directions[directions[link].reverse].reverse, link);
    EXPECT_EQ(directions[directions[link].reverse].rate, directions[link].rate);
  }
}

TEST(FluidPaths, SprayedFlowsAreOnAllEqualPaths) {
  testing::OneDomain fabric(Diamond(), {});
  FluidRun run = RunOf(fabric.context());
  run.sprays = true;
  const FluidPaths paths(&run);
  const FluidPath path = paths.Find(NodeId(0), NodeId(1), 10'000, 100);
  std::map<std::uint32_t, FluidWeight> parts;
  for (const FluidHop& hop : path.there) parts[hop.link] += hop.weight;
  EXPECT_EQ(parts.size(), 6U);
  EXPECT_EQ(parts[paths.first_link(NodeId(0))], kWholeWeight);
  EXPECT_EQ(parts[paths.first_link(NodeId(2)) + 1], kWholeWeight / 2);
  EXPECT_EQ(parts[paths.first_link(NodeId(2)) + 2], kWholeWeight / 2);
  EXPECT_EQ(parts[paths.first_link(NodeId(5)) + 2], kWholeWeight);
  EXPECT_EQ(path.hops_there.size(), 4U);
}

}  // namespace
}  // namespace heddle
