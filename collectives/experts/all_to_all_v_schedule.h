// SPDX-License-Identifier: GPL-2.0-only
/// AllToAll whose pairs of ranks exchange different sizes: one message a pair, all at once.
///
/// Source: NCCL's ncclSend and ncclRecv in a group, by which PyTorch's all_to_all_single and
/// Megatron-LM exchange tokens. A pair without bytes has no message, as NCCL's sends of nothing
/// have none; a rank without messages ends when it begins.
///
/// Omitted: the exchange of counts before it, which is small (reference in docs/models/experts.md);
/// PXN.
#pragma once

#include <vector>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/traffic/pair_sizes.h"

namespace heddle {

class AllToAllVSchedule final : public Schedule {
 public:
  /// `sizes`: of as many ranks as `shape` has; both must outlive the schedule.
  AllToAllVSchedule(const PairSizes& sizes, const GroupShape& shape);

  /// Counts the pairs of different ranks with bytes.
  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return 1; }     ///< all messages are of channel 0
  std::uint32_t chunk_count() const override { return 1; }  ///< and of chunk 0
  /// Counts the ranks to which it has bytes, and those that have bytes for it.
  FlowCounts CountsOf(Participant p) const override;
  /// Whether the pair has bytes.
  bool Knows(const GroupFlow& name) const override;
  /// Appends all messages of the rank `p`, by destination.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends nothing: no message waits for another.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override {}
  /// Returns 0: all messages begin at once.
  std::uint32_t ParentCount(const GroupFlow& flow) const override { return 0; }
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override {}
  /// Visits by source, then destination.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override {
    return sizeof(*this) + counts_.capacity() * sizeof(FlowCounts);
  }

 private:
  /// Bytes from one rank to another.
  std::int64_t BytesOf(Participant from, Participant to) const {
    return sizes_.bytes[std::size_t{from} * shape_.ranks() + to];
  }

  const PairSizes& sizes_;
  const GroupShape& shape_;
  std::vector<FlowCounts> counts_;  ///< by rank
  std::uint64_t flow_count_ = 0;
};

}  // namespace heddle
