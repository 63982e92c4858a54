// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter by PAT, parallel aggregated trees (pat_rounds.h): a number of
/// messages that grows as the logarithm of the ranks, most of them to near ranks.
///
/// Source: as of pat_rounds.h; sizes: NCCL 2.30, src/enqueue.cc (calcCollChunking). One channel.
/// Blocks of less than a chunk travel together; larger ones are cut into pieces, and the whole
/// schedule is done for one piece after the other. A rank sends in one order: a message whose
/// parents have come waits until those before it are posted. Distances are of ranks, wherever their
/// servers are.
///
/// Left out: the credits of the receiver's slots, which bound what is in flight; NCCL's several
/// channels, which share one NIC; PXN.
#pragma once

#include <optional>
#include <string>

#include "collectives/algorithms/pat_rounds.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// What the sizes of a collective make of PAT.
struct PatPlan {
  PatFactors factors;
  std::uint32_t pieces = 1;  ///< of each block
};

/// Returns the plan of an AllGather or a ReduceScatter of at least two ranks and one byte. A chunk
/// is halved down to 64 KiB for buffers of few chunks.
PatPlan PatPlanOf(const CollectiveSpec& spec, std::uint32_t ranks, const ChunkOptions& options);

/// Why NCCL does not use PAT for such a group; empty: it does. It wants one GPU in each server.
std::string WhyNoPat(const GroupShape& shape, const ChunkOptions& options);

class PatSchedule final : public Schedule {
 public:
  /// AllGather or ReduceScatter over a group of at least two.
  PatSchedule(const CollectiveSpec& spec, const GroupShape& shape, const PatPlan& plan);

  const PatRounds& rounds() const { return rounds_; }

  /// Every rank sends each chunk once.
  std::uint64_t flow_count() const override {
    return std::uint64_t{rounds_.ranks()} * chunk_count();
  }
  std::uint32_t channels() const override { return 1; }  ///< the only one is channel 0
  /// A chunk is a message of a rank: number + messages x piece.
  std::uint32_t chunk_count() const override { return rounds_.messages() * pieces_; }
  /// A rank sends and receives chunk_count() messages; others none.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends chunk 0 only: the others of a rank follow in turn (NextInTurn).
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the messages of the same piece that carry on what `arrived` brought.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Counts parents, which are of the same piece; the number depends on the chunk only.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Returns the source's message of the next chunk number, after the last nothing.
  std::optional<GroupFlow> NextInTurn(const GroupFlow& posted) const override;
  /// Returns the source's message of the chunk number before, for chunk 0 nothing.
  std::optional<GroupFlow> PreviousInTurn(const GroupFlow& flow) const override;
  /// Visits a range for each block, by offset; blocks of a message need not be adjacent in the
  /// buffer.
  void ForEachRange(const GroupFlow& flow,
                    const std::function<void(const ByteRange&)>& visit) const override;
  /// Visits by chunk, then rank.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits messages of one block in two bundles, by size; those of several blocks one by one.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this) + rounds_.memory(); }

 private:
  /// The rank so far ahead of another.
  Participant Ahead(Participant rank, std::uint32_t distance) const;
  /// Returns the rank so far back, modulo n.
  Participant Behind(Participant rank, std::uint32_t distance) const;
  /// Message `chunk` of a rank.
  GroupFlow Make(Participant source, std::uint32_t chunk) const;
  /// The bytes of a block in the piece of a chunk.
  ByteRange PieceOf(std::uint32_t block, std::uint32_t chunk) const;
  /// Calls visit(range) for each block of message `chunk` from `source`.
  template <class Visit>
  void ForEachBlock(Participant source, std::uint32_t chunk, const Visit& visit) const;

  std::int64_t bytes_;
  PatRounds rounds_;
  std::uint32_t pieces_;
};

}  // namespace heddle
