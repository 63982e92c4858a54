// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce over spanning trees: each piece goes up to the root, which reduces, and down again.
///
/// A participant sends a piece up when it has that piece from all its children. The root then sends
/// it down; others forward it when it arrives from above. Leaves keep a fixed number of pieces in
/// flight and send the next piece when one has left.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/trees/spanning_trees.h"

namespace heddle {

class AllReduceTrees final : public Schedule {
 public:
  /// Divides `bytes` of the buffer over the channels, and each channel's share into `pieces`, of
  /// which a leaf has `in_flight` on the link to its parent; both >= 1.
  AllReduceTrees(std::unique_ptr<SpanningTrees> trees, std::int64_t bytes, std::uint32_t pieces,
                 std::uint32_t in_flight);

  /// Counts two messages for each edge and piece.
  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return trees_->channels(); }  ///< a tree each
  std::uint32_t chunk_count() const override { return pieces_; }          ///< a chunk is a piece
  /// A piece crosses each edge once in both directions.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends the first pieces of each channel in which `p` is a leaf.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the piece's message up; at the root, or if it came from above, the messages down.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Counts the children, for messages up and those of the root; 1 for others.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the piece's messages from the children, or the one from above.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Appends, at a leaf only, the piece that is the number in flight after `sent`.
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  /// Appends, at a leaf only, the piece that is the number in flight before `flow`.
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  /// Visits by channel, piece and source: the message up, then those down.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits two bundles for each edge and direction: smaller pieces and those that are larger by a
  /// byte.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  /// Memory of the schedule, without that of its trees [byte].
  std::size_t memory() const override {
    return sizeof(*this) + edges_.capacity() * sizeof(edges_[0]);
  }

 private:
  /// Makes the message of a piece over an edge; upward ones reduce.
  GroupFlow Make(std::uint32_t channel, std::uint32_t piece, Participant source,
                 Participant destination) const;
  /// Whether the message goes to the parent of its source.
  bool IsUp(const GroupFlow& flow) const {
    return trees_->Parent(flow.channel, flow.source) == flow.destination;
  }
  /// Whether the message waits for no arrival: the upward message of a leaf.
  bool IsFirst(const GroupFlow& flow) const {
    return IsUp(flow) && trees_->ChildCount(flow.channel, flow.source) == 0;
  }
  /// Appends the piece's message to each child.
  void SendDown(std::uint32_t channel, std::uint32_t piece, Participant p,
                std::vector<GroupFlow>* out) const;

  std::unique_ptr<SpanningTrees> trees_;
  std::int64_t bytes_;
  std::uint32_t pieces_, in_flight_;
  std::uint64_t flow_count_ = 0;
  /// By participant: number of its neighbours, summed over the channels.
  std::vector<std::uint32_t> edges_;
};

}  // namespace heddle
