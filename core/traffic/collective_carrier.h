// SPDX-License-Identifier: GPL-2.0-only
/// The interface of models that carry whole collectives: they know the time of a collective without
/// its flows.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/pair_sizes.h"
#include "core/traffic/workload.h"

namespace heddle {

/// The name of a collective of a run: a job's operation and the group.
struct CollectiveName {
  std::uint32_t operation =
      0;                    ///< number of the operation in the job (collectives/program/program.h)
  std::uint32_t group = 0;  ///< number of the group within its type
  std::uint16_t job = 0;
};

/// A call by which one rank of a group begins its participation in a collective. All calls of one
/// collective differ in `rank` and `start` only.
struct CollectiveCall {
  CollectiveName name;
  Operation operation = Operation::kAllReduce;
  GroupType group_type = GroupType::kTensor;
  std::int64_t bytes = 0;  ///< of the full buffer, > 0
  /// Before all others where carriers have priorities: ASTRA-SIM's HIGHEST.
  bool highest = false;
  /// GPU of each rank of the group; the driver owns the array for the whole run.
  const NodeId* members = nullptr;
  std::uint32_t ranks = 0;  ///< number of ranks of the group
  std::uint32_t rank = 0;   ///< rank that begins
  std::uint32_t root = 0;   ///< Broadcast, Reduce; SendRecv: the rank that sends
  /// SendRecv: the rank that receives; kNone: every rank sends to the next.
  std::uint32_t peer = kNone;
  const PairSizes* sizes = nullptr;  ///< of pairs that differ; the driver's, as `members`
  bool for_all = false;  ///< this rank stands for all of the group, which begin and end with it
  Time start;  ///< this rank does nothing earlier; may be before the domain's clock, if the rank
               ///< learned late of what it waited for

  static constexpr std::uint32_t kNone = ~0U;

  /// Returns the GPU of the rank that begins.
  NodeId node() const { return members[rank]; }
  /// Whether the collective goes from `root` to `peer` only; the other ranks of the group do not
  /// participate.
  bool point_to_point() const { return operation == Operation::kSendRecv && peer != kNone; }
  /// Returns the number of ranks that begin the collective, each with a call.
  std::uint32_t parts() const {
    if (for_all) return 1;
    return point_to_point() ? 2 : ranks;
  }
};

/// One for each domain. Its results may depend on the times of the calls, never on their order.
class CollectiveCarrier {
 public:
  /// Begins this rank's participation. Calls FlowAgent::Completed() of the agent of call.node()'s
  /// domain at its end, once and not within this call.
  virtual void Begin(const CollectiveCall& call) = 0;
  /// Whether collectives of one communicator may run at once; else the driver begins one after the
  /// other.
  virtual bool concurrent() const { return false; }
  /// Whether it takes messages between two ranks (CollectiveCall::point_to_point); else the driver
  /// posts them as flows.
  virtual bool carries_messages() const { return true; }

 protected:
  ~CollectiveCarrier() = default;
};

}  // namespace heddle
