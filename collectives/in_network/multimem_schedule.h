// SPDX-License-Identifier: GPL-2.0-only
/// NVLS within one server as NCCL has it: a GPU fetches sums from an NVSwitch and stores results
/// through it to all GPUs (multimem).
///
/// Source: NCCL 2.30, its NVLS kernels of the three operations, and src/enqueue.cc
/// (calcCollChunking). Rank h is the head of slice h, of as many as there are ranks, which is cut
/// into pieces. Of each piece the head asks the NVSwitch; the NVSwitch reads it from every GPU, the
/// head's too, adds, and returns one copy. The head stores the sum through the NVSwitch, which
/// copies it to every GPU. AllGather is the store alone, ReduceScatter the fetch. So a GPU sends B
/// + B / n of an AllReduce of B bytes over n GPUs, and receives as much; with SimAI's form of NVLS
/// it is B in each direction. A head has a number of pieces in flight: it asks for the next when a
/// sum has come, and stores the next part of an AllGather when one has left. With several
/// NVSwitches, pieces take them in turn.
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

/// Returns the largest piece [byte] of a buffer of `bytes` over `heads` GPUs: NCCL's rule, which
/// lowers ChunkOptions::multimem_bytes for small buffers.
std::int64_t MultimemPiece(std::int64_t bytes, std::uint32_t heads, const ChunkOptions& options);

class MultimemSchedule final : public Schedule {
 public:
  /// AllReduce, AllGather or ReduceScatter of at least two ranks in one server with NVSwitches.
  /// `shape` must outlive it.
  MultimemSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                   const ChunkOptions& options);

  /// For each piece of n heads 2 + 2 n messages of a fetch and 1 + n of a store, as far as the
  /// operation has them.
  std::uint64_t flow_count() const override;
  /// A channel is a head's.
  std::uint32_t channels() const override { return heads_; }
  /// A chunk is a piece.
  std::uint32_t chunk_count() const override { return pieces_; }
  /// Counts for a GPU its own pieces and its part in all others', for an NVSwitch the pieces whose
  /// turn it has.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends a GPU's first requests, or its first stores of an AllGather; an NVSwitch only answers.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends what answers the message at an NVSwitch or GPU; at a head that got a sum, its store
  /// and the next request.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Counts a message from every GPU for an NVSwitch's sum, else at most one.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the message that `flow` answers, the parts of a sum, or the sum that lets a head go
  /// on.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// AllGather: appends the head's store that is in_flight_ pieces later.
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  /// The inverse: the head's store that is in_flight_ pieces earlier.
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  /// Visits by head, then piece, in the order in which the messages of a piece follow each other.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits by head and NVSwitch: one bundle for each link of requests, two of data, as pieces
  /// differ by a byte.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  /// True of every message, whatever flow.completion says.
  bool IsHeardOnArrival(const GroupFlow& /*flow*/) const override { return true; }
  std::size_t memory() const override { return sizeof(*this); }  ///< keeps no table [byte]

 private:
  /// A head's piece.
  struct Piece {
    Participant head = 0;
    std::uint32_t number = 0;
  };
  /// Returns the piece that a message's channel and chunk name.
  static Piece PieceOf(const GroupFlow& flow) { return {flow.channel, flow.chunk}; }
  /// Returns the NVSwitch whose turn the piece is; head h begins with NVSwitch h, modulo their
  /// number.
  Participant SwitchOf(const Piece& piece) const {
    return shape_.nvswitch(0, (piece.head + piece.number) % switches_);
  }
  bool IsSwitch(Participant p) const { return shape_.is_nvswitch(p); }  ///< else a GPU
  /// Makes a message; a request carries no data but says how many bytes it asks for.
  GroupFlow Make(const Piece& piece, Connection connection, Participant source,
                 Participant destination) const;
  // The messages of a piece, in their order.
  GroupFlow Request(const Piece& piece) const;                     ///< head to NVSwitch
  GroupFlow RequestTo(const Piece& piece, Participant gpu) const;  ///< NVSwitch to each GPU
  GroupFlow Pull(const Piece& piece, Participant gpu) const;       ///< a GPU's data to the NVSwitch
  GroupFlow Sum(const Piece& piece) const;                         ///< NVSwitch to head
  GroupFlow Store(const Piece& piece) const;  ///< what the head has, to the NVSwitch
  GroupFlow StoreTo(const Piece& piece, Participant gpu) const;  ///< the NVSwitch's copy for a GPU
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
