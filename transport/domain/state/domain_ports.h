// SPDX-License-Identifier: GPL-2.0-only
/// The nodes of a domain and their ports, by the numbers that they have within it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "transport/domain/state/port.h"

namespace heddle {

class DomainPorts {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  struct Node {
    NodeId id;
    NodeKind kind = NodeKind::kGpu;
    std::uint32_t host = kNone;      ///< index of its host: GPUs, and NVSwitches that end flows
    bool pauses = false;             ///< it sends PFC frames
    std::uint32_t forwards = kNone;  ///< index of its buffer and table: switches and NVSwitches
    std::uint32_t first_port = 0, ports = 0;
    std::uint32_t nics = 0;  ///< of a GPU: its ports towards switches (not NVSwitches)
  };

  /// Returns the node in O(1) if ids are consecutive, else by bisection; null if it is not in this
  /// domain.
  const Node* FindNode(NodeId id) const {
    // Mostly their numbers follow each other.
    const std::size_t guess = nodes_.empty() ? 0 : id.value - nodes_.front().id.value;
    if (guess < nodes_.size() && nodes_[guess].id == id) return &nodes_[guess];
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), id,
                                     [](const Node& n, NodeId i) { return n.id < i; });
    return at != nodes_.end() && at->id == id ? &*at : nullptr;
  }
  /// Returns the node to write to; null if it is not in this domain.
  Node* FindNode(NodeId id) { return const_cast<Node*>(std::as_const(*this).FindNode(id)); }
  /// Returns the owner of a port of this domain.
  const Node& NodeOf(const Port& port) const { return nodes_[port.node]; }
  /// Whether a node of this domain ends flows.
  bool IsHost(NodeId id) const {
    const Node* node = FindNode(id);
    return node != nullptr && node->host != kNone;
  }
  /// Whether `port`, numbered within the domain, is one of the node's.
  static bool IsPortOf(const Node& node, std::uint32_t port) {
    return port - node.first_port < node.ports;
  }
  /// Returns the number at its node of a port that is numbered within the domain.
  PortId NumberOf(std::uint32_t port) const {
    return PortId(port - nodes_[ports_[port].node].first_port);
  }

  std::vector<Node>& nodes() { return nodes_; }  ///< ascending
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Port>& ports() { return ports_; }  ///< a node's lie together
  const std::vector<Port>& ports() const { return ports_; }
  std::vector<PortExtras>& extras() { return extras_; }  ///< by port
  const std::vector<PortExtras>& extras() const { return extras_; }

 protected:
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<PortExtras> extras_;
};

}  // namespace heddle
