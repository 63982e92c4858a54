// SPDX-License-Identifier: GPL-2.0-only
/// What each GPU of a job does, step by step: compute, communicate and wait, or communicate and go
/// on.
///
/// Source: SimAI's Workload.cc (iterate_hybrid_parallel_Transformer_fwd_in_bckwd) for
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD: a change of state costs SimAI 1 ns, kept as a kPause. Every GPU
/// of a pipeline stage runs the same steps, on its own clock.
#ifndef HEDDLE_COLLECTIVES_PROGRAM_H_
#define HEDDLE_COLLECTIVES_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/collective_spec.h"
#include "collectives/groups.h"
#include "core/workload.h"

namespace heddle {

enum class Phase : std::uint8_t { kForward, kInputGradient, kWeightGradient };
constexpr int kPhases = 3;
/// "fwd", "ig", "wg": SimAI's column names.
const char* ToText(Phase phase);

/// A communication of one pass. All ranks of a group name it by its index: that is how its messages
/// find each other.
struct ProgramOp {
  CollectiveSpec spec;
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;
  std::uint32_t micro_batch = 0;
  Time update;  ///< Layer::update
};

struct ProgramStep {
  enum class Kind : std::uint8_t {
    kCompute,     ///< `time` of computing for (layer, phase)
    kPause,       ///< `time` that counts for no layer
    kBlocking,    ///< issue op `op`, wait for it
    kOverlapped,  ///< issue op `op`, go on
    kWait,  ///< wait for the op `op` of this pass (of the previous pass if it comes later in this
            ///< one), if it is unfinished
  };
  Kind kind = Kind::kPause;
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;
  std::uint32_t op = 0;
  Time time;
};

/// The passes of a job. Operation number of op k in pass p: p * ops.size() + k.
struct Program {
  std::vector<ProgramOp> ops;                   ///< of one pass, of all stages
  std::vector<std::vector<ProgramStep>> steps;  ///< of one pass, by pipeline stage
  std::uint32_t passes = 1;
};

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

/// The program of a workload. Operations of groups of one rank, and those of 0 bytes, are left out.
/// `passes` >= 1. With pipeline stages: micro-batches (ga) in one-forward-one-backward order (1F1B;
/// Narayanan et al., SC 2021, section 2.2), activations of pp_comm bytes sent to the next stage and
/// their gradients back. AICB writes the layers of all micro-batches of a stage: of L layers
/// micro-batch m has those from m*L/ga to (m+1)*L/ga - 1. Without pp_comm messages have 1 byte.
/// Every layer runs once in a pass, with or without pipeline stages. Throws UserError for what
/// cannot be run, naming file and line.
Program MakeProgram(const Workload& workload, const ParallelGroups& groups, std::uint32_t passes);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_PROGRAM_H_
