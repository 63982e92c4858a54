// SPDX-License-Identifier: GPL-2.0-only
/// The result of a routing policy for a graph: from every node, the ports that lead to a GPU.
///
/// GPUs that all nodes but those next to them reach through the same ports form a class of
/// destinations, so that tables are stored by class. Larger classes save more memory; a class may
/// also have a single GPU.
///
/// Invariants of every table, on which tracing, forwarding and the controller's search rely:
/// - a walk that takes any of the ports listed at each node ends at the destination;
/// - all walks from one node to one GPU have the same number of links (Hops, HopsToClass);
/// - GPUs of one class are attached to the same core nodes; other core nodes have one list for all;
/// - after a failure the same holds over the links that are up, wherever there is a path.
/// Satisfied by one port for each node and destination, as in the forwarding tables of InfiniBand,
/// by dimension order and by shortest paths; not by choices that a packet makes at each hop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"

namespace heddle {

/// Differences of new routes from the routes that they were derived from. All lists are ascending.
struct RouteChange {
  /// Classes with other members, or other next hops at some core node.
  std::vector<std::uint32_t> classes;
  std::vector<std::uint32_t> recomputed;  ///< the subset whose routes were recomputed
  std::vector<std::uint32_t> regrouped;   ///< the subset that gained or lost GPUs
  std::vector<NodeId> moved;              ///< GPUs that are in another class now
  std::vector<NodeId> touched;            ///< nodes with a link that went down or came up

  /// Returns the classes whose members, or next hops at this core node, may differ. At a node that
  /// was not touched, next hops to a class differ only if the class was recomputed.
  std::vector<std::uint32_t> ClassesAt(NodeId node) const;
};

/// Immutable. Routes (routes.h) documents the functions.
class RouteTable {
 public:
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  virtual ~RouteTable() = default;

  /// Returns the number of classes, empty ones included; their numbers are below it.
  virtual std::uint32_t class_count() const = 0;
  /// Returns the class of a GPU, below class_count().
  virtual std::uint32_t class_of(NodeId gpu) const = 0;
  /// Returns the GPUs of a class, ascending; owned by the table.
  virtual const std::vector<NodeId>& members(std::uint32_t cls) const = 0;
  /// Whether `node` forwards between others, also if its links are down.
  virtual bool is_core(NodeId node) const = 0;
  /// Sets *out to the ports of `node` to a GPU or linked NVSwitch; empty if there is no path.
  virtual void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const = 0;
  /// Sets *out to the ports that a core node uses for all GPUs of a class; empty if they differ by
  /// GPU.
  virtual void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                               std::vector<PortId>* out) const = 0;
  /// Returns the number of links from a core node to the GPUs of a class, or kUnreachable.
  virtual std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const = 0;
  /// Returns the number of links between two GPUs, 0 from one to itself, or kUnreachable.
  virtual std::uint32_t Hops(NodeId from, NodeId to) const = 0;
  /// Derives the table with exactly the links `down` out of service. `down` must be ascending and
  /// *change empty.
  virtual std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                                     RouteChange* change) const = 0;
  /// Returns the bytes that it has allocated, shared data included.
  virtual std::size_t memory() const = 0;

  /// Whether a link is in service, in O(log n) of the links that are down.
  bool is_up(LinkId link) const {
    return down_.empty() || !std::binary_search(down_.begin(), down_.end(), link);
  }
  /// Returns the links out of service, ascending.
  const std::vector<LinkId>& down() const { return down_; }

 protected:
  /// `down`: ascending.
  explicit RouteTable(std::vector<LinkId> down) : down_(std::move(down)) {}
  RouteTable(const RouteTable&) = default;
  RouteTable& operator=(const RouteTable&) = delete;

  std::vector<LinkId> down_;  ///< ascending
};

}  // namespace heddle
