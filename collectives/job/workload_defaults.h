// SPDX-License-Identifier: GPL-2.0-only
/// What a workload's file leaves open, and what of it has no effect here.
#ifndef HEDDLE_COLLECTIVES_JOB_WORKLOAD_DEFAULTS_H_
#define HEDDLE_COLLECTIVES_JOB_WORKLOAD_DEFAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/job/groups.h"
#include "core/traffic/workload.h"

namespace heddle {

/// The sizes of the parallel groups that a workload runs with; what its file gives is kept,
/// pipeline and expert are 1 otherwise. Tensor: 1 of DATA, MICRO and HYBRID_DLRM; all ranks of a
/// stage of MODEL, DISTRIBUTED_INFERENCE and (as in SimAI) HYBRID_TRANSFORMER_FWD_IN_BCKWD; of the
/// other hybrids, and of a micro-benchmark that names its groups, the GPUs per server (or their
/// greatest common divisor with `ranks`). In a micro-benchmark that names its groups, expert groups
/// are as large as data parallel ones.
ParallelSizes DefaultSizes(const Workload& workload, std::uint32_t ranks,
                           std::uint32_t gpus_per_server);

/// What the file says and the run does not do, one text each, beginning with the file's name.
std::vector<std::string> WorkloadWarnings(const Workload& workload, const ParallelGroups& groups);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_JOB_WORKLOAD_DEFAULTS_H_
