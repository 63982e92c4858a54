// SPDX-License-Identifier: GPL-2.0-only
/// A collective by its terms: what a group is asked to do, and by which of NCCL's algorithms and
/// protocols it is done.
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_

#include <cstdint>

#include "collectives/schedule/group_shape.h"
#include "core/traffic/workload.h"

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

/// nccl-tests' factor from algorithm to bus bandwidth: 2(n-1)/n, (n-1)/n or 1.
double BusFactor(Operation operation, std::uint32_t ranks);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_
