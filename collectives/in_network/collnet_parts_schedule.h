// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter by CollNet, its direct form.
///
/// Source: NCCL 2.30, its CollNet kernels of the two operations, and src/enqueue.cc
/// (calcCollChunking). A rail is what the GPUs of one place in their servers own of the buffer: a
/// block of each server, of B / N bytes for N ranks. Local rank i of every server is a head of rail
/// i. AllGather: a head sends its block up the tree of its rail; the root sends it down to all
/// heads, its own too; each copies it to the others of its server. ReduceScatter is the mirror:
/// GPUs send what is the rail's to its head, which adds; switches add what heads send up; the root
/// sends each sum down to the head that owns it. So a GPU has (g - 1) / g B on its NVLinks each
/// way; at its NIC it has B / g one way, in at an AllGather and out at a ReduceScatter, and B / N
/// the other.
///
/// Parts are what goes through the tree: blocks, or their pieces if they are large. Small parts,
/// whose servers follow each other, make a group, and what goes between the GPUs of a server is a
/// group each. A rank has a number of groups under way. AllGather: a head sends the next when an
/// earlier one has come from all. ReduceScatter: a GPU sends the next to the heads when the last
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
  /// AllGather or ReduceScatter of a group that WhyNoCollNet() of the direct form has nothing
  /// against. `shape` must outlive it.
  CollNetPartsSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                       const ChunkOptions& options);

  std::uint64_t flow_count() const override;
  /// A channel is a rail.
  std::uint32_t channels() const override { return locals_; }
  /// A chunk is a part of the rail between servers, a group of them within a server.
  std::uint32_t chunk_count() const override { return parts_; }
  std::uint32_t groups() const { return groups_; }
  FlowCounts CountsOf(Participant p) const override;
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  void ForEachRange(const GroupFlow& flow,
                    const std::function<void(const ByteRange&)>& visit) const override;
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override;

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

  std::uint32_t ServerOf(std::uint32_t part) const { return part / in_block_; }
  std::uint32_t GroupOf(std::uint32_t part) const { return part / in_group_; }
  Numbers PartsOf(std::uint32_t group) const;
  /// Those of a group that are of this server.
  Numbers PartsOf(std::uint32_t group, std::uint32_t server) const;
  /// Its bytes in the buffer.
  ByteRange RangeOf(const Piece& part) const;
  std::int64_t BytesOfGroup(const Piece& group) const;

  // The tree of a rail: heads below switches.
  Participant Above(std::uint32_t rail, Participant p) const;
  /// The participant below switch `p` on the way to the head of `server`; kNone: it is not below.
  Participant Towards(std::uint32_t rail, Participant p, std::uint32_t server) const;
  Participant HeadOf(std::uint32_t rail, std::uint32_t server) const {
    return shape_.local(server, rail);
  }

  GroupFlow Up(const Piece& part, Participant from) const;
  GroupFlow Down(const Piece& part, Participant to) const;
  /// Between a head and another GPU of its server: from the head (AllGather) or to it.
  GroupFlow Inside(const Piece& group, Participant other) const;
  // These append.
  /// Up() of what is below a switch, or Down() to it.
  void AddUps(const Piece& part, Participant p, Flows* out) const;
  void AddDowns(const Piece& part, Participant p, Flows* out) const;
  /// Down() to the one on the way to the owner.
  void AddDownToOwner(const Piece& part, Participant p, Flows* out) const;
  /// Up() of the parts of a group that `head` sends.
  void AddOwnUps(const Piece& group, Participant head, Flows* out) const;
  /// Inside() of all other GPUs of the server of `head`.
  void AddInside(const Piece& group, Participant head, Flows* out) const;
  /// What a GPU of a ReduceScatter sends of a group, to all heads.
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
