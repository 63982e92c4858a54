// SPDX-License-Identifier: GPL-2.0-only
/// Runs a workload on a Spectrum-X fabric of A100 with 100 Gbps NICs, alone or under mpirun, and
/// prints one line: seconds, time a flow, memory. Never fails on time.
///
/// collective_bench GPUS WORKLOAD PASSES [KEY=VALUE ...]
///   WORKLOAD: a file, "TP:OPERATION:BYTES" (of all TP groups at once) or "TP:dp:OPERATION:BYTES"
///   (of all DP groups)
/// Flows and time lines are not recorded one by one, as in heddle run above four million flows.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/engine/engine.h"
#include "core/engine/engine_session.h"
#include "core/options/options.h"
#include "partition/partition.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"
#include "transport/run/fabric/fabric.h"

namespace {

using namespace heddle;

std::string WorkloadText(const std::string& what) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= what.size();) {
    const std::size_t colon = std::min(what.find(':', at), what.size());
    parts.push_back(what.substr(at, colon - at));
    at = colon + 1;
  }
  if (parts.size() < 3) {
    std::ifstream file(what);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  const std::string comm = parts[parts.size() - 2] + " " + parts.back();
  const std::string none = "NONE 0";
  return fmt::format(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {}\n1\nlayer -1 1 {} 1 {} 1 {} "
      "1\n",
      parts[0], parts.size() == 3 ? comm : none, none, parts.size() == 3 ? none : comm);
}

/// 100 Gbps NICs, and the NVLink of an A100 server.
Graph Fabric100G(std::uint32_t gpus) {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  options.gpus = gpus;
  options.gpu_type = "A100";
  options.bandwidth = "100Gbps";
  options.nvlink_bandwidth = "2400Gbps";
  return Generate("Spectrum-X", options);
}

double PeakKib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

int RunBench(std::uint32_t gpus, const std::string& workload, std::uint32_t passes,
             const TransportOptions& options) {
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(EngineKind::kDomain, &argc, &argv);
  const Communicator world = Communicator::World();
  const Graph graph = Fabric100G(gpus);
  const std::vector<Job> jobs = {
      testing::MakeJob(graph, WorkloadText(workload), {}, Time{0}, passes)};
  const Domains domains = MakeDomains(graph, {Time{0}, DomainOptions::kAutoGrain});
  const Assignment ranks = AssignDomains(graph, domains, world.size(), "block", 1);
  Fabric fabric(graph, options, {domains.domain_of, domains.nodes, ranks}, world.rank(),
                world.size());
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), false);
  fabric.RecordFlows({0});
  fabric.Drive(&coordinator);
  EngineSetup setup;
  setup.post_office = &fabric.post_office();
  setup.lookahead = fabric.Lookahead();
  setup.two_sides = fabric.two_sides();
  setup.neighbours = fabric.NeighbourRanks();
  const double before = PeakKib();
  const EngineReport report = RunEngine(EngineKind::kDomain, world, setup);
  const DomainBooks books = CheckConservation(world, fabric);
  const double wall = world.Max(report.wall_seconds);
  const auto flows = static_cast<double>(books.flows_finished);
  const double peak = world.Max(PeakKib());
  const auto schedules = world.Max(static_cast<double>(coordinator.schedule_memory()) / 1024);
  const double end = world.Max(coordinator.end().seconds());
  if (!world.is_root()) return 0;
  std::printf(
      "%u GPUs %-24s %u pass%s %u rank%s %9.0f flows in %7.2f s: %6.2f us a flow, %5.2f M "
      "packet-hops/s (%.1f M hops), peak "
      "%.0f KiB (%.0f before the run), groups and schedules %.0f KiB, simulated %.3f ms\n",
      gpus, workload.substr(workload.find_last_of('/') + 1).c_str(), passes,
      passes == 1 ? "" : "es", world.size(), world.size() == 1 ? "" : "s", flows, wall,
      1e6 * wall / flows, static_cast<double>(books.link_packets) / wall * 1e-6,
      static_cast<double>(books.link_packets) * 1e-6, peak, before, schedules, end * 1e3);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(
        stderr,
        "usage: collective_bench GPUS WORKLOAD|TP:[dp:]OPERATION:BYTES PASSES [KEY=VALUE ...]\n");
    return 2;
  }
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  for (int i = 4; i < argc; ++i) {
    const std::string setting = argv[i];
    const std::size_t equals = setting.find('=');
    keys.Set(setting.substr(0, equals),
             equals == std::string::npos ? "" : setting.substr(equals + 1));
  }
  return RunBench(static_cast<std::uint32_t>(std::atoi(argv[1])), argv[2],
                  static_cast<std::uint32_t>(std::atoi(argv[3])), options);
}
