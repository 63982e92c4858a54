// SPDX-License-Identifier: GPL-2.0-only
/// A cache of equal-cost next hops between switches: Routes searches a node's neighbours at each
/// call.
///
/// A row is the result of Routes::NextHopsToClass, filled at the first call. It takes 4 bytes for
/// each class and core node looked up (Routes itself keeps 2 for each existing one). Rows of a node
/// with the same ports share one list, so that the uplinks of a leaf are kept once, not once a
/// class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"
#include "transport/model/paths/link_shares.h"

namespace heddle {

/// Dense number of a core node (Routes::is_core).
using CoreIndex = std::uint32_t;

struct NextHop {
  HopIndex hop;
  CoreIndex to;
};

class NextHopTable {
 public:
  /// Positions of next hops, in the order in which the hash counts them. Empty: the node is linked
  /// to the class.
  struct Range {
    std::uint32_t first = 0, last = 0;
    bool empty() const { return first == last; }
    std::uint32_t size() const { return last - first; }  ///< number of next hops
  };

  /// Keeps all arguments, which must outlive it.
  NextHopTable(const Graph& graph, const Routes& routes, const HopNumbers& numbers);

  /// Changes to other routes of the same graph, and forgets all rows.
  void UseRoutes(const Routes& routes);
  /// Drops all rows; they are filled again when they are looked up.
  void Forget();

  /// Returns the next hops towards the GPUs of a class, from a core node that has a path to them.
  Range Of(CoreIndex core, std::uint32_t cls) {
    const std::vector<std::uint32_t>& rows = lists_of_[cls];
    const std::uint32_t list = rows.empty() ? kUnknown : rows[core];
    return list == kUnknown ? Fill(core, cls) : lists_[list];
  }
  /// Returns one next hop. Valid until the next call of Of().
  const NextHop& operator[](std::uint32_t position) const { return next_hops_[position]; }

  /// Returns the number of a core node; 0 also for every other node.
  CoreIndex IndexOf(NodeId core_node) const { return index_of_[core_node.value]; }
  NodeId NodeOf(CoreIndex core) const { return nodes_[core]; }  ///< reverse of IndexOf()
  /// Returns the number of core nodes.
  CoreIndex core_count() const { return static_cast<CoreIndex>(nodes_.size()); }
  /// Returns the memory of the lists, which grows with the number of rows looked up [byte].
  std::size_t bytes() const {
    return next_hops_.size() * sizeof(NextHop) + lists_.size() * sizeof(Range);
  }

 private:
  static constexpr std::uint32_t kUnknown = 0;  ///< also the number of the unused first list

  /// Asks the routes for a row, and shares the list of the node's latest row if it is equal.
  Range Fill(CoreIndex core, std::uint32_t cls);

  const Graph& graph_;
  const Routes* routes_;
  const HopNumbers& numbers_;
  std::vector<CoreIndex> index_of_;  ///< by node
  std::vector<NodeId> nodes_;        ///< by core index
  /// By class, then core node; empty until looked up.
  std::vector<std::vector<std::uint32_t>> lists_of_;
  /// By core node: its latest list, which the next row is compared with.
  std::vector<std::uint32_t> latest_list_;
  std::vector<Range> lists_;
  std::vector<NextHop> next_hops_;
  std::vector<PortId> ports_;  ///< scratch
};

}  // namespace heddle
