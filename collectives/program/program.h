// SPDX-License-Identifier: GPL-2.0-only
/// The steps of each GPU of a job: compute, communicate and wait, or communicate and continue.
///
/// Source: SimAI's Workload.cc (iterate_hybrid_parallel_Transformer_fwd_in_bckwd) for
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD. A change of state takes 1 ns in SimAI; here it is a kPause.
/// Every GPU of a pipeline stage runs the same steps, on its own clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/graph/graph_program.h"
#include "collectives/graph/group_lists.h"
#include "collectives/schedule/collective_spec.h"
#include "core/base/units.h"

namespace heddle {

struct RoutedExperts;

enum class Phase : std::uint8_t { kForward, kInputGradient, kWeightGradient };
constexpr int kPhases = 3;
/// "fwd", "ig", "wg": SimAI's column names.
const char* ToText(Phase phase);

/// Pipeline stages that follow each other.
struct StageRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 0: all stages

  friend bool operator<(StageRange a, StageRange b) {
    return std::pair(a.first, a.count) < std::pair(b.first, b.count);
  }
};

/// A communication of one pass. All ranks of a group identify it by its index, so that they agree
/// on its messages.
struct ProgramOp {
  CollectiveSpec spec;
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;
  std::uint32_t micro_batch = 0;
  Time update;             ///< Layer::update
  bool highest = false;    ///< CollectiveCall::highest
  std::uint32_t list = 0;  ///< of GroupType::kListed: the group, in Program::lists
  /// The stages whose groups do it. Messages between stages have their two in `spec`.
  StageRange stages = {};
};

struct ProgramStep {
  enum class Kind : std::uint8_t {
    kCompute,     ///< `time` of computing for (layer, phase)
    kPause,       ///< `time` that counts for no layer
    kBlocking,    ///< issue op `op` and wait for it
    kOverlapped,  ///< issue op `op` and continue
    /// Wait for op `op` of this pass if it is unfinished; of the previous pass if the op comes
    /// later in this one.
    kWait,
  };
  Kind kind = Kind::kPause;
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;
  std::uint32_t op = 0;
  Time time;
};

/// The passes of a job. Operation number of op k in pass p: p * ops.size() + k.
struct Program {
  std::vector<ProgramOp> ops;                   ///< ops of one pass, of all stages
  std::vector<std::vector<ProgramStep>> steps;  ///< steps of one pass, by pipeline stage
  std::uint32_t passes = 1;
  GroupLists lists;      ///< groups of GroupType::kListed
  std::string schedule;  ///< of its pipeline stages, for summaries; empty: there is one stage
  /// What each rank does, in place of `steps`; null: steps say it. It has one pass.
  std::shared_ptr<const GraphProgram> graph;
  /// What expert groups exchange and compute; null: all ranks of a group the same.
  std::shared_ptr<const RoutedExperts> experts;
};

}  // namespace heddle
