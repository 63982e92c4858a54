// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's algorithms and protocols by name, which one a collective takes, and the schedule that
/// comes of it.
#ifndef HEDDLE_COLLECTIVES_ALGORITHM_H_
#define HEDDLE_COLLECTIVES_ALGORITHM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "collectives/collective_options.h"
#include "collectives/group_shape.h"
#include "collectives/schedule.h"
#include "core/workload.h"

namespace heddle {

enum class Algorithm : std::uint8_t { kTree, kRing, kNvls, kNvlsTree, kDirect };
/// "TREE", "RING", "NVLS", "NVLS_TREE", "DIRECT".
const char* ToText(Algorithm algorithm);

/// kNone: SimAI 1.6's plain messages, neither more bytes nor other latencies.
enum class Protocol : std::uint8_t { kLl, kLl128, kSimple, kNone };
/// "LL", "LL128", "SIMPLE", "NONE".
const char* ToText(Protocol protocol);

/// What a group is asked to do.
struct CollectiveSpec {
  Operation operation = Operation::kAllReduce;
  GroupType group = GroupType::kTensor;
  std::int64_t bytes = 0;                ///< of the full buffer, > 0
  Participant root = 0;                  ///< of Broadcast and Reduce; SendRecv: who sends
  Participant peer = GroupShape::kNone;  ///< SendRecv: who receives; kNone: every rank sends to the
                                         ///< next, as in nccl-tests
};

/// How it does it.
struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  bool pxn = false;
};

/// The choice of the description of SimAI's communication stack, section 2.2 (GPU type, group type,
/// size of the group, NVLS), unless options name an algorithm. NVLS over more than one server
/// becomes NVLS-Tree, and NVLS-Tree within one NVLS. `gpu_type` as in the topology's header. Throws
/// UserError if the algorithm that was asked for cannot do it, saying why (no NVSwitches for NVLS).
AlgorithmChoice ChooseAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                                const std::string& gpu_type, const CollectiveOptions& options);

/// The schedule; `shape` must outlive it. Null if there is nothing to send (a group of one).
std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const CollectiveOptions& options);

/// nccl-tests' factor from algorithm to bus bandwidth: 2(n-1)/n, (n-1)/n or 1.
double BusFactor(Operation operation, std::uint32_t ranks);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHM_H_
