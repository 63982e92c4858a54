// SPDX-License-Identifier: GPL-2.0-only
/// The terms of a collective: its operation, and NCCL's algorithm and protocol for it.
#pragma once

#include <cstdint>
#include <tuple>

#include "collectives/schedule/group_shape.h"
#include "core/base/future.h"
#include "core/records/collective_algorithm.h"
#include "core/traffic/pair_sizes.h"
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
  /// What each pair of ranks exchanges, if pairs differ; of the job's program. No algorithm has it
  /// yet (MakeSchedule).
  const PairSizes* sizes = nullptr;

  /// core/base/future.h.
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Decides(self.operation, self.group);
    visit.Decides(self.bytes);
    visit.Decides(self.root, self.peer);
    visit.DecidesBehind(self.sizes);
  }
};
static_assert(SpeaksForAllMembers<CollectiveSpec>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// Order by all members; tables of sizes by what they hold. Equal specs share schedules and prices.
inline bool operator<(const CollectiveSpec& a, const CollectiveSpec& b) {
  static_assert(MemberCount<CollectiveSpec>() == 6, "compare the new member, too");
  const auto plain = [](const CollectiveSpec& spec) {
    return std::tie(spec.operation, spec.group, spec.bytes, spec.root, spec.peer);
  };
  return plain(a) != plain(b) ? plain(a) < plain(b) : CompareSizes(a.sizes, b.sizes) < 0;
}

/// Whether only two ranks of the group take part: `root` sends to `peer`.
inline bool IsBetweenTwo(const CollectiveSpec& spec) {
  return spec.operation == Operation::kSendRecv && spec.peer != GroupShape::kNone;
}

/// The algorithm and protocol that it uses.
struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  bool pxn = false;

  /// core/base/future.h.
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Decides(self.algorithm, self.protocol, self.pxn);
  }
};
static_assert(SpeaksForAllMembers<AlgorithmChoice>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// nccl-tests' factor from algorithm to bus bandwidth: 2(n-1)/n, (n-1)/n or 1.
double BusFactor(Operation operation, std::uint32_t ranks);

/// Bytes on the wire of a message: LL sends 8 bytes of flags with every 8 of data, LL128 8 with
/// every 120. At most the largest integer, which no message may have.
std::int64_t ProtocolBytes(Protocol protocol, std::int64_t bytes);

}  // namespace heddle
