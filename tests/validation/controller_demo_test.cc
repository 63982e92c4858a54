// SPDX-License-Identifier: GPL-2.0-only
/// The example of the ECMP controller's specification: eight flows between two servers, eight
/// spines, and a hash that puts two pairs of flows on one spine each. Tests which flows collide,
/// and the cost: according to the specification 850 us alone and 1693 us shared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "tests/validation/simai_case.h"
#include "topology/paths/path_tracer.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kFlows = 8;
constexpr std::uint16_t kSourcePort = 10000, kDestinationPort = 100;
constexpr std::int64_t kSize = 10'485'760, kPayload = 9000;
constexpr std::uint32_t kSeedSpines[kFlows] = {25, 26, 24, 20, 24, 21, 21, 23};
constexpr double kSeedAlone = 850, kSeedShared = 1693;  ///< us
constexpr double kSeedMean = 1271;                      ///< us, without the controller
constexpr std::uint16_t kSeedPorts[kFlows] = {1, 1, 1, 1, 2, 4, 2, 1};  ///< the controller's
constexpr std::uint32_t kSeedSpread[kFlows] = {27, 20, 23, 24, 25, 22, 21, 26};
constexpr double kTolerance = 0.015;

Graph SpecificationFabric() {
  LeafSpineOptions options = FindTemplate("DCN-SingleToR").defaults;
  options.gpus = 16;
  options.gpus_per_server = 8;
  options.gpu_type = "A100";
  options.bandwidth = "100Gbps";
  options.nvlink_bandwidth = "2400Gbps";
  options.leaf_switches = 2;
  options.nics_per_leaf = 8;
  options.spine_switches = 8;
  options.leaf_spine_bandwidth = "100Gbps";
  options.leaves_per_spine = 2;
  return Generate("DCN-SingleToR", options);
}

std::vector<FlowRequest> SeedFlows() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    FlowRequest flow;
    flow.start = MicroSeconds(3);  // AS_SEND_LAT=3 after 0
    flow.source = NodeId(i);
    flow.destination = NodeId(i + kFlows);
    flow.size = Bytes{kSize};
    flows.push_back(flow);
  }
  return flows;
}

/// Four links of 100 Gbps (80 ps a byte) and 500 ns. The source sends all packets back to back.
/// After it, three links add a full packet each, because the short last packet waits behind a full
/// one; then its ACK returns.
constexpr std::int64_t ClosedForm() {
  constexpr std::int64_t kPsPerByte = 80, kDelay = 500'000, kLinks = 4, kHeader = 52, kAck = 60;
  constexpr std::int64_t kFull = kSize / kPayload, kLast = kSize % kPayload;
  static_assert(kLast > 0);
  return (kFull * (kPayload + kHeader) + (kLinks - 1) * (kPayload + kHeader) + kLast + kHeader) *
             kPsPerByte +
         kLinks * kDelay + kLinks * (kAck * kPsPerByte + kDelay);
}

class ControllerDemo : public ::testing::Test {
 protected:
  std::uint32_t Spine(std::uint32_t from, std::uint32_t to, std::uint16_t source_port,
                      std::uint16_t destination_port) const {
    const std::vector<NodeId> nodes = NodesEntered(
        graph_,
        TracePath(graph_, routes_, NodeId(from), NodeId(to), source_port, destination_port));
    EXPECT_EQ(nodes.size(), 4u);
    return nodes.size() == 4 ? nodes[1].value : 0;
  }
  const Graph graph_ = SpecificationFabric();
  const Routes routes_{graph_};
};

TEST_F(ControllerDemo, HashPutsFlowsOnTheSeedsSpines) {
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    EXPECT_EQ(Spine(i, i + kFlows, kSourcePort, kDestinationPort), kSeedSpines[i]) << "flow " << i;
  }
}

TEST_F(ControllerDemo, ControllersSourcePortsSpreadThem) {
  // The table of the ECMP controller's specification: the controller's choice of source port for
  // each flow and the spine that it leads to.
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    EXPECT_EQ(Spine(i, i + kFlows, kSeedPorts[i], kDestinationPort), kSeedSpread[i])
        << "flow " << i;
  }
}

TEST_F(ControllerDemo, CollidingFlowsTakeTwiceAsLong) {
  const Simulation run(graph_, SeedFlows(), {});
  const auto& source = GetColumn<std::uint32_t>(run.flows, "src");
  const auto& start = GetColumn<std::int64_t>(run.flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(run.flows, "fct_ps");
  ASSERT_EQ(source.size(), kFlows);
  std::map<std::uint32_t, std::set<std::uint32_t>> on_spine;
  std::map<std::uint32_t, int> acks_on_spine;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    on_spine[Spine(i, i + kFlows, kSourcePort, kDestinationPort)].insert(i);
    ++acks_on_spine[Spine(i + kFlows, i, kDestinationPort, kSourcePort)];
  }
  std::set<std::set<std::uint32_t>> collisions;
  for (const auto& [spine, flows] : on_spine) {
    if (flows.size() > 1) collisions.insert(flows);
  }
  EXPECT_EQ(collisions, (std::set<std::set<std::uint32_t>>{{2, 4}, {5, 6}}));

  std::printf(
      "Eight flows of 10 MiB over eight spines: the specification's figure and heddle's.\n"
      "%4s %6s %7s %10s %12s %9s\n",
      "flow", "spine", "shared", "spec. [us]", "heddle [us]", "slowdown");
  std::set<std::uint32_t> alone, shared;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    ASSERT_EQ(source[i], i);
    EXPECT_EQ(start[i], MicroSeconds(3).ps);
    const bool collides = on_spine[kSeedSpines[i]].size() > 1;
    const double expected = collides ? kSeedShared : kSeedAlone;
    const double actual = static_cast<double>(fct[i]) * 1e-6;
    const double slowdown = static_cast<double>(fct[i]) / static_cast<double>(ClosedForm());
    std::printf("%4u %6u %7s %10.0f %12.6f %8.3fx\n", i, kSeedSpines[i], collides ? "yes" : "no",
                expected, actual, slowdown);
    EXPECT_NEAR(actual, expected, kTolerance * expected) << "flow " << i;
    EXPECT_NEAR(slowdown, collides ? 2.0 : 1.0, 0.03) << "flow " << i;
    (slowdown > 1.5 ? shared : alone).insert(i);
    if (collides) continue;
    // Its ACK may wait for those of flows that reach the same spine at the same time, 4.8 ns each.
    const int others = acks_on_spine[Spine(i + kFlows, i, kDestinationPort, kSourcePort)] - 1;
    if (others == 0) {
      EXPECT_EQ(fct[i], ClosedForm()) << "flow " << i << " shares no link with anything";
    } else {
      EXPECT_GE(fct[i], ClosedForm()) << "flow " << i;
      EXPECT_LE(fct[i], ClosedForm() + others * 60 * 80)
          << "flow " << i << ", ACK path shared with " << others;
    }
    std::printf("     closed form of flow %u: %.6f us, %d flows share its ACKs' spine\n", i,
                static_cast<double>(ClosedForm()) * 1e-6, others);
  }
  EXPECT_EQ(alone, (std::set<std::uint32_t>{0, 1, 3, 7}));
  EXPECT_EQ(shared, (std::set<std::uint32_t>{2, 4, 5, 6}));
}

double Mean(const std::vector<std::int64_t>& fct) {
  return 1e-6 * static_cast<double>(std::accumulate(fct.begin(), fct.end(), std::int64_t{0})) /
         static_cast<double>(fct.size());
}
double Longest(const std::vector<std::int64_t>& fct) {
  return 1e-6 * static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}

/// The ECMP controller's specification, section 7.1: the same ports, the same spines, every flow as
/// fast as alone.
TEST_F(ControllerDemo, ControllerGivesTheSeedsPortsAndNothingCollides) {
  TransportOptions options;
  options.send_latency = MicroSeconds(3);
  const Simulation without(graph_, SeedFlows(), options);
  options.controller.enabled = true;
  const Simulation with(graph_, SeedFlows(), options);
  EXPECT_EQ(GetColumn<std::uint16_t>(with.flows, "source_port"),
            std::vector<std::uint16_t>(kSeedPorts, kSeedPorts + kFlows));
  EXPECT_EQ(GetColumn<std::int64_t>(with.flows, "start_ps"),
            GetColumn<std::int64_t>(without.flows, "start_ps"));

  const auto& hop = GetColumn<std::uint8_t>(with.controller[1], "hop");
  const auto& node = GetColumn<std::uint32_t>(with.controller[1], "node");
  std::vector<std::uint32_t> spines;
  for (std::size_t i = 0; i < hop.size(); ++i) {
    if (hop[i] == 1) spines.push_back(node[i]);
  }
  EXPECT_EQ(spines, std::vector<std::uint32_t>(kSeedSpread, kSeedSpread + kFlows));

  const auto& fct = GetColumn<std::int64_t>(with.flows, "fct_ps");
  const auto& plain = GetColumn<std::int64_t>(without.flows, "fct_ps");
  std::printf(
      "mean FCT %.1f us with, %.1f us without the controller (specification: 850, 1271); "
      "longest %.1f us, %.1f us (850, 1693)\n",
      Mean(fct), Mean(plain), Longest(fct), Longest(plain));
  constexpr double kOnePercent = 0.01;
  EXPECT_NEAR(Mean(fct), kSeedAlone, kOnePercent * kSeedAlone);
  EXPECT_NEAR(Longest(fct), kSeedAlone, kOnePercent * kSeedAlone);
  EXPECT_NEAR(Mean(plain), kSeedMean, kOnePercent * kSeedMean);
  EXPECT_NEAR(Longest(plain), kSeedShared, kOnePercent * kSeedShared);
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    EXPECT_NEAR(static_cast<double>(fct[i]), static_cast<double>(ClosedForm()),
                1e-4 * static_cast<double>(ClosedForm()))
        << i;
    const bool collides = i == 2 || i == 4 || i == 5 || i == 6;
    EXPECT_NEAR(static_cast<double>(plain[i]) / static_cast<double>(ClosedForm()),
                collides ? 2.0 : 1.0, 0.03)
        << i;
  }
}

/// The closed form without any neighbour: each of the eight flows by itself.
TEST_F(ControllerDemo, ClosedFormIsExactForEveryFlowAlone) {
  for (const FlowRequest& flow : SeedFlows()) {
    const Simulation run(graph_, {flow}, {});
    EXPECT_EQ(GetColumn<std::int64_t>(run.flows, "fct_ps")[0], ClosedForm())
        << "GPU " << flow.source.value;
  }
}

}  // namespace
}  // namespace heddle::testing
