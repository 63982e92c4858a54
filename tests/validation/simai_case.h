// SPDX-License-Identifier: GPL-2.0-only
/// A case with SimAI's own results (tests/data/cases), and one simulation of it with access to its
/// fabric.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/engine/engine_session.h"
#include "core/mpi/communicator.h"
#include "core/options/options.h"
#include "core/traffic/trace_driver.h"
#include "io/input/hpcc_flows.h"
#include "io/simai/simai_conf.h"
#include "io/simai/unused_simai_keys.h"
#include "partition/partition.h"
#include "topology/files/simai_topology.h"
#include "topology/routes/ecmp_hash.h"
#include "transport/run/controller/controller_tables.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {

/// Identity of a flow in fct.txt: source address, destination address, source port.
using FlowName = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

/// Columns of fct.txt with results.
struct FlowTimes {
  std::int64_t start_ns = 0, fct_ns = 0, ideal_ns = 0;
};

struct SimaiPath {
  std::uint32_t source = 0, destination = 0;
  std::uint16_t source_port = 0, destination_port = 0;
  std::vector<std::uint32_t> data, ack;  ///< the nodes entered
};

inline std::ifstream OpenCase(const std::string& name, const std::string& file) {
  std::ifstream in(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/" + file);
  if (!in) throw std::runtime_error("no " + file + " in case " + name);
  return in;
}

inline std::map<FlowName, FlowTimes> ReadFct(const std::string& name) {
  std::ifstream in = OpenCase(name, "fct.txt");
  std::map<FlowName, FlowTimes> answers;
  std::string source, destination;
  std::uint32_t source_port, destination_port;
  std::int64_t size;
  FlowTimes times;
  while (in >> source >> destination >> source_port >> destination_port >> size >> times.start_ns >>
         times.fct_ns >> times.ideal_ns) {
    const FlowName key(static_cast<std::uint32_t>(std::stoul(source, nullptr, 16)),
                       static_cast<std::uint32_t>(std::stoul(destination, nullptr, 16)),
                       source_port);
    if (!answers.emplace(key, times).second)
      throw std::runtime_error("a flow twice in fct.txt of " + name);
  }
  if (!in.eof() || answers.empty()) throw std::runtime_error("cannot read fct.txt of " + name);
  return answers;
}

/// `flow src dst sport dport | nodes | nodes`, after a comment line.
inline std::vector<SimaiPath> ReadPaths(const std::string& name) {
  std::ifstream in = OpenCase(name, "paths.txt");
  std::vector<SimaiPath> paths;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 'R') continue;
    std::istringstream words(line);
    SimaiPath path;
    std::uint32_t number;
    char bar;
    words >> number >> path.source >> path.destination >> path.source_port >>
        path.destination_port >> bar;
    if (!words || bar != '|')
      throw std::runtime_error("cannot read paths.txt of " + name + ": " + line);
    std::vector<std::uint32_t>* nodes = &path.data;
    for (std::string word; words >> word;) {
      if (word == "|") {
        nodes = &path.ack;
      } else {
        nodes->push_back(static_cast<std::uint32_t>(std::stoul(word)));
      }
    }
    if (path.data.empty() || path.ack.empty())
      throw std::runtime_error("half a path in " + name + ": " + line);
    paths.push_back(path);
  }
  return paths;
}

/// SimAI's equal-cost next hops of a node, in its order.
struct SimaiNextHops {
  std::uint32_t node = 0, destination = 0;
  std::vector<std::uint32_t> peers;
};

/// The lines `R node dst: next hops` of paths.txt.
inline std::vector<SimaiNextHops> ReadNextHops(const std::string& name) {
  std::ifstream in = OpenCase(name, "paths.txt");
  std::vector<SimaiNextHops> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != 'R') continue;
    std::istringstream words(line.substr(1));
    SimaiNextHops hops;
    char colon = 0;
    words >> hops.node >> hops.destination >> colon;
    if (!words || colon != ':')
      throw std::runtime_error("cannot read paths.txt of " + name + ": " + line);
    for (std::uint32_t peer; words >> peer;) hops.peers.push_back(peer);
    all.push_back(hops);
  }
  return all;
}

/// A line of pfc.txt: time and node at which a pause (or resume) was received.
struct SimaiPause {
  std::int64_t time_ns = 0;
  std::uint32_t node = 0;
  bool pause = false;
  bool operator==(const SimaiPause& o) const {
    return time_ns == o.time_ns && node == o.node && pause == o.pause;
  }
  bool operator<(const SimaiPause& o) const {
    return std::tie(time_ns, node, pause) < std::tie(o.time_ns, o.node, o.pause);
  }
};

/// In order of time. SimAI never closes the file, so its last line is incomplete and is omitted.
inline std::vector<SimaiPause> ReadPauses(const std::string& name) {
  std::ifstream in = OpenCase(name, "pfc.txt");
  std::vector<SimaiPause> pauses;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    std::istringstream words(line);
    SimaiPause pause;
    std::uint32_t kind, interface;
    if (!(words >> pause.time_ns >> pause.node >> kind >> interface >> pause.pause)) {
      throw std::runtime_error("cannot read pfc.txt of " + name + ": " + line);
    }
    pauses.push_back(pause);
  }
  if (pauses.empty()) throw std::runtime_error("no pause in pfc.txt of " + name);
  return pauses;
}

/// Inputs of a case, SimAI.conf's options included.
struct SimaiCase {
  explicit SimaiCase(const std::string& name)
      : graph(ReadSimaiTopology(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/topo.txt")),
        flows(
            ReadHpccFlows(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/flows.txt", graph)) {
    OptionSet keys;
    options.Declare(&keys);
    DeclareUnusedSimaiKeys(&keys);
    ReadSimaiConf(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/SimAI.conf", &keys);
    // SimAI's headroom is too small for short links; heddle's default would move pauses by a few
    // packets.
    options.buffer.simai_headroom = true;
  }
  Graph graph;
  std::vector<FlowRequest> flows;
  TransportOptions options;
};

/// A finished simulation in this process. `graph` must outlive it.
struct Simulation {
  Simulation(const Graph& graph, const std::vector<FlowRequest>& requests,
             const TransportOptions& options, std::uint64_t seed = 1) {
    const Communicator& world = Communicator::Serial();
    const Domains domains = MakeDomains(graph, {Time{0}, 1});
    const Assignment ranks = AssignDomains(graph, domains, 1, "block", 1);
    fabric = std::make_unique<Fabric>(
        graph, options, FabricLayout{domains.domain_of, domains.nodes, ranks}, RankId(0), 1, seed);
    driver = std::make_unique<TraceDriver>(requests, options.split(), options.send_latency);
    fabric->CheckFlows(requests);
    fabric->Drive(driver.get());
    EngineSetup setup;
    setup.post_office = &fabric->post_office();
    setup.lookahead = fabric->Lookahead();
    setup.two_sides = fabric->two_sides();
    RunEngine(EngineKind::kDomain, world, setup);
    CheckConservation(world, *fabric);
    CheckHeldPaths(world, *fabric);
    flows = GatherFlows(world, *fabric);
    controller = ControllerTables(fabric->controller());
  }
  std::unique_ptr<TraceDriver> driver;
  std::unique_ptr<Fabric> fabric;
  Table flows;
  std::vector<Table> controller;  ///< requests and paths, if there is one
};

inline FlowName NameOf(std::uint32_t source, std::uint32_t destination, std::uint16_t source_port) {
  return {AddressOf(NodeId(source)), AddressOf(NodeId(destination)), source_port};
}

}  // namespace heddle::testing
