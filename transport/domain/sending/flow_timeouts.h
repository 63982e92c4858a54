// SPDX-License-Identifier: GPL-2.0-only
/// What happens when answers stay away: a host's event comes at the earliest deadline of its queue
/// pairs (HostTimeouts), and each that is due sends again or gives up.
#pragma once

#include <cstdint>

#include "transport/domain/sending/flow_life.h"
#include "transport/domain/sending/nic_sending.h"
#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

class FlowTimeouts {
 public:
  using Node = DomainState::Node;

  FlowTimeouts(SendState* own, NicSending* nic, FlowLife* life)
      : own_(*own), nic_(*nic), life_(*life) {}

  /// Whether the event of a node at this time is not overtaken. If a later time is due, there is an
  /// event for that.
  bool IsDue(DomainState& state, std::uint32_t node, Time time);
  /// The event has come.
  void Run(DomainState& state, std::uint32_t node);

 private:
  /// The earliest deadline of the queue pairs at the node's ports.
  Time Next(const DomainState& state, const Node& node) const;
  void Expire(DomainState& state, std::uint32_t slot);
  void ExpireUec(DomainState& state, std::uint32_t slot);

  SendState& own_;
  NicSending& nic_;
  FlowLife& life_;
};

}  // namespace heddle
