// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce by NVLS over several servers as NCCL has it: NVSwitches add within servers, and a tree
/// above the heads adds what servers have.
///
/// Source: NCCL 2.30, its NVLS and NVLS-Tree kernels of AllReduce, and src/enqueue.cc
/// (calcCollChunking). The buffer is cut into as many slices as the smallest server has ranks;
/// local rank i of every server is the head of slice i, which is cut into pieces. Of each piece a
/// head asks its NVSwitch, which reads it from every GPU of the server, adds, and returns one copy
/// (multimem_schedule.h). Above the heads are switches that add, CollNet's, or two binary trees
/// over the servers, where a head adds what up to two others bring. What comes back a head stores
/// through the NVSwitch to every GPU of its server. So a GPU of a server of g sends B + B / g on
/// its NVLinks and receives as much; at its NIC it has B / g in each direction with switches, and 2
/// B / g at most, summed over both trees, without them.
///
/// A head has some pieces a channel in flight, the slots of a connection
/// (ChunkOptions::multimem_slots): it asks for the next when the result of an earlier one has come.
/// Sums of servers wait at heads apart from the buffers. Left out: what multimem_schedule.h and
/// collnet_schedule.h leave out; that NCCL cuts smaller pieces where its tuner expects less than
/// 150 GB/s.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/in_network/head_tree.h"
#include "collectives/in_network/tree_links.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// What is above the heads.
enum class AboveHeads : std::uint8_t { kSwitches, kBinaryTrees };

/// Returns the largest piece [byte] of a buffer of `bytes`: NCCL's rules of NVLS and NVLS-Tree.
std::int64_t MultimemTreePiece(AboveHeads above, std::int64_t bytes, const GroupShape& shape,
                               const ChunkOptions& options);

/// Why it cannot serve a group, in words; empty: it can.
std::string WhyNoMultimemTree(AboveHeads above, const GroupShape& shape);

class MultimemTreeSchedule final : public Schedule {
 public:
  /// Schedules the AllReduce of a group. Requires WhyNoMultimemTree() to be empty. `shape` must
  /// outlive it.
  MultimemTreeSchedule(AboveHeads above, const CollectiveSpec& spec, const GroupShape& shape,
                       const ChunkOptions& options);

  /// For each piece 3 + 3 g messages in a server of g GPUs, and two on each link of its tree.
  std::uint64_t flow_count() const override;
  /// A channel is a slice.
  std::uint32_t channels() const override { return slices_; }
  /// A chunk is a piece.
  std::uint32_t chunk_count() const override { return pieces_; }
  /// Counts the messages of the pieces in which `p` takes part, as a GPU, an NVSwitch or a node of
  /// trees.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends the first requests of a head, as many as may be in flight; nothing for others.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends what answers `arrived` within a server; at a node of the tree the message up, or what
  /// AfterResult() appends.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Counts inputs for a message up; what brings the result for one down, a store, or the request
  /// that follows it.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the messages that ParentCount() counts.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Visits by slice and piece: the messages of each server, then those of the tree.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits pieces of the same NVSwitch or tree together: for each link one bundle of requests, two
  /// of data, as pieces differ by a byte.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  /// Whether the message stays within a server: NVSwitches and memories answer without software.
  bool IsHeardOnArrival(const GroupFlow& flow) const override { return IsInside(flow.connection); }
  /// Whether it is a server's sum or the result at a head, which are kept apart from the buffer.
  bool IsStaged(const GroupFlow& flow) const override;
  /// Memory with that of the tree [byte].
  std::size_t memory() const override { return sizeof(*this) + tree_->memory(); }

 private:
  using Flows = std::vector<GroupFlow>;
  using Piece = HeadTree::Piece;
  /// Returns the piece that a message's channel and chunk name.
  static Piece PieceOf(const GroupFlow& flow) { return {flow.channel, flow.chunk}; }
  /// Whether a message goes between a GPU and an NVSwitch.
  static bool IsInside(Connection connection) {
    return connection == Connection::kNvlsRequest || connection == Connection::kNvlsPull ||
           connection == Connection::kNvlsStore;
  }
  std::uint32_t ServerOf(Participant p) const { return shape_.server_of(p); }
  /// Returns the GPU of a server that is the head of the piece's slice.
  Participant HeadOf(const Piece& piece, std::uint32_t server) const {
    return shape_.local(server, piece.slice);
  }
  /// Returns the NVSwitch of a server whose turn the piece is.
  Participant SwitchOf(const Piece& piece, std::uint32_t server) const {
    return shape_.nvswitch(server, (piece.slice + piece.number) % shape_.nvswitches(server));
  }

  /// Makes a message; a request carries no data but says how many bytes it asks for.
  GroupFlow Make(const Piece& piece, Connection connection, Participant source,
                 Participant destination) const;
  // The messages of a piece within a server, in their order.
  GroupFlow Request(const Piece& piece, Participant head) const;   ///< head to NVSwitch
  GroupFlow RequestTo(const Piece& piece, Participant gpu) const;  ///< NVSwitch to each GPU
  GroupFlow Pull(const Piece& piece, Participant gpu) const;       ///< a GPU's data to the NVSwitch
  GroupFlow Sum(const Piece& piece, Participant head) const;       ///< NVSwitch to head
  GroupFlow Store(const Piece& piece, Participant head) const;     ///< the result to the NVSwitch
  GroupFlow StoreTo(const Piece& piece, Participant gpu) const;    ///< its copy for a GPU
  // The messages between nodes of the tree.
  /// Makes the message to the node above `from`, which is not the root.
  GroupFlow Up(const Piece& piece, Participant from) const;
  /// Makes the message that brings the result to `to`, which is not the root, from above.
  GroupFlow Down(const Piece& piece, Participant to) const;

  /// Counts what a node adds: what comes from below, and a head's Sum().
  std::uint32_t CountInputs(const Piece& piece, Participant node) const;
  // These append.
  /// Appends the messages that CountInputs() counts.
  void AddInputs(const Piece& piece, Participant node, Flows* out) const;
  /// What a node sends when it has all inputs.
  void AfterInputs(const Piece& piece, Participant node, Flows* out) const;
  /// What it sends when it has the result.
  void AfterResult(const Piece& piece, Participant node, Flows* out) const;
  /// Down() to each node below.
  void AddDowns(const Piece& piece, Participant node, Flows* out) const;
  /// What brings the result to a node: of the root, all inputs.
  void AddBringers(const Piece& piece, Participant node, Flows* out) const;
  /// Counts what AddBringers() appends.
  std::uint32_t CountBringers(const Piece& piece, Participant node) const;
  /// make(piece, gpu) for every GPU of a server.
  void ForServer(const Piece& piece, std::uint32_t server,
                 GroupFlow (MultimemTreeSchedule::*make)(const Piece&, Participant) const,
                 Flows* out) const;
  /// Appends the messages of a piece within a server, in their order.
  void AllOfServer(const Piece& piece, std::uint32_t server, Flows* out) const;
  /// Appends Up() and Down() of each node of the tree but the root.
  void AllBetween(const Piece& piece, Flows* out) const;
  /// Visits bundles of the messages `flows` in each piece from `first` on, `step` apart.
  void VisitLike(const Flows& flows, std::uint32_t slice, std::uint32_t first, std::uint32_t step,
                 const std::function<void(const FlowBundle&)>& visit) const;

  const GroupShape& shape_;
  std::unique_ptr<HeadTree> tree_;
  std::int64_t bytes_;
  std::uint32_t slices_, pieces_, in_flight_;
};

}  // namespace heddle
