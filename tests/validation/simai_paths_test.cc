// SPDX-License-Identifier: GPL-2.0-only
/// Every packet takes the same path as in SimAI: compares traced paths, sets of next hops, and the
/// packets of each link.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "tests/support/trace_posts.h"
#include "tests/validation/simai_case.h"
#include "topology/paths/path_tracer.h"
#include "transport/domain/fabric_domain/fabric_domain.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kHeader = 52, kAck = 60;

std::vector<std::uint32_t> Traced(const Graph& graph, const Routes& routes, std::uint32_t from,
                                  std::uint32_t to, std::uint16_t source_port,
                                  std::uint16_t destination_port) {
  std::vector<std::uint32_t> nodes;
  for (NodeId node : NodesEntered(graph, TracePath(graph, routes, NodeId(from), NodeId(to),
                                                   source_port, destination_port))) {
    nodes.push_back(node.value);
  }
  return nodes;
}

/// Cases with paths.txt; the test below fails if one of the known four is missing.
std::vector<std::string> CasesWithPaths() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_TEST_DATA) + "/cases")) {
    if (std::filesystem::exists(entry.path() / "paths.txt"))
      names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(SimaiPaths, EveryTracedPathEqualsSimais) {
  const std::vector<std::string> names = CasesWithPaths();
  for (const char* known :
       {"f_dcn64_mixed_cc1", "f_hpndp64_rail_cc1", "f_loss_one40MB_cc1", "f_sx128_rail_cc1"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), known), 1) << known;
  }
  for (const std::string& name : names) {
    const SimaiCase c(name);
    const Routes routes(c.graph);
    const std::vector<SimaiPath> paths = ReadPaths(name);
    EXPECT_EQ(paths.size(), c.flows.size()) << name;
    for (const SimaiPath& p : paths) {
      const std::string flow =
          name + ": " + std::to_string(p.source) + " -> " + std::to_string(p.destination);
      EXPECT_EQ(Traced(c.graph, routes, p.source, p.destination, p.source_port, p.destination_port),
                p.data)
          << flow;
      EXPECT_EQ(Traced(c.graph, routes, p.destination, p.source, p.destination_port, p.source_port),
                p.ack)
          << flow << " (ACK)";
    }
    std::printf("%-20s %4zu data paths and %4zu ACK paths compared\n", name.c_str(), paths.size(),
                paths.size());
  }
}

TEST(SimaiPaths, EqualCostNextHopsAreListedInSimaisOrder) {
  for (const std::string& name : CasesWithPaths()) {
    const SimaiCase c(name);
    const Routes routes(c.graph);
    std::size_t compared = 0;
    for (const SimaiNextHops& theirs : ReadNextHops(name)) {
      if (theirs.node == theirs.destination) continue;
      std::vector<PortId> ports;
      routes.NextHops(NodeId(theirs.node), NodeId(theirs.destination), &ports);
      std::vector<std::uint32_t> peers;
      for (PortId port : ports)
        peers.push_back(c.graph.ports(NodeId(theirs.node))[port.value].peer.value);
      EXPECT_EQ(peers, theirs.peers)
          << name << ": node " << theirs.node << " to " << theirs.destination;
      ++compared;
    }
    std::printf("%-20s %4zu sets of next hops compared\n", name.c_str(), compared);
  }
}

struct Sent {
  std::int64_t packets = 0, bytes = 0;
  bool operator==(const Sent& o) const { return packets == o.packets && bytes == o.bytes; }
};
std::ostream& operator<<(std::ostream& out, const Sent& sent) {
  return out << sent.packets << " packets, " << sent.bytes << " bytes";
}
using Link2 = std::pair<std::uint32_t, std::uint32_t>;  ///< from node, to node (these fabrics have
                                                        ///< no parallel cables)

/// Load of the links if every packet takes the path listed by SimAI, with an ACK for every packet.
std::map<Link2, Sent> ExpectedFromPaths(const SimaiCase& c, const std::vector<SimaiPath>& paths) {
  std::map<FlowName, std::int64_t> size;
  const MessageSplit split = c.options.split();
  for (const FlowPost& message : PostsOf(c.flows, split)) {
    split.ForEachFlow(message, [&](const FlowPost& f) {
      size[NameOf(f.source.value, f.destination.value, f.numbers.source_port)] = f.size;
    });
  }
  std::map<Link2, Sent> sent;
  for (const SimaiPath& p : paths) {
    const std::int64_t bytes = size.at(NameOf(p.source, p.destination, p.source_port));
    const std::int64_t packets = (bytes + c.options.payload - 1) / c.options.payload;
    const auto walk = [&](std::uint32_t from, const std::vector<std::uint32_t>& nodes,
                          std::int64_t on_the_wire) {
      for (std::uint32_t to : nodes) {
        Sent& link = sent[{from, to}];
        link.packets += packets;
        link.bytes += on_the_wire;
        from = to;
      }
    };
    walk(p.source, p.data, bytes + packets * kHeader);
    walk(p.destination, p.ack, packets * kAck);
  }
  return sent;
}

class SimaiPackets : public ::testing::TestWithParam<const char*> {};

TEST_P(SimaiPackets, WentWhereSimaisPathsLead) {
  const SimaiCase c(GetParam());
  const std::map<Link2, Sent> expected = ExpectedFromPaths(c, ReadPaths(GetParam()));
  const Simulation run(c.graph, c.flows, c.options);
  std::size_t used = 0;
  for (const auto& domain : run.fabric->domains()) {
    for (const FabricDomain::Node& node : domain->nodes()) {
      for (std::uint32_t p = 0; p < node.ports; ++p) {
        const Port& port = domain->port(node.first_port + p);
        const std::uint32_t peer = c.graph.ports(node.id)[p].peer.value;
        const auto found = expected.find({node.id.value, peer});
        const Sent due = found == expected.end() ? Sent{} : found->second;
        EXPECT_EQ((Sent{port.sent, port.sent_bytes}), due)
            << Describe(c.graph, node.id) << " -> " << peer;
        used += port.sent > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(used, expected.size());
  std::printf("%-20s %zu link directions carried exactly the packets and bytes of SimAI's paths\n",
              GetParam(), used);
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiPackets,
                         ::testing::Values("f_sx128_rail_cc1", "f_hpndp64_rail_cc1",
                                           "f_dcn64_mixed_cc1"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace heddle::testing
