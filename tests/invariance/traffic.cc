// SPDX-License-Identifier: GPL-2.0-only
#include "tests/invariance/traffic.h"

#include "topology/shapes/generator.h"

namespace heddle::invariance {

Graph SmallFabric(const std::string& name, const std::string& error_rate, std::uint32_t spines) {
  LeafSpineOptions options = FindTemplate(name).defaults;
  options.gpus = kGpus;
  options.spine_switches = spines;
  options.nics_per_leaf = name == "DCN-SingleToR" || name == "DCN-DualToR" ? 8 : 2;
  options.error_rate = error_rate;
  return Generate(name, options);
}

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t bytes, Time start) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{bytes};
  flow.start = start;
  return flow;
}

std::vector<FlowRequest> MeetingFlows() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t g = 0; g < kGpus; ++g)
    flows.push_back(Flow(g, (g + kPerServer) % kGpus, 200000));
  for (std::uint32_t g = 0; g < kGpus; ++g)
    flows.push_back(Flow(g, (g + kPerServer + 1) % kGpus, 100000));
  for (std::uint32_t g = 0; g < kGpus; ++g) {
    const std::uint32_t neighbour = g / kPerServer * kPerServer + (g + 1) % kPerServer;
    flows.push_back(Flow(g, neighbour, 50000, NanoSeconds(1000)));
  }
  for (std::uint32_t g = 1; g < kGpus; g += 3)
    flows.push_back(Flow(g, 0, 30000, NanoSeconds(2000)));
  flows.push_back(Flow(0, kGpus - 1, 9000, MicroSeconds(900)));  // idle time is skipped
  return flows;
}

std::vector<FlowRequest> Incasts(const std::vector<std::uint32_t>& targets, std::int64_t bytes) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t target : targets) {
    for (std::uint32_t g = target % 2; g < kGpus; g += 2) {
      if (g / kPerServer != target / kPerServer) flows.push_back(Flow(g, target, bytes));
    }
  }
  return flows;
}

std::vector<FlowRequest> Shifts(int waves, std::int64_t bytes, Time apart) {
  std::vector<FlowRequest> flows;
  for (int wave = 0; wave < waves; ++wave) {
    for (std::uint32_t g = 0; g < kGpus; ++g) {
      const std::uint32_t to =
          (g + kPerServer + static_cast<std::uint32_t>(wave) % kPerServer) % kGpus;
      flows.push_back(Flow(g, to, bytes, apart * wave));
    }
  }
  return flows;
}

std::vector<FlowRequest> operator+(std::vector<FlowRequest> first,
                                   const std::vector<FlowRequest>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace heddle::invariance
