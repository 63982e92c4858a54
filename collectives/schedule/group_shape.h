// SPDX-License-Identifier: GPL-2.0-only
/// Location of a group's ranks: servers, places within a server, rails, NVSwitches, trees of
/// switches that add. Schedules know nothing else of the fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "topology/aggregation/aggregation_tree.h"
#include "topology/aggregation/tree_ground.h"
#include "topology/graph/graph.h"

namespace heddle {

/// An end of a collective's messages: ranks of the group are 0 to ranks-1; the NVSwitches of its
/// servers follow, then the switches of its trees, tree by tree.
using Participant = std::uint32_t;

/// Immutable, O(ranks) memory.
class GroupShape {
 public:
  /// Which trees a group has.
  struct TreeRequest {
    /// Why it has none, in words; empty: it has what there is.
    std::string why_none = {};
    /// Its trees are laid over this, and take streams; null: over everything, and take none.
    TreeGround* ground = nullptr;
    std::string holder = {};           ///< the group, in words
    std::uint32_t fewest_servers = 2;  ///< fewer have no trees, and take no streams
  };

  /// `members`: the GPU of each rank, all different, at least one. Servers are numbered in the
  /// order of their first ranks.
  GroupShape(const Graph& graph, std::vector<NodeId> members) : GroupShape(graph, members, {}) {}
  /// As the constructor above, with trees as `trees` asks for; takes streams of `trees.ground`.
  GroupShape(const Graph& graph, std::vector<NodeId> members, const TreeRequest& trees);
  /// A group without a fabric: rank r is GPU r; each server has `gpus_per_server` GPUs (the last
  /// may have fewer) and the given number of NVSwitches. NVSwitches get the node ids after the
  /// GPUs.
  GroupShape(std::uint32_t ranks, std::uint32_t gpus_per_server,
             std::uint32_t nvswitches_per_server = 1);

  std::uint32_t ranks() const { return ranks_; }  ///< size of the group, >= 1
  /// Number of servers that have ranks of the group.
  std::uint32_t servers() const { return static_cast<std::uint32_t>(first_local_.size() - 1); }
  /// Number of ranks, NVSwitches and switches of trees.
  std::uint32_t participants() const { return static_cast<std::uint32_t>(nodes_.size()); }
  bool is_rank(Participant p) const { return p < ranks_; }
  bool is_nvswitch(Participant p) const { return p >= ranks_ && p < first_in_tree_.front(); }
  /// Whether it is a switch of a tree.
  bool adds(Participant p) const { return p >= first_in_tree_.front(); }
  NodeId node(Participant p) const { return nodes_[p]; }  ///< where it is in the topology
  /// The GPUs, by rank.
  const NodeId* gpus() const { return nodes_.data(); }

  /// Number of ranks of a server, and local rank l of server s, in ascending order.
  std::uint32_t locals(std::uint32_t server) const {
    return first_local_[server + 1] - first_local_[server];
  }
  /// Returns the rank at place l < locals(server) of a server's list.
  Participant local(std::uint32_t server, std::uint32_t l) const {
    return by_server_[first_local_[server] + l];
  }
  /// Returns the server of a rank or NVSwitch; a switch of a tree has a number of its own from
  /// servers() on.
  std::uint32_t server_of(Participant p) const { return server_of_[p]; }
  /// Place of a rank in its server's list.
  std::uint32_t local_of(Participant rank) const { return local_of_[rank]; }
  /// Smallest number of ranks in a server: the number of disjoint paths through every server.
  std::uint32_t fewest_locals() const { return fewest_locals_; }
  /// Place of the rank's GPU among all GPUs of its server; in rail-optimised fabrics, GPUs of equal
  /// place are on one rail.
  std::uint32_t rail(Participant rank) const { return rail_[rank]; }
  /// The group's rank on this rail in this server; kNone if there is none.
  Participant on_rail(std::uint32_t server, std::uint32_t rail) const;
  static constexpr Participant kNone = ~0U;

  /// Number of NVSwitches that all ranks of a server are linked to.
  std::uint32_t nvswitches(std::uint32_t server) const {
    return first_nvswitch_[server + 1] - first_nvswitch_[server];
  }
  /// Whether the GPUs of a server reach each other over NVLinks, of NVSwitches or of their own.
  bool has_nvlinks(std::uint32_t server) const { return direct_links_ || nvswitches(server) > 0; }
  /// Trees of switches that add: tree l joins local rank l of every server, which is its member of
  /// the server's number. None if why_no_trees() says something.
  std::uint32_t trees() const { return static_cast<std::uint32_t>(trees_.size()); }
  /// Returns the tree of local rank l < trees().
  const AggregationTree& tree(std::uint32_t l) const { return trees_[l]; }
  /// Why there are none, in words; empty: nothing stands against them.
  const std::string& why_no_trees() const { return why_no_trees_; }
  /// What sums in its trees are cut into.
  const SumOperations& sum_operations() const { return operations_; }
  /// Replaces what the fabric says of sum_operations().
  void CutSums(SumOperations operations) { operations_ = operations; }
  /// Switch k of a tree.
  Participant in_tree(std::uint32_t tree, std::uint32_t k) const {
    return first_in_tree_[tree] + k;
  }
  /// For a group without a fabric: each tree is one switch, to which all its members are linked.
  void AddTreesOfOneSwitch();
  /// The same with given trees, of which each has a member a server.
  void SetTrees(std::vector<AggregationTree> trees);

  /// Memory in bytes.
  std::size_t memory() const {
    return sizeof *this + nodes_.capacity() * sizeof(NodeId) +
           sizeof(std::uint32_t) *
               (server_of_.capacity() + local_of_.capacity() + rail_.capacity() +
                by_server_.capacity() + first_local_.capacity() + first_nvswitch_.capacity() +
                first_in_tree_.capacity()) +
           MemoryOf(trees_) + TreeMemory();
  }
  /// Returns NVSwitch k < nvswitches(server) of a server.
  Participant nvswitch(std::uint32_t server, std::uint32_t k) const {
    return ranks_ + first_nvswitch_[server] + k;
  }

 private:
  /// Numbers servers in the order of their first ranks and lists each one's ranks; `server_key`: by
  /// rank, equal in one server.
  void GroupByServer(const std::vector<std::uint64_t>& server_key);
  /// Lays a tree for each local rank, or for none: at the first obstacle the streams taken so far
  /// are given back and why_no_trees_ is set.
  void LayTrees(const Graph& graph, const TreeRequest& request);
  std::size_t TreeMemory() const;  ///< of all trees, beyond their structs [byte]

  std::uint32_t ranks_ = 0;
  std::uint32_t fewest_locals_ = 0;
  bool direct_links_ = false;                   ///< topology/scale_up/direct_links.h
  std::vector<NodeId> nodes_;                   ///< by participant
  std::vector<std::uint32_t> server_of_;        ///< by participant
  std::vector<std::uint32_t> local_of_, rail_;  ///< by rank
  std::vector<Participant> by_server_;          ///< ranks, ordered by server
  std::vector<std::uint32_t> first_local_;      ///< by server, and the end of the last
  std::vector<std::uint32_t> first_nvswitch_;   ///< by server, and the end of the last
  std::vector<AggregationTree> trees_;
  std::vector<Participant> first_in_tree_;  ///< by tree, and the end of the last
  SumOperations operations_;
  std::string why_no_trees_ = "no switches that add are known";
};

}  // namespace heddle
