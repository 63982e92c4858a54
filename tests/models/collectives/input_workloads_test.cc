// SPDX-License-Identifier: GPL-2.0-only
/// The example inputs at their original size: programs and schedules for 128 A100, without
/// simulation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/program/make_program.h"
#include "collectives/program/workload_defaults.h"
#include "io/simai/simai_workload.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

TEST(InputWorkloads, TheLargeOnesCanBeRunOn128Gpus) {
  LeafSpineOptions options;
  options.gpus = 128;
  options.gpu_type = "A100";
  const Graph graph = Generate("Spectrum-X", options);
  for (const auto& [file, warnings] : std::vector<std::pair<std::string, std::size_t>>{
           {"G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt", 0},
           {"L65B-M1-C05_Llama65B_megatron_tp8_pp1_mbs1_A100.txt", 1},
           {"L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt", 0}}) {
    Workload workload = ReadSimaiWorkload(HEDDLE_TEST_DATA "/workloads/" + file);
    const ParallelGroups groups(DefaultSizes(workload, 128, 8), 128, file);
    EXPECT_EQ(WorkloadWarnings(workload, groups).size(), warnings) << file;
    Program program = MakeProgram(workload, groups, 1);
    std::vector<NodeId> gpus;
    for (std::uint32_t gpu = 0; gpu < 128; ++gpu) gpus.emplace_back(gpu);
    const std::vector<Job> jobs = {
        {file, std::move(workload), groups, std::move(program), gpus, {}, Placement::kPacked}};
    FlowCoordinator coordinator(graph, jobs, {}, false);
    EXPECT_GT(coordinator.context().jobs[0]->CountFlows(), 10000u) << file;
  }
}

}  // namespace
}  // namespace heddle
