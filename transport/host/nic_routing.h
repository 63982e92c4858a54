// SPDX-License-Identifier: GPL-2.0-only
/// Which NIC of a host a flow takes, for its data and for its ACKs.
#ifndef HEDDLE_TRANSPORT_HOST_NIC_ROUTING_H_
#define HEDDLE_TRANSPORT_HOST_NIC_ROUTING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "transport/state/domain_ports.h"
#include "transport/state/fabric_context.h"

namespace heddle {

class NicRouting {
 public:
  /// By the routes of the first epoch.
  explicit NicRouting(const FabricContext& context)
      : gpus_per_server_(context.graph->gpus_per_server()) {
    UseEpoch(context, 0);
  }

  void UseEpoch(const FabricContext& context, std::uint32_t epoch) {
    routes_ = context.epochs[epoch].routes.get();
  }
  /// The port towards `peer`, numbered within the domain; QueuePair::kParked if there is no route.
  std::uint32_t Choose(const DomainPorts::Node& node, NodeId peer, std::uint16_t source_port,
                       std::uint16_t destination_port);
  std::size_t memory() const { return MemoryOf(scratch_); }

 private:
  std::uint32_t gpus_per_server_;
  const Routes* routes_ = nullptr;
  std::vector<PortId> scratch_;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_HOST_NIC_ROUTING_H_
