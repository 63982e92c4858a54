// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/nic_routing.h"

#include "topology/routes/ecmp_hash.h"
#include "transport/nic/queue_pair.h"

namespace heddle {

std::uint32_t NicRouting::Choose(const DomainPorts::Node& node, NodeId peer,
                                 std::uint16_t source_port, std::uint16_t destination_port) {
  routes_->NextHops(node.id, peer, &scratch_);
  if (scratch_.empty()) return QueuePair::kParked;
  const std::uint32_t hash =
      EcmpHash({AddressOf(node.id), AddressOf(peer), source_port, destination_port}, kNicHashSeed);
  return node.first_port + scratch_[hash % scratch_.size()].value;
}

}  // namespace heddle
