// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce by CollNet: servers add what their GPUs have, and switches add what the servers have.
///
/// Source: NCCL 2.30, its CollNet kernels of AllReduce, and src/enqueue.cc (calcCollChunking). The
/// buffer is cut into as many slices as a server has GPUs; local rank i of every server is the head
/// of slice i, which is cut into pieces. A piece goes up within each server to the head, which
/// adds; from the head to a tree of switches, which add; down the tree to the heads; and down
/// within each server. Two forms differ within a server. Direct: every GPU sends to the head, and
/// the head to every GPU. Chain: the GPUs are a chain that ends at the head, so that each adds what
/// one other brings. Both have 2 (g - 1) / g of the buffer on a GPU's NVLinks, in each direction
/// and summed over all slices, and 1 / g at its NIC in each direction, whatever the number of
/// servers is.
///
/// A GPU has a number of pieces of a slice in flight: it begins the next when the result of an
/// earlier one has come. Switches add packet by packet (transport/domain/streams); their messages
/// wait for no software. Left out: that the library joins the requests of several channels.
///
/// In the low-latency mode of switches (GroupShape::sum_operations) a head cuts what it has of a
/// piece into operations, each a message of its own in the tree. It has window_ of them in flight
/// there: the result of operation k lets operation k + window_ leave, without software.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/in_network/tree_links.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

enum class CollNetForm : std::uint8_t { kDirect, kChain };

/// Returns the largest piece [byte] of a buffer of `bytes` over servers of `locals` GPUs each:
/// NCCL's rule, which halves 512 KiB (direct) or 256 KiB (chain) for small buffers.
std::int64_t CollNetPiece(CollNetForm form, std::int64_t bytes, std::uint32_t locals,
                          const ChunkOptions& options);

/// Why CollNet cannot serve a group, in words; empty: it can.
std::string WhyNoCollNet(CollNetForm form, const GroupShape& shape);

class CollNetSchedule final : public Schedule {
 public:
  /// Schedules the AllReduce of a group. Requires WhyNoCollNet() to be empty. `shape` must outlive
  /// it.
  CollNetSchedule(CollNetForm form, const CollectiveSpec& spec, const GroupShape& shape,
                  const ChunkOptions& options);

  /// Counts up and down messages: one a piece within servers, cuts_ a piece in the trees.
  std::uint64_t flow_count() const override;
  /// A channel is a head's slice.
  std::uint32_t channels() const override { return locals_; }
  /// A chunk is an operation in the tree, which has all of a piece in streaming mode. Within a
  /// server it is a piece.
  std::uint32_t chunk_count() const override { return pieces_ * cuts_; }
  /// Counts what a GPU hands on one by one: pieces, not operations.
  std::uint32_t piece_count() const override { return pieces_; }
  /// A participant has as many messages to send as to receive; NVSwitches have none.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends what GPUs with nothing below them send of the first pieces; if servers have one GPU
  /// each, its first operations.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the sum's next message up, or the result's messages down; where a piece begins, also
  /// the piece that its result lets go.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Up: what is below the source, and the earlier result that it waits for. Down: what brings the
  /// result to the source.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends what is below the source, what is above it, or the earlier result that `flow` waits
  /// for.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Visits by head, then number: the operation of that number, and the piece if there is one.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits two bundles for each link and direction: the smaller messages and those larger by a
  /// byte.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  /// Whether the message brings an addend to a head in low-latency mode: an operation may leave as
  /// soon as that is there.
  bool IsHeardOnArrival(const GroupFlow& flow) const override {
    return shape_.sum_operations().any() && flow.connection == Connection::kTreeUp &&
           IsHead(flow.channel, flow.destination);
  }
  std::size_t memory() const override;  ///< with the links of all trees [byte]

 private:
  /// A piece of a head's slice.
  struct Piece {
    std::uint32_t head = 0;  ///< its local rank
    std::uint32_t number = 0;
  };
  /// Returns the piece of a message, or the operation of a message in the tree.
  static Piece PieceOf(const GroupFlow& flow) { return {flow.channel, flow.chunk}; }
  /// Whether a message goes between nodes of the tree, so that its number is that of an operation.
  static bool InTree(Connection connection) {
    return connection == Connection::kCollNetUp || connection == Connection::kCollNetDown;
  }

  /// Makes a message; its range is that of an operation in the tree, else of a piece.
  GroupFlow Make(const Piece& piece, Connection connection, Participant source,
                 Participant destination) const;
  /// Makes the message that a participant sends towards the head or the root. `piece`: an
  /// operation, if that is in the tree.
  GroupFlow Up(const Piece& piece, Participant from) const;
  /// Makes the message that brings the result to a participant from above; `piece` as of Up().
  GroupFlow Down(const Piece& piece, Participant to) const;

  // The tree of a slice: GPUs of servers below their heads, heads below switches.
  bool IsRoot(std::uint32_t head, Participant p) const;  ///< at the root all sums meet
  /// Returns what is next towards the head or the root; the root is above itself.
  Participant Above(std::uint32_t head, Participant p) const;
  /// Counts what sends to `p`: in the tree of switches, or within the server.
  std::uint32_t CountBelow(std::uint32_t head, Participant p) const;
  /// Replaces what `found` holds by what sends to `p`.
  void Below(std::uint32_t head, Participant p, std::vector<Participant>* found) const;
  /// Distance of a GPU from the head within the server: along the chain, or 0 and 1 in the direct
  /// form.
  std::uint32_t PlaceOf(std::uint32_t head, Participant rank) const;
  /// Whether `p` is a GPU that begins pieces, as nothing is below it.
  bool AtEnd(std::uint32_t head, Participant p) const {
    return !shape_.adds(p) && CountBelow(head, p) == 0;
  }
  /// Whether `p` is the GPU of its server that this slice belongs to.
  bool IsHead(std::uint32_t head, Participant p) const {
    return !shape_.adds(p) && PlaceOf(head, p) == 0;
  }
  /// Whether a head's operation waits for the result of an earlier one.
  bool HasTurn(std::uint32_t operation) const { return operation >= window_; }
  /// Returns operation k < cuts_ of a piece.
  Piece Operation(const Piece& piece, std::uint32_t k) const {
    return {piece.head, piece.number * cuts_ + k};
  }
  /// Returns the piece that an operation is cut from.
  Piece WholeOf(const Piece& operation) const { return {operation.head, operation.number / cuts_}; }

  /// Appends Up() of what is below `p`.
  void AddUps(const Piece& piece, Participant p, std::vector<GroupFlow>* out) const;
  /// Appends Down() to what is below `p`.
  void AddDowns(const Piece& piece, Participant p, std::vector<GroupFlow>* out) const;
  /// Appends all messages of this number: of an operation, and of a piece if there is one.
  void All(const Piece& part, std::vector<GroupFlow>* out) const;

  CollNetForm form_;
  const GroupShape& shape_;
  std::int64_t bytes_;
  std::uint32_t locals_, pieces_, in_flight_;
  std::uint32_t cuts_ = 1;        ///< operations of a piece
  std::uint32_t window_;          ///< operations of a head in flight
  std::vector<TreeLinks> links_;  ///< by head
};

}  // namespace heddle
