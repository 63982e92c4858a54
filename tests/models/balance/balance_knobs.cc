// SPDX-License-Identifier: GPL-2.0-only
/// Options of choices among paths, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

const LeafSpine kFabric{4, 4, 4};

Observed Permuted(const TransportOptions& options) {
  return Simulate(kFabric.Build(), Permutation(kFabric.hosts(), Bytes{900'000}, 3), options);
}
double LastFct(const TransportOptions& options) {
  const Observed outcome = Permuted(options);
  const auto& fct = GetColumn<std::int64_t>(outcome.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}
double OutOfOrder(const TransportOptions& options) {
  return static_cast<double>(Permuted(options).books.out_of_order);
}
double Nacks(const TransportOptions& options) {
  return static_cast<double>(Permuted(options).books.nacks);
}
/// Ways of 100 and 300 Gbps: packets that take the first.
double OnTheSlowWay(const TransportOptions& options) {
  Graph graph(2, 0, 4, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), BitRate{400 * kG}, PicoSeconds(kMicro), 0});
  graph.AddLink({NodeId(1), NodeId(3), BitRate{400 * kG}, PicoSeconds(kMicro), 0});
  for (const std::uint32_t leaf : {2U, 3U}) {
    graph.AddLink({NodeId(leaf), NodeId(4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
    graph.AddLink({NodeId(leaf), NodeId(5), BitRate{300 * kG}, PicoSeconds(kMicro), 0});
  }
  const Observed outcome =
      Simulate(graph, std::vector<FlowRequest>(200, Flow(0, 1, 9000)), options);
  return static_cast<double>(PortFigure(outcome, 2, 1, "sent_packets"));
}
/// A GPU at 1 Gbps sends a packet each 72.4 us: ports that its leaf uses for them.
double PortsOfASlowFlow(const TransportOptions& options) {
  Graph graph(2, 0, 2 + 4, 1, "X");
  for (const std::uint32_t end : {0U, 1U}) {
    graph.AddLink({NodeId(end), NodeId(2 + end), BitRate{kG}, PicoSeconds(kMicro), 0});
    for (std::uint32_t spine = 4; spine < 8; ++spine)
      graph.AddLink({NodeId(2 + end), NodeId(spine), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  const Observed outcome = Simulate(graph, {Flow(0, 1, 180'000)}, options);
  double used = 0;
  for (std::uint32_t port = 1; port < 5; ++port)
    used += PortFigure(outcome, 2, port, "sent_packets") > 0 ? 1 : 0;
  return used;
}
/// Four flows from one leaf: ports that they use.
double PortsOfFour(const TransportOptions& options) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) flows.push_back(Flow(gpu, 12 + gpu, 900'000));
  const Observed outcome = Simulate(kFabric.Build(), flows, options);
  double used = 0;
  for (std::uint32_t port = 4; port < 8; ++port)
    used += PortFigure(outcome, 16, port, "sent_packets") > 0 ? 1 : 0;
  return used;
}

}  // namespace

std::vector<Knob> BalanceKnobs() {
  const KnobSettings free = {{"transport.congestion_control", "0"},
                             {"transport.window", "false"},
                             {"reliability.reorder", "256"}};
  const auto with = [&](const KnobSettings& more) {
    KnobSettings all = free;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  return {
      {"balance.ports", "hash", "round-robin", Expect::kLess,
       "no two flows share an uplink for long", LastFct, free},
      {"balance.weighted", "false", "true", Expect::kLess, "a quarter of the flows, not half",
       OnTheSlowWay, free},
      {"balance.levels", "1", "2", Expect::kLess, "spines have one way down", OutOfOrder,
       with({{"balance.ports", "random"}})},
      {"balance.flowlet_gap", "30us", "100us", Expect::kLess,
       "72 us between packets end no flowlet", PortsOfASlowFlow,
       with({{"balance.ports", "flowlet"}})},
      {"balance.flowlet_table", "4096", "1", Expect::kLess, "all flows of the leaf are one",
       PortsOfFour, with({{"balance.ports", "flowlet"}})},
      {"balance.grades", "5 10 20", "100 100 100", Expect::kMore,
       "every queue is as good as an empty one", LastFct,
       with({{"balance.ports", "adaptive"}, {"balance.grade_full", "100000"}})},
      {"balance.grade_full", "100000", "100000000", Expect::kMore,
       "every queue is as good as an empty one", LastFct, with({{"balance.ports", "adaptive"}})},
      {"reliability.reorder", "0", "256", Expect::kLess, "what comes late is waited for", Nacks,
       with({{"balance.ports", "random"}})},
  };
}

}  // namespace heddle::testing
