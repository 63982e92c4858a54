// SPDX-License-Identifier: GPL-2.0-only
/// Jobs that dispatch tokens to experts and combine them, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collectives/program/routed_experts.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {

/// Servers of eight GPUs with an NVSwitch each; `nic`, `nvlink`: rates of a GPU in a direction
/// [bit/s]. All NICs are at one switch.
inline Graph ServersOfEight(std::uint32_t servers, std::int64_t nic, std::int64_t nvlink) {
  constexpr std::uint32_t kOfServer = 8;
  const std::uint32_t gpus = servers * kOfServer, leaf = gpus + servers;
  Graph graph(gpus, servers, 1, kOfServer, "H800");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    graph.AddLink(
        {NodeId(gpu), NodeId(gpus + gpu / kOfServer), BitRate{nvlink}, PicoSeconds(25'000)});
    graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{nic}, PicoSeconds(500'000)});
  }
  return graph;
}

/// All GPUs are one expert group, which dispatches `bytes` a GPU, computes 100 us and combines
/// them: operations 0 and 1.
inline Job DispatchAndCombine(const Graph& graph, const ExpertOptions& experts,
                              std::int64_t bytes) {
  const std::string exchange =
      " -1 1000 ALLTOALL_EP " + std::to_string(bytes) + " 1000 NONE 0 1000 NONE 0 1\n";
  const std::string gpus = std::to_string(graph.gpu_count());
  Job job =
      MakeJob(graph, "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: " + gpus +
                         " pp: 1 vpp: 1 ga: 1 all_gpus: " + gpus +
                         " checkpoints: 0 checkpoint_initiates: 0\n3\ndispatch" + exchange +
                         "experts -1 100000 NONE 0 1 NONE 0 1 NONE 0 1\ncombine" + exchange);
  RouteExperts(experts, job.workload, job.groups, &job.program);
  return job;
}

}  // namespace heddle::testing
