// SPDX-License-Identifier: GPL-2.0-only
/// Makes the program of a job from its workload, by the policy that the file names.
#pragma once

#include <cstdint>

#include "collectives/pipeline/pipeline_options.h"
#include "collectives/program/groups.h"
#include "collectives/program/program.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Makes the program. Omits operations of groups of one rank and those of 0 bytes. `passes` >= 1.
/// With pipeline stages: micro-batches (ga) run in the order that `pipeline` says, 1F1B by default;
/// activations of pp_comm bytes are sent to the next stage and their gradients back. AICB writes
/// the layers of all micro-batches of a stage (micro_batches.h). Without pp_comm messages have 1
/// byte. Every layer runs once in a pass, with or without pipeline stages. Inference (mode: 1) has
/// no backward steps. Throws UserError, naming file and line, if the workload is not supported, and
/// the schedule if it is not legal for these stages and micro-batches.
Program MakeProgram(const Workload& workload, const ParallelGroups& groups, std::uint32_t passes,
                    const PipelineOptions& pipeline = {});

}  // namespace heddle
