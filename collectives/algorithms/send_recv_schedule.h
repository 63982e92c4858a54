// SPDX-License-Identifier: GPL-2.0-only
/// SendRecv: one rank sends to another, or every rank to the next, as in nccl-tests. With PXN if
/// the rails differ (crossing.h).
///
/// Chunk k is the k-th message; if every rank sends to the next, it is rank k's.
#pragma once

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/crossing.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SendRecvSchedule final : public Schedule {
 public:
  /// `spec.root` and `spec.peer` differ. For a group of at least two; `shape` must outlive the
  /// schedule.
  SendRecvSchedule(const CollectiveSpec& spec, const GroupShape& shape, bool pxn);

  std::uint64_t flow_count() const override { return counts_.total(); }  ///< legs of all messages
  std::uint32_t channels() const override { return 1; }  ///< all messages are of channel 0
  /// Counts messages before they are cut into legs: chunk k is the k-th.
  std::uint32_t chunk_count() const override { return to_next() ? shape_.ranks() : 1; }
  /// Counts the legs that begin and end at `p`.
  FlowCounts CountsOf(Participant p) const override { return counts_.Of(p); }
  /// Appends the first leg of what `p` sends; nothing if it only receives.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the second leg after the first (PXN).
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;  ///< 1 for a second leg, else 0
  /// Appends the first leg of a second one.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Visits by message, then leg.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this) + counts_.memory(); }

 private:
  /// Whether every rank sends to the next, the last to rank 0.
  bool to_next() const { return spec_.peer == GroupShape::kNone; }
  /// Returns the crossing of the k-th message.
  Crossing HopOf(std::uint32_t k) const;
  /// Makes the k-th message's part over leg 0 or 1 of `hop`; each leg carries all bytes.
  GroupFlow Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t k) const;

  CollectiveSpec spec_;
  const GroupShape& shape_;
  bool pxn_;
  LegCounts counts_;
};

}  // namespace heddle
