// SPDX-License-Identifier: GPL-2.0-only
/// Broadcast and Reduce along rings opened at the root: pipelined chains.
///
/// Source: NCCL's ring Broadcast and Reduce. Each ring carries its share of the buffer in pieces.
/// Broadcast: from the root along the ring to the rank before it. Reduce: from the rank after the
/// root along the ring to the root; each rank adds its own data. The first rank of a chain keeps a
/// fixed number of pieces in flight to the next; the others forward what arrives.
#pragma once

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/rings.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class ChainSchedule final : public Schedule {
 public:
  /// Broadcast or Reduce over a group of at least two; `shape` must outlive the schedule.
  ChainSchedule(const CollectiveSpec& spec, const GroupShape& shape, const ChunkOptions& options,
                bool pxn);

  /// Pieces of a ring times legs of a piece on all rings.
  std::uint64_t flow_count() const override { return pieces_ * counts_.total(); }
  std::uint32_t channels() const override { return rings_.count(); }  ///< a channel is a ring
  /// Counts chunks: chunk k is piece k of the ring's share.
  std::uint32_t chunk_count() const override { return pieces_; }
  /// Counts the legs of all pieces that `p` sends and receives; zero for NVSwitches.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends the first pieces, as many as may be in flight, of each ring whose chain begins at `p`.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the second leg of the hop by PXN, or the next hop of the same piece; nothing at the
  /// end of the chain.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Returns 0 for what the first rank of a chain sends, else 1.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the first leg of the hop by PXN, or the last leg of the hop before.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Appends, at the first rank of a chain only, the piece that is the number in flight after
  /// `sent`.
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  /// Appends, at the first rank of a chain only, the piece that is the number in flight before
  /// `flow`.
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  /// Visits by ring, piece and sending rank.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits two bundles for each leg: the pieces of floor(share / pieces) bytes and those of one
  /// more.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this) + rings_.memory() + counts_.memory(); }

 private:
  /// Returns the rank at which the ring's chain begins: the root of a Broadcast, the rank after the
  /// root of a Reduce.
  Participant FirstOf(std::uint32_t ring) const;
  /// Returns the rank at which the ring's chain ends.
  Participant LastOf(std::uint32_t ring) const { return rings_.Previous(ring, FirstOf(ring)); }
  /// Whether the first rank of its chain sends it: it waits for no arrival.
  bool Starts(const GroupFlow& flow) const;
  /// Makes the message that carries `piece` of the ring's share over leg 0 or 1 of `hop`.
  GroupFlow Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t ring,
                 std::uint32_t piece) const;

  CollectiveSpec spec_;
  Rings rings_;
  std::uint32_t pieces_;     ///< number of pieces of a ring's share
  std::uint32_t in_flight_;  ///< number of pieces
  LegCounts counts_;         ///< counts of one piece
};

}  // namespace heddle
