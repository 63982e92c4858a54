// SPDX-License-Identifier: GPL-2.0-only
/// NVLS over two servers with multimem in packets: an NVSwitch in each, and a switch a rail, on
/// links of 100 Gbps that are so long that what comes back meets nothing that goes.
///
/// t: time of a packet, r: of a request, a: of an ACK, d: delay of a link, h: hand-over, A:
/// software and hand-over.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing::multimem_tree {
namespace {

constexpr std::int64_t kPayload = 1000;
constexpr std::int64_t t = (kPayload + 52) * kPs, r = (1 + 52) * kPs, a = kAckTx;
constexpr std::int64_t d = 400 * kMicro, h = 10'000, A = h + 90 * kMicro;

void Join(Graph* graph, std::uint32_t x, std::uint32_t y) {
  graph->AddLink({NodeId(x), NodeId(y), BitRate{100 * kG}, PicoSeconds(d), 0});
}

/// Local rank l of both servers is linked to switch l.
Graph Servers(std::uint32_t locals) {
  const std::uint32_t gpus = 2 * locals;
  Graph graph(gpus, 2, locals, locals, "X");
  for (std::uint32_t i = 0; i < gpus; ++i) {
    Join(&graph, i, gpus + i / locals);
    Join(&graph, i, gpus + 2 + i % locals);
  }
  graph.LetSwitchesAdd();
  return graph;
}

/// Slices of `packets`, each of which is a piece.
Observed Play(const std::string& algorithm, std::uint32_t locals, std::int64_t packets = 1) {
  TransportOptions transport = Unlimited();
  transport.payload = kPayload;
  transport.buffer.buffer_mib = 4095;  // for what comes after a pause on long links
  transport.completion = TransportOptions::Completion::kReceived;
  Scenario scenario = transport;
  scenario.collectives.allreduce = algorithm;
  scenario.collectives.nvls_form = CollectiveOptions::NvlsForm::kMultimem;
  scenario.collectives.multimem_bytes = kPayload;
  scenario.collectives.multimem_channels = 100;
  scenario.collectives.send_latency = PicoSeconds(A - h);
  const Graph graph = Servers(locals);
  const std::string workload = "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE " +
                               std::to_string(locals * packets * kPayload) + " 0\n";
  Observed outcome = SimulateJobs(graph, {MakeJob(graph, workload)}, scenario);
  EXPECT_TRUE(outcome.waiting.empty());
  return outcome;
}

std::int64_t TimeOf(const Observed& outcome, const std::string& algorithm) {
  const Table& collectives = outcome.jobs.at(2);
  EXPECT_EQ(GetColumn<std::string>(collectives, "algorithm").at(0), algorithm);
  return GetColumn<std::int64_t>(collectives, "end_ps").at(0) -
         GetColumn<std::int64_t>(collectives, "start_ps").at(0);
}

/// As Multimem's: the last head has its server's sum.
std::int64_t EndOfFetch(std::uint32_t g) {
  const std::int64_t asked = A + r + d + h + r + d;
  const std::int64_t acks = g > 2 ? g * a : h;
  return asked + acks + g * t + d + h + t + d;
}
/// The last head's copy to itself is behind the ACK of its store.
constexpr std::int64_t kStore = A + t + d + h + a + t + d;

TEST(MultimemTree, ThroughSwitchesThatAddToThePicosecond) {
  for (std::uint32_t g = 2; g <= 8; ++g) {
    const std::int64_t network = A + 2 * t + 2 * d + a;
    EXPECT_EQ(TimeOf(Play("nvls_collnet", g), "NVLS_COLLNET"), EndOfFetch(g) + network + kStore)
        << g << " GPUs a server";
  }
}

/// The end of the tree sends its sum to the root, which adds its own and sends the result back.
TEST(MultimemTree, OfTwoHeadsToThePicosecond) {
  const std::int64_t way = A + 2 * t + 2 * d;
  for (std::uint32_t g = 2; g <= 8; ++g) {
    EXPECT_EQ(TimeOf(Play("nvls_tree", g), "NVLS_TREE_MULTIMEM"), EndOfFetch(g) + 2 * way + kStore)
        << g << " GPUs a server";
  }
}

/// NVLinks: B + B / g each way, and a byte a request. Between servers a slice each way: the two
/// heads of a slice are each other's in both trees.
TEST(MultimemTree, LinksCarryNcclsVolumesToTheByte) {
  constexpr std::int64_t kAll = 4, kPackets = 3, kSlice = kPackets * kPayload;
  for (const std::string algorithm : {"nvls_collnet", "nvls_tree"}) {
    const Observed outcome = Play(algorithm, kAll, kPackets);
    std::map<std::uint32_t, std::int64_t> inside_out, inside_in, net_out, net_in;
    const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
    const auto& destinations = GetColumn<std::uint32_t>(outcome.flows, "dst");
    const auto& sizes = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
    const auto is_nvswitch = [](std::uint32_t node) { return node == 8 || node == 9; };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const bool inside = is_nvswitch(sources[i]) || is_nvswitch(destinations[i]);
      (inside ? inside_out : net_out)[sources[i]] += sizes[i];
      (inside ? inside_in : net_in)[destinations[i]] += sizes[i];
    }
    for (std::uint32_t gpu = 0; gpu < 2 * kAll; ++gpu) {
      EXPECT_EQ(inside_out[gpu], (kAll + 1) * kSlice + kPackets);
      EXPECT_EQ(inside_in[gpu], (kAll + 1) * kSlice + kAll * kPackets);
      EXPECT_EQ(net_out[gpu], kSlice) << algorithm;
      EXPECT_EQ(net_in[gpu], kSlice) << algorithm;
    }
  }
}

}  // namespace
}  // namespace heddle::testing::multimem_tree
