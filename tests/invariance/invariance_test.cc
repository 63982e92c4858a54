// SPDX-License-Identifier: GPL-2.0-only
/// The promise: /flows does not depend on ranks, partitioner, grain or engine. Run under mpirun; compares with the serial run.
///
/// invariance_test ENGINE [FABRIC PARTITIONER GRAIN]   without a choice: all of them (engine "domain" only: ns-3's own
/// engines can run once a process). Exit 0 if every digest equals the serial one's, 1 otherwise; prints a line a case.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/simulate.h"
#include "topology/generator.h"

namespace {

using namespace heddle;

struct Case {
  std::string name;
  Graph graph;
  std::vector<FlowRequest> flows;
};

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t bytes, Time start) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{bytes};
  flow.start = start;
  return flow;
}

/// Three waves at equal times on purpose: everybody to the next server, everybody to the same GPU's neighbours inside the
/// server, and an incast, so that packets meet at the same picosecond at many ports.
std::vector<FlowRequest> MeetingFlows(std::uint32_t gpus, std::uint32_t per_server) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t g = 0; g < gpus; ++g) flows.push_back(Flow(g, (g + per_server) % gpus, 200000, Time{0}));
  for (std::uint32_t g = 0; g < gpus; ++g) flows.push_back(Flow(g, (g + per_server + 1) % gpus, 100000, Time{0}));
  for (std::uint32_t g = 0; g < gpus; ++g) {
    const std::uint32_t neighbour = g / per_server * per_server + (g + 1) % per_server;
    flows.push_back(Flow(g, neighbour, 50000, NanoSeconds(1000)));
  }
  for (std::uint32_t g = 1; g < gpus; g += 3) flows.push_back(Flow(g, 0, 30000, NanoSeconds(2000)));
  // After a long silence, so that idle time is skipped.
  flows.push_back(Flow(0, gpus - 1, 9000, MicroSeconds(900)));
  return flows;
}

Case MakeCase(const std::string& name) {
  TemplateOptions options = FindTemplate(name == "DCN+" ? "DCN-SingleToR" : name).defaults;
  options.gpus = 32;
  options.psw_switches = 8;
  options.nics_per_asw = name == "DCN+" ? 8 : 2;
  Case made{name, Generate(name == "DCN+" ? "DCN-SingleToR" : name, options), {}};
  made.flows = MeetingFlows(options.gpus, options.gpus_per_server);
  return made;
}

bool Compare(const Communicator& world, EngineKind kind, const Case& c, const testing::Cut& cut, std::uint64_t expected) {
  const testing::Outcome outcome = testing::Simulate(c.graph, c.flows, {}, cut, kind, world);
  if (!world.is_root()) return true;
  const std::uint64_t actual = Digest(outcome.flows);
  std::printf("%-22s %-8s %u ranks  %-6s grain %-2u  %s\n", c.name.c_str(), ToText(kind), world.size(),
              cut.partitioner.c_str(), cut.grain, actual == expected ? "equal" : "DIFFERENT");
  return actual == expected;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep what they allocated until the process ends; that is not what leak checks are for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  if (argc != 2 && argc != 5) {
    std::fprintf(stderr, "usage: invariance_test ENGINE [FABRIC PARTITIONER GRAIN]\n");
    return 2;
  }
  const EngineKind kind = ParseEngineKind(argv[1]);
  int no_arguments = 0;
  char** none = nullptr;
  Ns3Session session(kind, &no_arguments, &none);
  const Communicator world = Communicator::World();
  std::vector<std::string> names = {"Spectrum-X", "AlibabaHPN-DualPlane", "DCN+"};
  std::vector<testing::Cut> cuts;
  if (argc == 5) {
    names = {argv[2]};
    cuts = {{argv[3], static_cast<std::uint32_t>(std::atoi(argv[4]))}};
  } else {
    for (const char* partitioner : {"block", "pod", "metis", "random"}) {
      for (std::uint32_t grain : {1U, 3U}) cuts.push_back({partitioner, grain});
    }
    if (world.size() == 1) cuts.push_back({"block", 0});
  }
  bool equal = true;
  for (const std::string& name : names) {
    const Case c = MakeCase(name);
    // The oracle: one process, one domain a node group, heddle's engine where ns-3's run once only: its digest is known.
    std::uint64_t expected = 0;
    if (kind == EngineKind::kDomain) {
      expected = Digest(testing::Simulate(c.graph, c.flows).flows);
    } else if (const char* known = std::getenv("HEDDLE_EXPECTED_DIGEST")) {
      expected = std::strtoull(known, nullptr, 16);
    }
    if (argc == 2 || kind != EngineKind::kDomain) {
      for (const testing::Cut& cut : cuts) equal = Compare(world, kind, c, cut, expected) && equal;
    } else if (world.is_root()) {
      std::printf("digest %016llx\n", static_cast<unsigned long long>(expected));
    }
  }
  return world.Min(equal ? 1 : 0) == 1 ? 0 : 1;
}
