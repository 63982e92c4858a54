// SPDX-License-Identifier: GPL-2.0-only
/// Packet-hops counted before a run equal those of the run, for any traffic and fabric.
#include "topology/paths/packet_hops.h"

#include <gtest/gtest.h>

#include "collectives/job/placed_job.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/message_of.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "topology/shapes/generator.h"
#include "transport/model/requests/request_schemes.h"
#include "transport/run/backends/packet_estimate.h"

namespace heddle::testing {
namespace {

Graph Fabric(const std::string& name, std::uint32_t gpus) {
  LeafSpineOptions options = FindTemplate(name).defaults;
  options.gpus = gpus;
  options.nics_per_leaf = 16;
  options.spine_switches = 8;
  return Generate(name, options);
}

PacketHops Count(const Graph& graph, const Routes& routes, const TransportOptions& options) {
  return {graph,
          routes,
          {options.payload, options.nic.qps_per_connection, options.reliability.ack_interval}};
}

void ExpectOfTrace(const Graph& graph, const std::vector<FlowRequest>& flows,
                   const TransportOptions& options) {
  const Routes routes(graph);
  PacketHops hops = Count(graph, routes, options);
  for (const FlowRequest& flow : flows) hops.Add(flow.source, flow.destination, flow.size.count, 1);
  const Observed outcome = Simulate(graph, flows, options);
  ASSERT_EQ(outcome.books.pauses, 0);  // their frames are packets, too
  EXPECT_EQ(hops.packet_hops(), static_cast<double>(outcome.books.link_packets));
  EXPECT_EQ(hops.flows(), static_cast<double>(outcome.books.flows_finished));
}

/// Compares the packet-hops of a job, counted before the run, with those of the run.
void ExpectOfJob(const Graph& graph, const std::string& line, const CollectiveOptions& collectives,
                 const TransportOptions& options = {}, std::uint32_t passes = 1) {
  const std::vector<Job> jobs = {MakeJob(graph, "1 " + line + "\n", {}, Time{0}, passes)};
  const Routes routes(graph);
  PacketHops hops = Count(graph, routes, options);
  PlacedJob placed(0, jobs[0], graph, collectives);
  placed.ForEachTraffic(
      [&](const PlacedJob::Traffic& t) { hops.Add(t.source, t.destination, t.bytes, t.count); });
  Scenario scenario = options;
  scenario.collectives = collectives;
  const Observed outcome = SimulateJobs(graph, jobs, scenario);
  EXPECT_EQ(hops.flows(), static_cast<double>(outcome.books.flows_finished)) << line;
  EXPECT_EQ(hops.packet_hops(), static_cast<double>(outcome.books.link_packets)) << line;
}

TEST(PacketHops, OfAPermutation) {
  const LeafSpine fabric{4, 4, 4};
  TransportOptions options;
  ExpectOfTrace(fabric.Build(), Permutation(16, Bytes{100'001}, 1), options);
  options.nic.qps_per_connection = 3;
  options.reliability.ack_interval = 20'000;
  options.has_window = false;  // a full window asks for an ACK
  ExpectOfTrace(fabric.Build(), Permutation(16, Bytes{100'001}, 2), options);
}

/// Requests make packets of their own, and each flow keeps a byte for its last one.
TEST(PacketHops, OfRequestsWithinTwoPercent) {
  const LeafSpine fabric{4, 4, 4};
  const Graph graph = fabric.Build();
  const Routes routes(graph);
  const std::vector<FlowRequest> flows = Permutation(16, Bytes{3'000'001}, 1);
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) {
    TransportOptions options;
    options.nic.qps_per_connection = 4;
    options.requests.scheduler = scheme.name;
    options.requests.size = 131'072;
    options.requests.split_min = 1000;
    const auto traffic = [&](const TrafficVisit& visit) {
      for (const FlowRequest& flow : flows)
        visit(flow.source, flow.destination, flow.size.count, 1);
    };
    const TrafficCost cost = CostOfPackets(graph, routes, options, traffic);
    const Observed outcome = Simulate(graph, flows, options);
    const auto hops = static_cast<double>(outcome.books.link_packets);
    EXPECT_NEAR(cost.packet_hops, hops, 0.02 * hops) << scheme.name;
    EXPECT_EQ(cost.flows, static_cast<double>(outcome.books.flows_finished)) << scheme.name;
  }
}

TEST(PacketHops, OnEveryTemplate) {
  for (const LeafSpineTemplate& known : LeafSpineTemplates()) {
    const Graph graph = Fabric(known.name, 64);
    std::vector<FlowRequest> flows;
    for (std::uint32_t i = 0; i < 64; ++i) {
      flows.push_back(Flow(i, (i + 1) % 64, 30'000));   // most within the server
      flows.push_back(Flow(i, (i + 8) % 64, 30'000));   // a rail
      flows.push_back(Flow(i, (i + 35) % 64, 30'000));  // another segment, another rail
    }
    SCOPED_TRACE(known.name);
    ExpectOfTrace(graph, flows, {});
  }
}

TEST(PacketHops, OfRings) {
  for (const char* name : {"Spectrum-X", "AlibabaHPN-DualPlane"}) {
    const Graph graph = Fabric(name, 64);
    for (const bool pxn : {false, true}) {
      CollectiveOptions collectives;
      collectives.pxn = pxn;
      ExpectOfJob(graph, "ALLREDUCE 1000003 DP", collectives, {}, 2);
      ExpectOfJob(graph, "ALLGATHER 1000003 TP", collectives);
      ExpectOfJob(graph, "REDUCESCATTER 1000003 DP", collectives);
    }
  }
}

TEST(PacketHops, OfTreesAndNvls) {
  const Graph graph = Fabric("AlibabaHPN-SinglePlane", 32);
  CollectiveOptions collectives;
  for (const char* algorithm : {"tree", "nvls", "nvls_tree"}) {
    collectives.allreduce = algorithm;
    ExpectOfJob(graph, "ALLREDUCE 2000003 TP", collectives);
  }
  collectives.allgather = collectives.reducescatter = "nvls";
  ExpectOfJob(graph, "ALLGATHER 2000003 TP", collectives);
  ExpectOfJob(graph, "REDUCESCATTER 2000003 TP", collectives);
}

TEST(PacketHops, OfPat) {
  const Graph graph = Fabric("Spectrum-X", 32);
  CollectiveOptions collectives;
  collectives.allgather = collectives.reducescatter = "pat";
  collectives.pat_forced = true;
  for (const char* bytes : {"10007", "2000003"}) {
    ExpectOfJob(graph, std::string("ALLGATHER ") + bytes + " DP", collectives, {}, 2);
    ExpectOfJob(graph, std::string("REDUCESCATTER ") + bytes + " DP", collectives);
  }
}

TEST(PacketHops, OfAllToAll) {
  const Graph graph = Fabric("AlibabaHPN-SinglePlane", 32);
  CollectiveOptions collectives;
  for (const bool pxn : {false, true}) {
    collectives.pxn = pxn;
    ExpectOfJob(graph, "ALLTOALL 2000003 EP", collectives);
  }
  collectives.protocol = CollectiveOptions::Protocols::kLl;
  ExpectOfJob(graph, "ALLTOALL 200003 EP", collectives);
}

TEST(PacketHops, AreRefusedWithoutAWay) {
  const Graph graph(2, 0, 0, 1, "X");
  const Routes routes(graph);
  PacketHops hops = Count(graph, routes, {});
  EXPECT_EQ(MessageOf([&] { hops.Add(NodeId(0), NodeId(1), 5000, 3); }),
            "no way from GPU 0 to GPU 1. Expected: a connected fabric");
}

/// Rings and AllToAll over the rails of two servers: with PXN only.
TEST(PacketHops, OnARailOnlyFabricNamePxn) {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  options.gpus = 16;
  options.spine_switches = 0;
  const Graph graph = Generate("Spectrum-X", options);
  const Routes routes(graph);
  for (const char* work : {"ALLTOALL 2000003", "ALLREDUCE 2000003"}) {
    const std::string all = std::string("MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ") + work + " 0\n";
    const std::vector<Job> jobs = {MakeJob(graph, all)};
    Scenario scenario;
    const auto count = [&] {
      PacketHops hops = Count(graph, routes, scenario.options);
      PlacedJob(0, jobs[0], graph, scenario.collectives)
          .ForEachTraffic([&](const PlacedJob::Traffic& t) {
            hops.Add(t.source, t.destination, t.bytes, t.count);
          });
      return hops.packet_hops();
    };
    const std::string text = MessageOf([&] { count(); });
    EXPECT_NE(text.find("no way from server "), std::string::npos) << text;
    EXPECT_NE(text.find("collective.pxn=true (AS_PXN_ENABLE=1)"), std::string::npos) << text;
    scenario.collectives.pxn = true;
    EXPECT_EQ(count(), static_cast<double>(SimulateJobs(graph, jobs, scenario).books.link_packets));
  }
}

}  // namespace
}  // namespace heddle::testing
