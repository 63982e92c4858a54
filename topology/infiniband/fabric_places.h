// SPDX-License-Identifier: GPL-2.0-only
/// Which nodes a fabric has of an InfiniBand subnet, and in which order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"
#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// Hosts first: a host is a port of a CA. Hosts are in the order of their switches' GUIDs, then of
/// the switches' ports; hosts at no switch follow, by their own GUIDs. Then all switches by GUID.
class FabricPlaces {
 public:
  /// `cables` are those that are kept. Throws UserError if there is no host.
  FabricPlaces(const InfinibandNetwork& network, const std::vector<const InfinibandCable*>& cables);

  std::uint32_t hosts() const { return hosts_; }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(places_.size()) - hosts_; }
  /// By NodeId: a host's node and port, or a switch's node and port 0.
  const std::vector<InfinibandEnd>& places() const { return places_; }
  /// The node of the fabric that an end belongs to; NodeId() if that was left out.
  NodeId IdOf(InfinibandEnd end) const;

 private:
  bool IsSwitch(InfinibandEnd end) const {
    return network_.nodes[end.node].kind == InfinibandKind::kSwitch;
  }
  void AddHosts(const std::vector<const InfinibandCable*>& cables);
  void AddSwitches();

  const InfinibandNetwork& network_;
  std::vector<InfinibandEnd> places_;
  std::uint32_t hosts_ = 0;
  std::unordered_map<std::uint64_t, NodeId> ids_;  ///< by node and port
};

}  // namespace heddle
