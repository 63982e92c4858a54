// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter by CollNet, its direct form.
///
/// Source: NCCL 2.30, its CollNet kernels of the two operations, and src/enqueue.cc
/// (calcCollChunking). A rail is what the GPUs of one place in their servers own of the buffer: a
/// block of each server, of B / N bytes for N ranks. Local rank i of every server is a head of rail
/// i. AllGather: a head sends its block up the tree of its rail; the root sends it down to all
/// heads, its own too; each copies it to the others of its server. ReduceScatter is the mirror:
/// GPUs send what is the rail's to its head, which adds; switches add what heads send up; the root
/// sends each sum down to the head that owns it. So a GPU has (g - 1) / g B on its NVLinks in each
/// direction; at its NIC it has B / g in one direction, in at an AllGather and out at a
/// ReduceScatter, and B / N in the other.
///
/// Parts are what goes through the tree: blocks, or their pieces if they are large. Small parts,
/// whose servers follow each other, make a group; what goes between two GPUs of a server is one
/// message a group. A rank has a number of groups in flight. AllGather: a head sends the next when
/// an earlier one has come from all. ReduceScatter: a GPU sends the next to the heads when the last
/// part of an earlier one of its own rail has left. A part is a stream of its own, so parts of
/// several servers never share a packet.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/in_network/tree_links.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class CollNetPartsSchedule final : public Schedule {
 public:
  /// Schedules the AllGather or ReduceScatter of a group. Requires WhyNoCollNet() to be empty for
  /// the direct form. `shape` must outlive it.
  CollNetPartsSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                       const ChunkOptions& options);

  /// Counts the messages of all rails: in trees, down to or up from all heads and between owners
  /// and roots, and within servers.
  std::uint64_t flow_count() const override;
  /// A channel is a rail.
  std::uint32_t channels() const override { return locals_; }
  /// A chunk is a part of the rail between servers, a group of them within a server.
  std::uint32_t chunk_count() const override { return parts_; }
  /// Number of groups of a rail; within a server a group is one message.
  std::uint32_t groups() const { return groups_; }
  /// Counts a GPU's messages within its server and on its rail, and a switch's on the links of its
  /// tree. In an AllGather each part crosses a link away from the root, and towards it on the path
  /// from its owner; in a ReduceScatter the reverse.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends the first groups, as many as may be in flight: a head's own blocks (AllGather), or
  /// what a GPU has for the heads (ReduceScatter).
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends what a switch passes on; what a head copies or sends up of a group when a message has
  /// come.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Returns 0 for messages of the first groups; else a number that depends on the role and the
  /// place in the tree.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends what feeds `flow`, and the parts of the group whose return lets a head send this one
  /// (AllGather).
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// ReduceScatter: after the last part of a group has left its head, appends what the GPU sends of
  /// the group that is in_flight_ later.
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  /// The inverse: appends the last part of the earlier group; nothing in an AllGather.
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  /// Visits a range for each part of a group within a server, one range in the tree.
  void ForEachRange(const GroupFlow& flow,
                    const std::function<void(const ByteRange&)>& visit) const override;
  /// Visits by rail and number: the parts in the tree, then the group of that number within
  /// servers.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits each link of the trees and of the servers, with a bundle for each size of its messages.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override;  ///< with the links of all rails [byte]

 private:
  using Flows = std::vector<GroupFlow>;
  /// A part or a group of a rail.
  struct Piece {
    std::uint32_t rail = 0, number = 0;
  };
  /// Numbers of parts.
  struct Numbers {
    std::uint32_t begin = 0, end = 0;
  };

  /// The server that owns the part's block.
  std::uint32_t ServerOf(std::uint32_t part) const { return part / in_block_; }
  /// The group that the part belongs to.
  std::uint32_t GroupOf(std::uint32_t part) const { return part / in_group_; }
  /// Returns the parts of a group; none if there is no such group.
  Numbers PartsOf(std::uint32_t group) const;
  /// Returns the parts of a group whose blocks this server owns.
  Numbers PartsOf(std::uint32_t group, std::uint32_t server) const;
  /// Returns where a part lies in the buffer.
  ByteRange RangeOf(const Piece& part) const;
  /// Sums the bytes of a group's parts.
  std::int64_t BytesOfGroup(const Piece& group) const;

  // The tree of a rail: heads below switches.
  /// Returns the switch above a head or switch; the root is above itself.
  Participant Above(std::uint32_t rail, Participant p) const;
  /// Returns the participant below switch `p` on the path to the head of `server`; kNone: it is not
  /// below.
  Participant Towards(std::uint32_t rail, Participant p, std::uint32_t server) const;
  /// Returns the GPU of a server that is the head of a rail.
  Participant HeadOf(std::uint32_t rail, std::uint32_t server) const {
    return shape_.local(server, rail);
  }

  /// Makes the message of a part from a head or switch to the switch above; reduced by the head if
  /// its server has several GPUs.
  GroupFlow Up(const Piece& part, Participant from) const;
  /// Makes the message of a part from the switch above down to `to`.
  GroupFlow Down(const Piece& part, Participant to) const;
  /// Makes the message of a group between a head and another GPU of its server: from the head
  /// (AllGather) or to it.
  GroupFlow Inside(const Piece& group, Participant other) const;
  // These append.
  /// Up() from all that is below a switch.
  void AddUps(const Piece& part, Participant p, Flows* out) const;
  /// Down() to all that is below a switch.
  void AddDowns(const Piece& part, Participant p, Flows* out) const;
  /// Down() to what is next on the path to the owner; nothing if the owner is not below `p`.
  void AddDownToOwner(const Piece& part, Participant p, Flows* out) const;
  /// Up() of the parts of a group that `head` sends: its own blocks (AllGather) or all.
  void AddOwnUps(const Piece& group, Participant head, Flows* out) const;
  /// Inside() for all other GPUs of the server of `head`.
  void AddInside(const Piece& group, Participant head, Flows* out) const;
  /// Appends what a GPU of a ReduceScatter sends of a group, to all heads.
  void AddToHeads(std::uint32_t group, Participant p, Flows* out) const;
  /// All messages of a part, and those of the group of the same number.
  void All(const Piece& piece, Flows* out) const;

  const GroupShape& shape_;
  std::int64_t bytes_;
  bool gathers_;
  std::uint32_t locals_, in_flight_;
  std::uint32_t in_block_ = 1;  ///< parts of a block
  std::uint32_t in_group_ = 1;  ///< parts of a group; 1 if blocks have several
  std::uint32_t parts_ = 0, groups_ = 0;
  std::vector<TreeLinks> links_;                           ///< by rail
  std::vector<std::vector<std::uint32_t>> servers_below_;  ///< by rail and switch
};

}  // namespace heddle
