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

  std::uint64_t flow_count() const override { return counts_.total(); }
  std::uint32_t channels() const override { return 1; }
  std::uint32_t chunk_count() const override { return to_next() ? shape_.ranks() : 1; }
  FlowCounts CountsOf(Participant p) const override { return counts_.Of(p); }
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this) + counts_.memory(); }

 private:
  bool to_next() const { return spec_.peer == GroupShape::kNone; }
  /// The crossing of the k-th message.
  Crossing HopOf(std::uint32_t k) const;
  GroupFlow Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t k) const;

  CollectiveSpec spec_;
  const GroupShape& shape_;
  bool pxn_;
  LegCounts counts_;
};

}  // namespace heddle
