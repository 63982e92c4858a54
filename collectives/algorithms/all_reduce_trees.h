// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce over spanning trees: piece by piece up to the root, which reduces, and down again.
///
/// Every participant sends a piece up when it has it from all its children; the root sends it down
/// then, everybody else when it has arrived from above. Leaves pace themselves: so many pieces at
/// once, the next when one has left.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_ALL_REDUCE_TREES_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_ALL_REDUCE_TREES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/spanning_trees.h"

namespace heddle {

class AllReduceTrees final : public Schedule {
 public:
  /// `bytes` of the buffer, cut over the channels, `pieces` of each channel, of which leaves have
  /// `in_flight` under way; both >= 1.
  AllReduceTrees(std::unique_ptr<SpanningTrees> trees, std::int64_t bytes, std::uint32_t pieces,
                 std::uint32_t in_flight);

  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return trees_->channels(); }
  std::uint32_t chunk_count() const override { return pieces_; }
  FlowCounts CountsOf(Participant p) const override;
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override {
    return sizeof(*this) + edges_.capacity() * sizeof(edges_[0]);
  }

 private:
  GroupFlow Make(std::uint32_t channel, std::uint32_t piece, Participant source,
                 Participant destination) const;
  bool IsUp(const GroupFlow& flow) const {
    return trees_->Parent(flow.channel, flow.source) == flow.destination;
  }
  /// Waits for no arrival: the upward message of a leaf.
  bool IsFirst(const GroupFlow& flow) const {
    return IsUp(flow) && trees_->ChildCount(flow.channel, flow.source) == 0;
  }
  void SendDown(std::uint32_t channel, std::uint32_t piece, Participant p,
                std::vector<GroupFlow>* out) const;

  std::unique_ptr<SpanningTrees> trees_;
  std::int64_t bytes_;
  std::uint32_t pieces_, in_flight_;
  std::uint64_t flow_count_ = 0;
  std::vector<std::uint32_t> edges_;  ///< by participant: its neighbours, summed over the channels
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_ALL_REDUCE_TREES_H_
