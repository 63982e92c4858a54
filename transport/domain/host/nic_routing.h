// SPDX-License-Identifier: GPL-2.0-only
/// Which NIC of a host a flow takes, for its data and for its ACKs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/recent_map.h"
#include "transport/domain/state/domain_ports.h"
#include "transport/domain/state/fabric_context.h"

namespace heddle {

/// Peers that a host sends to or receives from at a time, more or less: for tables of what is known
/// of pairs.
constexpr std::size_t kPairsOfHost = 16;

class NicRouting {
 public:
  /// Starts with the routes of the first epoch, for this many hosts.
  NicRouting(const FabricContext& context, std::size_t hosts)
      : gpus_per_server_(context.graph->gpus_per_server()), known_(kPairsOfHost * hosts) {
    UseEpoch(context, 0);
  }

  /// Follows the routes of another epoch from now on, and forgets what was known of pairs.
  void UseEpoch(const FabricContext& context, std::uint32_t epoch) {
    routes_ = context.epochs[epoch].routes.get();
    known_.Clear();
  }
  /// Returns the port towards `peer`, numbered within the domain: one of several as
  /// Routes::nic_ports() says. QueuePair::kParked if there is no route.
  std::uint32_t Choose(const DomainPorts::Node& node, NodeId peer, std::uint16_t source_port,
                       std::uint16_t destination_port);
  /// Returns the port towards `peer` if it is the only one, else QueuePair::kParked.
  std::uint32_t Only(const DomainPorts::Node& node, NodeId peer);
  std::size_t memory() const { return MemoryOf(scratch_) + known_.memory(); }  ///< bytes allocated

 private:
  std::uint32_t gpus_per_server_;
  const Routes* routes_ = nullptr;
  std::vector<PortId> scratch_;
  RecentMap<NodePair, std::uint32_t> known_;  ///< the only port of a pair, within the domain
};

}  // namespace heddle
