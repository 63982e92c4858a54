// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/workload_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// "1000 ALLTOALL_EP 16777216", with tabs; `plain` is the group that needs no suffix.
std::string PhaseText(const LayerPhase& phase, GroupType plain) {
  const bool named = phase.operation != Operation::kNone && phase.group != plain;
  return fmt::format("\t{}\t{}{}{}\t{}", phase.compute.ps / 1000, ToText(phase.operation),
                     named ? "_" : "", named ? ToText(phase.group) : "", phase.bytes);
}

/// "2 0 5": how many, and which.
std::string LinesText(const std::vector<std::int64_t>& lines) {
  std::string text = std::to_string(lines.size());
  for (const std::int64_t line : lines) text += fmt::format(" {}", line);
  return text;
}

}  // namespace

std::string WorkloadText(const Workload& workload, const std::string& comment) {
  std::string text = fmt::format(
      "{} model_parallel_NPU_group: {} ep: {} pp: {} vpp: {} ga: {} all_gpus: {} checkpoints: {} "
      "checkpoint_initiates: {}",
      ToText(workload.policy), workload.sizes.tensor, workload.sizes.expert,
      workload.sizes.pipeline, workload.virtual_pipeline, workload.gradient_accumulation,
      workload.all_gpus, LinesText(workload.checkpoints), LinesText(workload.checkpoint_initiates));
  if (workload.sizes.pipeline > 1) text += fmt::format(" pp_comm: {}", workload.pipeline_bytes);
  fmt::format_to(std::back_inserter(text), "\n{}\n", workload.layers.size());
  for (const Layer& layer : workload.layers)
    fmt::format_to(std::back_inserter(text), "{}\t-1{}{}{}\t{}\n", layer.name,
                   PhaseText(layer.forward, GroupType::kTensor),
                   PhaseText(layer.input_gradient, GroupType::kTensor),
                   PhaseText(layer.weight_gradient, GroupType::kData), layer.update.ps / 1000);
  if (!comment.empty()) text += "# " + comment + "\n";
  return text;
}

}  // namespace heddle
