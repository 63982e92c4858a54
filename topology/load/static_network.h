// SPDX-License-Identifier: GPL-2.0-only
/// A network of named nodes with a forwarding table at each: one outgoing cable for each
/// destination host, as InfiniBand's linear forwarding tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topology/load/static_paths.h"

namespace heddle {

class StaticNetwork : public StaticPaths {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// One direction. Nodes by number.
  struct Cable {
    std::uint32_t from = 0, to = 0;
    std::int64_t rate = 0;  ///< [bit/s]; 0: unknown
  };

  /// Adds a node and returns its number, from 0. All nodes come before the first route, as tables
  /// have an entry for each host.
  std::uint32_t AddNode(const std::string& name, bool is_host);
  /// Adds one direction and returns its number, from 0, in the order of the calls.
  std::uint32_t AddCable(const Cable& cable);
  /// Sets the cable of `node` to this host, unless the node has one for it already. The cable must
  /// leave the node.
  void Route(std::uint32_t node, std::uint32_t host, std::uint32_t cable);
  /// Sets the cable to all hosts for which the node has none so far.
  void RouteRest(std::uint32_t node, std::uint32_t cable);

  /// Returns the number of hosts and switches together.
  std::uint32_t node_count() const override { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Returns the cables by their number.
  const std::vector<Cable>& cables() const { return cables_; }
  /// Returns the cable by which a message for the host leaves the node; kNone if the node knows
  /// none.
  std::uint32_t Next(std::uint32_t node, std::uint32_t host) const {
    const Node& at = nodes_[node];
    const std::uint32_t cable = at.table.empty() ? kNone : at.table[host];
    return cable == kNone ? at.rest : cable;
  }

  /// Returns the number of nodes that were added as hosts.
  std::uint32_t host_count() const override { return static_cast<std::uint32_t>(hosts_.size()); }
  /// Returns the number of directions; a cable of both directions counts twice.
  std::uint32_t cable_count() const override { return static_cast<std::uint32_t>(cables_.size()); }
  /// Follows the tables. More cables than there are nodes make a loop.
  WalkEnd Walk(std::uint32_t source, std::uint32_t destination,
               std::vector<std::uint32_t>* cables) const override;
  /// Returns the rate [bit/s] as it was added; 0: unknown.
  std::int64_t RateOf(std::uint32_t cable) const override { return cables_[cable].rate; }
  /// Returns the node of the host that was added as number `host`.
  std::uint32_t NodeOfHost(std::uint32_t host) const override { return hosts_[host]; }
  CableEnds EndsOf(std::uint32_t cable) const override {
    return {cables_[cable].from, cables_[cable].to};
  }
  std::string NodeName(std::uint32_t node) const override { return nodes_[node].name; }
  /// Returns levels by the fewest cables to a host, in either direction, up to
  /// LinkTiers::kMostLevel. Nodes without a path to a host have the level above the highest.
  std::vector<std::uint8_t> NodeLevels() const override;
  /// Returns the bytes that it has allocated.
  std::size_t memory() const;

 private:
  struct Node {
    std::string name;
    std::vector<std::uint32_t> table;  ///< by host; empty: none
    std::uint32_t rest = kNone;
  };
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> hosts_;  ///< nodes
  std::vector<Cable> cables_;
};

}  // namespace heddle
