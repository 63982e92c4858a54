// SPDX-License-Identifier: GPL-2.0-only
/// Packet-hops a second of a permutation on a leaf-spine fabric, alone or under mpirun. Prints one
/// line; never fails on time.
///
/// fabric_bench HOSTS RATE_GBPS MIB_PER_FLOW [ENGINE [GRAIN [KEY=VALUE ...]]]   e.g. fabric_bench
///     128 100 8 domain auto CC_MODE=3
/// Counts data and ACK packets, one for each link crossed. Set-up and output are excluded from the
/// rate and printed separately.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/engine_session.h"
#include "core/options/options.h"
#include "core/traffic/trace_driver.h"
#include "partition/partition.h"
#include "tests/support/leaf_spine.h"
#include "transport/run/fabric/fabric.h"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

testing::LeafSpine ShapeFor(std::uint32_t hosts, std::int64_t gbps) {
  testing::LeafSpine shape;
  shape.hosts_per_leaf = hosts >= 8192 ? 128 : hosts >= 1024 ? 32 : 16;
  shape.leaves = hosts / shape.hosts_per_leaf;
  shape.spines = shape.hosts_per_leaf;
  shape.rate = BitRate{gbps * 1'000'000'000};
  return shape;
}

TransportOptions ParseOptions(const std::vector<std::string>& settings) {
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    keys.Set(setting.substr(0, equals),
             equals == std::string::npos ? "" : setting.substr(equals + 1));
  }
  return options;
}

/// Number of rows of a table of samples.
std::int64_t Rows(const Table& table) {
  return static_cast<std::int64_t>(GetColumn<std::int64_t>(table, "time_ps").size());
}

int RunBench(std::uint32_t hosts, std::int64_t gbps, double mib, const std::string& engine,
             std::uint32_t grain, const TransportOptions& options) {
  const EngineKind kind = ParseEngineKind(engine);
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(kind, &argc, &argv);
  const Communicator world = Communicator::World();
  const auto begin = Clock::now();
  const Graph graph = ShapeFor(hosts, gbps).Build();
  const Domains domains = MakeDomains(graph, {Time{0}, grain});
  const Assignment ranks = AssignDomains(graph, domains, world.size(), "block", 1);
  Fabric fabric(graph, options, {domains.domain_of, domains.nodes, ranks}, world.rank(),
                world.size());
  const auto size = Bytes{static_cast<std::int64_t>(mib * 1048576)};
  const std::vector<FlowRequest> flows = testing::Permutation(hosts, size, 1);
  TraceDriver driver(flows, options.split());
  fabric.Drive(&driver);
  const double setup = std::chrono::duration<double>(Clock::now() - begin).count();
  EngineSetup engine_setup;
  engine_setup.post_office = &fabric.post_office();
  engine_setup.lookahead = fabric.Lookahead();
  engine_setup.two_sides = fabric.two_sides();
  engine_setup.neighbours = fabric.NeighbourRanks();
  // Samples are taken and put into tables, as in a run; writing them is excluded like all output.
  std::int64_t samples = 0;
  engine_setup.on_cut = [&](const Cut& cut) {
    if (!options.monitors.any()) return;
    const TrafficEnd end(world, fabric.now());
    for (const Table& table : TakeMonitorTables(fabric, end, cut.last)) samples += Rows(table);
  };
  const EngineReport report = RunEngine(kind, world, engine_setup);
  const DomainBooks books = CheckConservation(world, fabric);
  const std::int64_t events = world.Sum(static_cast<std::int64_t>(fabric.events()));
  const double wall = world.Max(report.wall_seconds);
  const double blocked = world.Max(report.blocked_seconds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double memory = world.Max(static_cast<double>(usage.ru_maxrss) / 1024);
  if (world.is_root()) {
    std::printf(
        "%6u hosts  %-8s  %u rank%s  %6.2f M packet-hops/s  (%.1f M hops, %.2f events a hop, %.2f "
        "s, blocked %.0f%%, "
        "set-up %.2f s, %.0f MiB a rank, %lld/%u flows, %lld marks, %lld pauses, %lld samples, "
        "%lld hops exactly)\n",
        hosts, engine.c_str(), world.size(), world.size() == 1 ? " " : "s",
        static_cast<double>(books.link_packets) / wall * 1e-6,
        static_cast<double>(books.link_packets) * 1e-6,
        static_cast<double>(events) / static_cast<double>(books.link_packets), wall,
        100 * blocked / wall, setup, memory, static_cast<long long>(books.flows_finished), hosts,
        static_cast<long long>(books.marked), static_cast<long long>(books.pauses),
        static_cast<long long>(samples), static_cast<long long>(books.link_packets));
  }
  return 0;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep allocations until the process ends; leak checks would report them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: fabric_bench HOSTS RATE_GBPS MIB_PER_FLOW [domain|ns3|ns3-null [GRAIN "
                 "[KEY=VALUE ...]]]\n");
    return 2;
  }
  return RunBench(static_cast<std::uint32_t>(std::atoi(argv[1])), std::atoll(argv[2]),
                  std::atof(argv[3]), argc > 4 ? argv[4] : "domain",
                  ParseGrain(argc > 5 ? argv[5] : "auto"),
                  ParseOptions({argv + std::min(argc, 6), argv + argc}));
}
