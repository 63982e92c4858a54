// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/make_program.h"

#include <fmt/format.h>

#include "collectives/program/policies.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Throws UserError if the policy does not support these groups.
void CheckPolicy(const Workload& workload, const ParallelGroups& groups) {
  if (groups.pipeline() > 1 && workload.policy != Policy::kTransformerFwdInBckwd) {
    FailInput(
        {workload.name, 1},
        fmt::format("{} with {} pipeline stages (pp)", ToText(workload.policy), groups.pipeline()),
        fmt::format("pp: 1, or policy {}", ToText(Policy::kTransformerFwdInBckwd)));
  }
  if (groups.tensor() > 1 && IsDlrm(workload.policy)) {
    FailInput({workload.name, 1},
              fmt::format("{} with TP {}", ToText(workload.policy), groups.tensor()),
              "no model_parallel_NPU_group: its layers are data parallel, its embeddings spread "
              "over all GPUs");
  }
  const bool recomputes = !workload.checkpoint_initiates.empty();
  if (recomputes && workload.policy != Policy::kTransformerFwdInBckwd) {
    FailInput({workload.name, 1},
              fmt::format("{} with checkpoint_initiates:", ToText(workload.policy)),
              fmt::format("no layers, or policy {}", ToText(Policy::kTransformerFwdInBckwd)));
  }
  if (workload.inference && workload.policy != Policy::kTransformerFwdInBckwd) {
    FailInput({workload.name, 1}, fmt::format("{} with mode: 1", ToText(workload.policy)),
              fmt::format("mode: 0, or policy {}", ToText(Policy::kTransformerFwdInBckwd)));
  }
}

void Build(const Workload& workload, const ParallelGroups& groups, const PipelineOptions& pipeline,
           ProgramBuilder* builder) {
  switch (workload.policy) {
    case Policy::kMicro:
      return BuildMicro(builder);
    case Policy::kData:
      return BuildData(builder);
    case Policy::kModel:
      return BuildModel(builder, false);
    case Policy::kHybridDataModel:
    case Policy::kHybridModelData:
    case Policy::kHybridTransformer:
      return BuildModel(builder, true);
    case Policy::kTransformerFwdInBckwd:
      return BuildTransformer(workload, groups, pipeline, builder);
    case Policy::kHybridDlrm:
    case Policy::kHybridDlrmEnhanced:
      return BuildDlrm(builder, static_cast<std::uint32_t>(workload.last_bottom_layer),
                       workload.policy == Policy::kHybridDlrm);
    case Policy::kHybridCustomized:
      return BuildCustomized(workload, builder);
    case Policy::kDistributedInference:
      return BuildInference(builder);
  }
}

}  // namespace

Program MakeProgram(const Workload& workload, const ParallelGroups& groups, std::uint32_t passes,
                    const PipelineOptions& pipeline) {
  CheckPolicy(workload, groups);
  ProgramBuilder builder(workload, groups);
  Build(workload, groups, pipeline, &builder);
  return builder.Take(passes);
}

}  // namespace heddle
