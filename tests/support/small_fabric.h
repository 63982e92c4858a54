// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics of a few nodes whose runs can be computed by hand, and short functions to read results.
///
/// At 100 Gbps a byte takes 80 ps: a full packet (9000 + 52 bytes) 724,160 ps, an ACK (60) 4800 ps,
/// a pause frame (43) 3440 ps.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/simulate.h"

namespace heddle::testing {

constexpr std::int64_t kG = 1'000'000'000;
constexpr std::int64_t kPs = 80;  ///< of a byte at 100 Gbps
constexpr std::int64_t kTx = 9052 * kPs;
constexpr std::int64_t kAckTx = 60 * kPs;
constexpr std::int64_t kFrameTx = 43 * kPs;
constexpr std::int64_t kMicro = 1'000'000;  ///< in ps

struct Cable {
  std::int64_t gbps = 100;
  std::int64_t delay_ps = kMicro;
  double error_rate = 0;
};

/// GPUs 0 and 1, switches 2, 3, ... in a row between them. A switch's port 0 leads towards GPU 0.
inline Graph Row(const std::vector<Cable>& cables) {
  const auto switches = static_cast<std::uint32_t>(cables.size() - 1);
  Graph graph(2, 0, switches, 1, "X");
  for (std::uint32_t i = 0; i < cables.size(); ++i) {
    const NodeId a(i == 0 ? 0 : i + 1), b(i + 1 == cables.size() ? 1 : i + 2);
    graph.AddLink({a, b, BitRate{cables[i].gbps * kG}, PicoSeconds(cables[i].delay_ps),
                   cables[i].error_rate});
  }
  return graph;
}

/// GPU i is at port i of the only switch, whose id is the number of GPUs.
inline Graph Star(const std::vector<Cable>& cables) {
  const auto gpus = static_cast<std::uint32_t>(cables.size());
  Graph graph(gpus, 0, 1, 1, "X");
  for (std::uint32_t i = 0; i < gpus; ++i) {
    graph.AddLink({NodeId(i), NodeId(gpus), BitRate{cables[i].gbps * kG},
                   PicoSeconds(cables[i].delay_ps), cables[i].error_rate});
  }
  return graph;
}

/// GPUs 0 and 1 with a port at each of the switches 2 and 3.
inline Graph TwoPorts() {
  Graph graph(2, 0, 2, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    for (std::uint32_t leaf = 2; leaf < 4; ++leaf)
      graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  return graph;
}

inline FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t size,
                        std::uint8_t priority = 3, std::int64_t start_ps = 0) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{size};
  flow.priority = priority;
  flow.start = PicoSeconds(start_ps);
  return flow;
}

/// No congestion control, no window: NICs send at line rate unless paused.
inline TransportOptions Unlimited() {
  TransportOptions options;
  options.congestion.mode = 0;
  options.has_window = false;
  return options;
}

inline std::int64_t Fct(const Observed& o, std::size_t row) {
  return GetColumn<std::int64_t>(o.flows, "fct_ps").at(row);
}
inline std::int64_t Received(const Observed& o, std::size_t row) {
  return GetColumn<std::int64_t>(o.flows, "received_ps").at(row);
}
inline int State(const Observed& o, std::size_t row) {
  return GetColumn<std::uint8_t>(o.flows, "state").at(row);
}
inline bool AllFinished(const Observed& o) {
  for (std::uint8_t state : GetColumn<std::uint8_t>(o.flows, "state")) {
    if (state != 0) return false;
  }
  return true;
}

/// A value of a port; 0 if the port has no row.
inline std::int64_t PortFigure(const Observed& o, std::uint32_t node, std::uint32_t port,
                               const char* column) {
  const auto& nodes = GetColumn<std::uint32_t>(o.ports, "node");
  const auto& ports = GetColumn<std::uint32_t>(o.ports, "port");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == node && ports[i] == port) return GetColumn<std::int64_t>(o.ports, column)[i];
  }
  return 0;
}
inline std::int64_t Sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// The samples of the monitor with this name ("pfc", "monitors/queues").
inline const Table& Monitor(const Observed& o, const std::string& name) {
  for (const Table& table : o.monitors) {
    if (table.name == name) return table;
  }
  throw std::out_of_range("no monitor " + name);
}

/// A row of the pfc monitor.
struct PauseRow {
  std::int64_t time;
  std::uint32_t node, port;
  int priority, pause;
  std::uint32_t cause_node, cause_port, root_node, root_port;
  int depth;
};
inline std::vector<PauseRow> PauseRows(const Observed& o) {
  const Table& t = Monitor(o, "pfc");
  std::vector<PauseRow> rows;
  const auto u32 = [&](const char* name, std::size_t i) {
    return GetColumn<std::uint32_t>(t, name)[i];
  };
  const auto u8 = [&](const char* name, std::size_t i) {
    return static_cast<int>(GetColumn<std::uint8_t>(t, name)[i]);
  };
  for (std::size_t i = 0; i < GetColumn<std::int64_t>(t, "time_ps").size(); ++i) {
    rows.push_back({GetColumn<std::int64_t>(t, "time_ps")[i], u32("node", i), u32("port", i),
                    u8("priority", i), u8("pause", i), u32("cause_node", i), u32("cause_port", i),
                    u32("root_node", i), u32("root_port", i), u8("depth", i)});
  }
  return rows;
}

inline Observed RunWith(const Graph& graph, const std::vector<FlowRequest>& flows,
                        const TransportOptions& options, const std::vector<LinkEvent>& failures,
                        std::uint64_t seed = 1) {
  RunPlan plan;
  plan.seed = seed;
  return Simulate(graph, flows, {options, plan, failures});
}

/// A link that is down from `from` until `to`.
inline std::vector<LinkEvent> Outage(std::uint32_t link, std::int64_t from, std::int64_t to) {
  return {{PicoSeconds(from), LinkId(link), LinkEvent::Kind::kDown, {}},
          {PicoSeconds(to), LinkId(link), LinkEvent::Kind::kUp, {}}};
}

inline constexpr std::uint32_t kRing = 7;

/// GPU i is at port 0 of switch kRing + i. Switch 7: port 1 leads to switch 8, port 2 to switch 13.
/// Other switches: port 1 leads to the previous switch, port 2 to the next (also switch 13).
inline Graph Ring(std::int64_t delay_ps = kMicro, double error_rate = 0) {
  Graph graph(kRing, 0, kRing, 1, "X");
  for (std::uint32_t i = 0; i < kRing; ++i) {
    graph.AddLink(
        {NodeId(i), NodeId(kRing + i), BitRate{100 * kG}, PicoSeconds(delay_ps), error_rate});
  }
  for (std::uint32_t i = 0; i < kRing; ++i) {
    graph.AddLink({NodeId(kRing + i), NodeId(kRing + (i + 1) % kRing), BitRate{100 * kG},
                   PicoSeconds(delay_ps), error_rate});
  }
  return graph;
}

/// Flows from each GPU to the third next: 3 links of the ring clockwise, 4 the other way.
inline std::vector<FlowRequest> AllClockwise(std::int64_t packets) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < kRing; ++i)
    flows.push_back(Flow(i, (i + 3) % kRing, packets * 9000));
  return flows;
}

/// ECN marks every packet that leaves another one in the queue, from the start.
inline TransportOptions MarkAlways() {
  TransportOptions options;
  options.has_window = false;
  options.ecn.kmin = RateMap::Parse("1 100Gbps 0", 1, "KB");
  options.ecn.kmax = options.ecn.kmin;
  options.ecn.pmax = options.ecn.kmin;
  return options;
}

}  // namespace heddle::testing
