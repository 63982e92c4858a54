// SPDX-License-Identifier: GPL-2.0-only
/// Defaults of a workload file, and its settings that have no effect here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/pipeline/pipeline_options.h"
#include "collectives/program/groups.h"
#include "core/traffic/workload.h"

namespace heddle {

/// The sizes of the parallel groups of a workload. Sizes in its file are kept; otherwise pipeline
/// and expert are 1. Tensor: 1 for DATA, MICRO and the DLRMs; all ranks of a stage for MODEL,
/// DISTRIBUTED_INFERENCE and (as in SimAI) HYBRID_TRANSFORMER_FWD_IN_BCKWD; for the other hybrids,
/// and for a micro-benchmark that names its groups, the GPUs per server (or their greatest common
/// divisor with `ranks`). In a micro-benchmark that names its groups, expert groups are as large as
/// data parallel ones.
ParallelSizes DefaultSizes(const Workload& workload, std::uint32_t ranks,
                           std::uint32_t gpus_per_server);

/// Makes the bytes of all-gathers those of the whole output, if the file says those of a shard:
/// multiplies them by the size of their group. Returns a warning that says so, beginning with the
/// file's name, or nothing. Throws UserError, with file and line, for an output of more than 2^62
/// bytes.
std::string GatherWholes(const ParallelGroups& groups, Workload* workload);

/// Warnings about settings in the file that have no effect, and about a pipeline schedule that
/// gains nothing from it, one text each, beginning with the file's name.
std::vector<std::string> WorkloadWarnings(const Workload& workload, const ParallelGroups& groups,
                                          const PipelineOptions& pipeline = {});

}  // namespace heddle
