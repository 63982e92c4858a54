// SPDX-License-Identifier: GPL-2.0-only
/// Long flows in steady states, which a run with replays skips, and what disturbs them. One domain
/// has the leaves together with their GPUs. Collectives of servers, which are replayed whole.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"

namespace heddle::invariance {
namespace {

/// Twice the same: rings on the NVLinks of each server, those of two servers a little later, and
/// rings along the rails; then flows that meet them.
std::vector<FlowRequest> SteadyFlows() {
  std::vector<FlowRequest> flows;
  for (int round = 0; round < 2; ++round) {
    const Time start = MicroSeconds(500) * round;
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
      const std::uint32_t server = gpu / kPerServer;
      const Time skew = PicoSeconds(server < 2 ? 0 : 12'345);
      flows.push_back(
          Flow(gpu, server * kPerServer + (gpu + 1) % kPerServer, 4'000'000, start + skew));
      flows.push_back(Flow(gpu, (gpu + kPerServer) % kGpus, 2'000'000, start));
    }
  }
  flows.push_back(Flow(3, 6, 50'000, MicroSeconds(5)));
  flows.push_back(Flow(8, 24, 50'000, MicroSeconds(20)));
  flows.push_back(Flow(9, 2, 50'000, MicroSeconds(511)));
  flows.push_back(Flow(17, 20, 50'000, MicroSeconds(507)));
  return flows;
}

/// Layers that are alike, in servers whose GPUs a Broadcast has parted; the last of them overlaps
/// with sums over the rails.
std::string AlikeLayers() {
  std::string text = WorkloadHeader(kPerServer, 1, 1) + "9\n";
  text += "a -1 1000 BROADCAST 2000000 500 NONE 0 500 NONE 0 1\n";
  for (int layer = 0; layer < 7; ++layer)
    text += "b -1 3000 ALLREDUCE 400000 4000 ALLREDUCE 400000 500 NONE 0 1\n";
  return text + "c -1 3000 ALLREDUCE 400000 500 ALLREDUCE 400000 500 ALLREDUCE_DP 300000 1\n";
}

}  // namespace

void AddReplayCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  cases->push_back({"steady", [] {
                      return Case{"steady",
                                  SmallFabric("Spectrum-X"),
                                  SteadyFlows(),
                                  Set(Settings{{"CC_MODE", "1"}}),
                                  {},
                                  {Rows("flows")}};
                    }});
  for (const char* connections : {"message", "lasting"}) {
    const std::string name = std::string("alike-servers-") + connections;
    cases->push_back(
        {name, [=] {
           return OneJob(name.c_str(), SmallFabric("Spectrum-X"), AlikeLayers(),
                         {{"collective.connections", connections}, {"algorithm.allreduce", "ring"}},
                         {{"nic.qps_per_connection", "2"}}, {Collectives()}, 2);
         }});
  }
}

}  // namespace heddle::invariance
