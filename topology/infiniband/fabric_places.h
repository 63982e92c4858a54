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
  /// `cables`: what KeptCables() returned. Throws UserError if there is no host.
  FabricPlaces(const InfinibandNetwork& network, const std::vector<const InfinibandCable*>& cables);

  /// Returns the number of hosts, > 0; NodeIds of hosts are below it.
  std::uint32_t hosts() const { return hosts_; }
  /// Returns the number of switches, whose NodeIds follow the hosts'.
  std::uint32_t switches() const { return static_cast<std::uint32_t>(places_.size()) - hosts_; }
  /// Returns, by NodeId, a host's node and port, or a switch's node and port 0.
  const std::vector<InfinibandEnd>& places() const { return places_; }
  /// Returns the node of the fabric that an end belongs to; NodeId() if that was left out.
  NodeId IdOf(InfinibandEnd end) const;

 private:
  /// Whether an end belongs to a switch; else it is a host's, as routers' cables are not kept.
  bool IsSwitch(InfinibandEnd end) const {
    return network_.nodes[end.node].kind == InfinibandKind::kSwitch;
  }
  /// Appends the hosts of all cables in their order, and sets hosts_.
  void AddHosts(const std::vector<const InfinibandCable*>& cables);
  /// Appends all switches of the subnet, also those without a cable, by GUID.
  void AddSwitches();

  const InfinibandNetwork& network_;
  std::vector<InfinibandEnd> places_;
  std::uint32_t hosts_ = 0;
  std::unordered_map<std::uint64_t, NodeId> ids_;  ///< by node and port
};

}  // namespace heddle
