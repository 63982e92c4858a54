// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/physical_setup.h"

#include <string>
#include <vector>

#include "core/base/check.h"
#include "partition/played_nodes.h"

namespace heddle {
namespace {

[[noreturn]] void Refuse(const std::string& what) {
  throw UserError("--backend physical: " + what);
}

void CheckInput(const RunInput& input) {
  if (!input.failures.empty())
    Refuse("links of real machines do not fail on request. Expected: no LINK_DOWN");
  if (input.transport.controller.enabled)
    Refuse("real machines have no central controller. Expected: controller.enable=false");
  if (input.transport.monitors.any())
    Refuse("there are no queues and ports to watch. Expected: monitor.kinds=none");
  for (const Job& job : input.jobs) {
    if (job.program.graph != nullptr)
      Refuse("real traffic follows no trace of Chakra yet. Expected: a workload or flows");
  }
  if (!input.schedules.empty())
    Refuse("real traffic follows no schedule in GOAL yet. Expected: a workload or flows");
  if (input.collectives.phased.on())
    Refuse("collectives in phases are simulated only. Expected: phases.collectives=off");
  if (input.collectives.custom != nullptr)
    Refuse("algorithms of files are simulated only. Expected: no algorithm.*=file:NAME.xml");
  if (input.collectives.experts.on())
    Refuse("experts that are chosen unevenly are simulated only. Expected: experts.routing=even");
  if (input.graph->scale_up() != nullptr)
    Refuse("scale-up fabrics are simulated only. Expected: a fabric of Ethernet and NVLink");
}

/// The GPUs of jobs and of flows, ascending.
std::vector<NodeId> Players(const RunInput& input) {
  std::vector<bool> plays(input.graph->gpu_count());
  for (const Job& job : input.jobs) {
    for (const NodeId gpu : job.gpus) plays[gpu.value] = true;
  }
  for (const FlowRequest& flow : input.flows) {
    for (const NodeId end : {flow.source, flow.destination}) {
      if (!input.graph->is_gpu(end)) Refuse("a flow ends at an NVSwitch. Expected: flows of GPUs");
      plays[end.value] = true;
    }
  }
  std::vector<NodeId> players;
  for (std::uint32_t gpu = 0; gpu < plays.size(); ++gpu) {
    if (plays[gpu]) players.emplace_back(gpu);
  }
  if (players.empty()) Refuse("there is nothing to send. Expected: a workload or flows");
  return players;
}

void AddWarmUp(std::uint32_t passes, std::vector<Job>* jobs) {
  for (Job& job : *jobs) job.program.passes += passes;
}

void SkipComputing(std::vector<Job>* jobs) {
  for (Job& job : *jobs) {
    for (std::vector<ProgramStep>& steps : job.program.steps) {
      for (ProgramStep& step : steps) step.time = Time{0};
    }
    for (ProgramOp& op : job.program.ops) op.update = Time{0};
  }
}

}  // namespace

void SetUpPhysical(std::uint32_t ranks, std::uint32_t gpus_per_rank, RunInput* input) {
  CheckInput(*input);
  AddWarmUp(static_cast<std::uint32_t>(input->physical.warmup), &input->jobs);
  if (input->physical.skips()) SkipComputing(&input->jobs);
  input->domains = PlayedNodes(*input->graph, Players(*input), ranks, gpus_per_rank);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) input->assignment.emplace_back(rank);
}

}  // namespace heddle
