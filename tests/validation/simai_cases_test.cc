// SPDX-License-Identifier: GPL-2.0-only
/// SimAI 1.6 and heddle on the same input. Where nothing is at random the two agree: to the nanosecond if heddle truncates
/// times as SimAI does, within 1 % if it does not; and every packet takes the path that SimAI's takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "tests/validation/simai_case.h"
#include "topology/path_tracer.h"

namespace heddle::testing {
namespace {

constexpr double kLargestDifference = 0.01;  ///< of a flow's completion time, without truncation
constexpr std::int64_t kHeader = 52, kAck = 60;

/// By flow, in picoseconds: start, completion, ideal.
using Answers = std::map<FlowName, FlowTimes>;
Answers AnswersOf(const Table& flows) {
  const auto& source = ValuesOf<std::uint32_t>(flows, "src");
  const auto& destination = ValuesOf<std::uint32_t>(flows, "dst");
  const auto& port = ValuesOf<std::uint16_t>(flows, "source_port");
  const auto& start = ValuesOf<std::int64_t>(flows, "start_ps");
  const auto& fct = ValuesOf<std::int64_t>(flows, "fct_ps");
  const auto& ideal = ValuesOf<std::int64_t>(flows, "ideal_ps");
  Answers answers;
  for (std::size_t i = 0; i < source.size(); ++i) {
    answers[NameOf(source[i], destination[i], port[i])] = {start[i], fct[i], ideal[i]};
  }
  return answers;
}

std::string Text(const FlowName& name) {
  char text[64];
  std::snprintf(text, sizeof text, "%08x -> %08x port %u", std::get<0>(name), std::get<1>(name), std::get<2>(name));
  return text;
}

/// The largest completion time of a case on both sides, and the largest difference of a flow.
void PrintRow(const std::string& name, const char* mode, const Answers& simai, const Answers& heddle) {
  static bool headed = false;
  if (!headed) {
    std::printf("Completion times: the slowest flow of SimAI and of heddle, and the largest difference of any one flow.\n"
                "%-20s %-9s %6s %13s %16s %11s\n", "case", "times", "flows", "SimAI [ns]", "heddle [ns]", "difference");
    headed = true;
  }
  std::int64_t slowest = 0, own = 0;
  double difference = 0;
  for (const auto& [flow, times] : simai) {
    const auto found = heddle.find(flow);
    if (found == heddle.end()) continue;
    slowest = std::max(slowest, times.fct_ns);
    own = std::max(own, found->second.fct_ns);
    const double theirs = static_cast<double>(times.fct_ns) * 1000;
    difference = std::max(difference, std::abs(static_cast<double>(found->second.fct_ns) - theirs) / theirs);
  }
  std::printf("%-20s %-9s %6zu %13lld %16.3f %10.4f%%\n", name.c_str(), mode, simai.size(), static_cast<long long>(slowest),
              static_cast<double>(own) / 1000, 100 * difference);
  std::fflush(stdout);
}

class SimaiCases : public ::testing::TestWithParam<const char*> {};

TEST_P(SimaiCases, TruncatedTimesEqualToTheNanosecond) {
  SimaiCase c(GetParam());
  c.options.truncate_ns = true;
  const Answers simai = ReadFct(GetParam());
  const Answers own = AnswersOf(Simulation(c.graph, c.flows, c.options).flows);
  PrintRow(GetParam(), "truncated", simai, own);
  ASSERT_EQ(simai.size(), own.size());
  for (const auto& [flow, times] : simai) {
    ASSERT_EQ(own.count(flow), 1u) << Text(flow);
    const FlowTimes& ps = own.at(flow);
    EXPECT_EQ(ps.start_ns, times.start_ns * 1000) << Text(flow) << ": start";
    EXPECT_EQ(ps.fct_ns, times.fct_ns * 1000) << Text(flow) << ": completion time";
    EXPECT_EQ(ps.ideal_ns, times.ideal_ns * 1000) << Text(flow) << ": ideal time (column 8)";
  }
}

TEST_P(SimaiCases, ExactTimesWithinOnePercent) {
  const SimaiCase c(GetParam());
  ASSERT_FALSE(c.options.truncate_ns) << "truncation must not be the default";
  const Answers simai = ReadFct(GetParam());
  const Answers own = AnswersOf(Simulation(c.graph, c.flows, c.options).flows);
  PrintRow(GetParam(), "exact", simai, own);
  ASSERT_EQ(simai.size(), own.size());
  for (const auto& [flow, times] : simai) {
    ASSERT_EQ(own.count(flow), 1u) << Text(flow);
    EXPECT_EQ(own.at(flow).start_ns, times.start_ns * 1000) << Text(flow) << ": start";
    const double theirs = static_cast<double>(times.fct_ns) * 1000;
    EXPECT_NEAR(static_cast<double>(own.at(flow).fct_ns), theirs, kLargestDifference * theirs) << Text(flow);
  }
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiCases,
                         ::testing::Values("f_single_cc1", "f_sizes_cc1", "f_burst8_4MB_cc0", "f_sx128_rail_cc1",
                                           "f_hpndp64_rail_cc1"),
                         [](const auto& made) { return std::string(made.param); });

std::vector<std::uint32_t> Traced(const Graph& graph, const Routes& routes, std::uint32_t from, std::uint32_t to,
                                  std::uint16_t source_port, std::uint16_t destination_port) {
  std::vector<std::uint32_t> nodes;
  for (NodeId node : NodesEntered(
           graph, TracePath(graph, routes, NodeId(from), NodeId(to), source_port, destination_port))) {
    nodes.push_back(node.value);
  }
  return nodes;
}

/// Cases with paths.txt; the test below fails if one of the known four is missing.
std::vector<std::string> CasesWithPaths() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_TEST_DATA) + "/cases")) {
    if (std::filesystem::exists(entry.path() / "paths.txt")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(SimaiPaths, EveryTracedPathEqualsSimais) {
  const std::vector<std::string> names = CasesWithPaths();
  for (const char* known : {"f_dcn64_mixed_cc1", "f_hpndp64_rail_cc1", "f_loss_one40MB_cc1", "f_sx128_rail_cc1"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), known), 1) << known;
  }
  for (const std::string& name : names) {
    const SimaiCase c(name);
    const Routes routes(c.graph);
    const std::vector<SimaiPath> paths = ReadPaths(name);
    EXPECT_EQ(paths.size(), c.flows.size()) << name;
    for (const SimaiPath& p : paths) {
      const std::string flow = name + ": " + std::to_string(p.source) + " -> " + std::to_string(p.destination);
      EXPECT_EQ(Traced(c.graph, routes, p.source, p.destination, p.source_port, p.destination_port), p.data) << flow;
      EXPECT_EQ(Traced(c.graph, routes, p.destination, p.source, p.destination_port, p.source_port), p.ack)
          << flow << " (ACK)";
    }
    std::printf("%-20s %4zu data paths and %4zu ACK paths compared\n", name.c_str(), paths.size(), paths.size());
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
      for (PortId port : ports) peers.push_back(c.graph.ports(NodeId(theirs.node))[port.value].peer.value);
      EXPECT_EQ(peers, theirs.peers) << name << ": node " << theirs.node << " to " << theirs.destination;
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
using Link2 = std::pair<std::uint32_t, std::uint32_t>;  ///< from node, to node (these fabrics have no parallel cables)

/// What the links carry if every packet takes the path that SimAI lists, ACK for every packet.
std::map<Link2, Sent> ExpectedFromPaths(const SimaiCase& c, const std::vector<SimaiPath>& paths) {
  std::map<FlowName, std::int64_t> size;
  const std::vector<PlannedFlow> plan = PlanFlows(c.flows);
  for (const PlannedFlow& f : plan) {
    size[NameOf(f.request.source.value, f.request.destination.value, f.source_port)] = f.request.size.count;
  }
  std::map<Link2, Sent> sent;
  for (const SimaiPath& p : paths) {
    const std::int64_t bytes = size.at(NameOf(p.source, p.destination, p.source_port));
    const std::int64_t packets = (bytes + c.options.payload - 1) / c.options.payload;
    const auto walk = [&](std::uint32_t from, const std::vector<std::uint32_t>& nodes, std::int64_t on_the_wire) {
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
    for (const FabricDomain::NodeView& node : domain->nodes()) {
      for (std::uint32_t p = 0; p < node.ports; ++p) {
        const Port& port = domain->port(node.first_port + p);
        const std::uint32_t peer = c.graph.ports(node.id)[p].peer.value;
        const auto found = expected.find({node.id.value, peer});
        const Sent due = found == expected.end() ? Sent{} : found->second;
        EXPECT_EQ((Sent{port.sent, port.sent_bytes}), due) << Describe(c.graph, node.id) << " -> " << peer;
        used += port.sent > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(used, expected.size());
  std::printf("%-20s %zu link directions carried exactly the packets and bytes of SimAI's paths\n", GetParam(), used);
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiPackets, ::testing::Values("f_sx128_rail_cc1", "f_hpndp64_rail_cc1", "f_dcn64_mixed_cc1"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace heddle::testing
