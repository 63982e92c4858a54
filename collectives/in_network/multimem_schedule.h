// SPDX-License-Identifier: GPL-2.0-only
/// NVLS within one server as NCCL has it: a GPU fetches sums from an NVSwitch and stores results
/// through it to all GPUs (multimem).
///
/// Source: NCCL 2.30, its NVLS kernels of the three operations, and src/enqueue.cc
/// (calcCollChunking). Rank h is the head of slice h, of as many as there are ranks,
/// which is cut into pieces. Of each piece the head asks the NVSwitch; the NVSwitch reads it from
/// every GPU, the head's too, adds, and returns one copy. The head stores the sum through the
/// NVSwitch, which copies it to every GPU. AllGather is the store alone, ReduceScatter the fetch.
/// So a GPU sends B + B / n of an AllReduce of B bytes over n GPUs, and receives as much; with
/// SimAI's form of NVLS it is B each way. A head has a number of pieces under way: it asks for the
/// next when a sum has come, and stores the next part of an AllGather when one has left. With
/// several NVSwitches, pieces take them in turn.
///
/// A head's requests and stores wait for software; what the NVSwitch and the GPUs' memories answer
/// does not, but a GPU's memory is not read before its first message could start. A request is a
/// message without data, which takes a byte. The NVSwitch adds a piece when it has all of it from
/// every GPU. Left out: the copies from and to a user's buffer, which cross no link; a barrier
/// before a GPU's data may be read.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// Bytes of a piece for a buffer of `bytes` over `heads` GPUs, at most: NCCL's rule, which halves
/// ChunkOptions::multimem_bytes for small buffers.
std::int64_t MultimemPiece(std::int64_t bytes, std::uint32_t heads, const ChunkOptions& options);

class MultimemSchedule final : public Schedule {
 public:
  /// AllReduce, AllGather or ReduceScatter of at least two ranks in one server with NVSwitches.
  /// `shape` must outlive it.
  MultimemSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                   const ChunkOptions& options);

  std::uint64_t flow_count() const override;
  /// A channel is a head's.
  std::uint32_t channels() const override { return heads_; }
  /// A chunk is a piece.
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
  bool IsHeardOnArrival(const GroupFlow& /*flow*/) const override { return true; }
  std::size_t memory() const override { return sizeof(*this); }

 private:
  /// A head's piece.
  struct Piece {
    Participant head = 0;
    std::uint32_t number = 0;
  };
  static Piece PieceOf(const GroupFlow& flow) { return {flow.channel, flow.chunk}; }
  Participant SwitchOf(const Piece& piece) const {
    return shape_.nvswitch(0, (piece.head + piece.number) % switches_);
  }
  bool IsSwitch(Participant p) const { return shape_.is_nvswitch(p); }
  GroupFlow Make(const Piece& piece, Connection connection, Participant source,
                 Participant destination) const;
  // The messages of a piece, in their order.
  GroupFlow Request(const Piece& piece) const;
  GroupFlow RequestTo(const Piece& piece, Participant gpu) const;
  GroupFlow Pull(const Piece& piece, Participant gpu) const;
  GroupFlow Sum(const Piece& piece) const;
  GroupFlow Store(const Piece& piece) const;
  GroupFlow StoreTo(const Piece& piece, Participant gpu) const;
  /// Appends make(piece, gpu) for every GPU.
  void ForAll(const Piece& piece,
              GroupFlow (MultimemSchedule::*make)(const Piece&, Participant) const,
              std::vector<GroupFlow>* out) const;
  /// Appends all messages of a piece.
  void All(const Piece& piece, std::vector<GroupFlow>* out) const;

  const GroupShape& shape_;
  std::int64_t bytes_;
  bool fetches_, stores_;
  std::uint32_t heads_, switches_, pieces_, in_flight_;
};

}  // namespace heddle
