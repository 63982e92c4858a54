// SPDX-License-Identifier: GPL-2.0-only
/// The terms of a collective: its operation, and NCCL's algorithm and protocol for it.
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_

#include <cstdint>

#include "collectives/schedule/group_shape.h"
#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// The operation that a group performs.
struct CollectiveSpec {
  Operation operation = Operation::kAllReduce;
  GroupType group = GroupType::kTensor;
  std::int64_t bytes = 0;  ///< bytes of the full buffer, > 0
  Participant root = 0;    ///< root of Broadcast and Reduce; sender of SendRecv
  /// Receiver of SendRecv; kNone: every rank sends to the next, as in nccl-tests.
  Participant peer = GroupShape::kNone;
};

/// Whether only two ranks of the group take part: `root` sends to `peer`.
inline bool IsBetweenTwo(const CollectiveSpec& spec) {
  return spec.operation == Operation::kSendRecv && spec.peer != GroupShape::kNone;
}

/// The algorithm and protocol that it uses.
struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  bool pxn = false;
};

/// nccl-tests' factor from algorithm to bus bandwidth: 2(n-1)/n, (n-1)/n or 1.
double BusFactor(Operation operation, std::uint32_t ranks);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_COLLECTIVE_SPEC_H_
