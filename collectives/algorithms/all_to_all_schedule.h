// SPDX-License-Identifier: GPL-2.0-only
/// AllToAll without PXN: rank i sends slice j of its buffer to rank j, all at once.
///
/// Source: SimAI's MockNcclGroup.cc (AllToAll): one channel, one chunk, no parents, in the order of
/// i, then j. With PXN: pxn_all_to_all_schedule.h.
#pragma once

#include "collectives/schedule/schedule.h"

namespace heddle {

class AllToAllSchedule final : public Schedule {
 public:
  /// `bytes`: a rank's whole buffer. For a group of at least two; `shape` must outlive the
  /// schedule.
  AllToAllSchedule(std::int64_t bytes, const GroupShape& shape) : bytes_(bytes), shape_(shape) {}

  /// n (n - 1): a message for each ordered pair of n ranks.
  std::uint64_t flow_count() const override {
    return std::uint64_t{shape_.ranks()} * (shape_.ranks() - 1);
  }
  std::uint32_t channels() const override { return 1; }     ///< all messages are of channel 0
  std::uint32_t chunk_count() const override { return 1; }  ///< and of chunk 0
  /// A rank sends n - 1 messages and receives as many; others none.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends all messages of the rank `p`, by destination.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends nothing: no message waits for another.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override {}
  /// Returns 0: all messages begin at once.
  std::uint32_t ParentCount(const GroupFlow& flow) const override { return 0; }
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override {}
  /// Visits by source, then destination.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this); }

 private:
  std::int64_t bytes_;
  const GroupShape& shape_;
};

}  // namespace heddle
