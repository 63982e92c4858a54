// SPDX-License-Identifier: GPL-2.0-only
/// Acts when answers stay away: a host's event comes at the earliest deadline of its queue pairs
/// (HostTimeouts), and each that is due sends again or gives up.
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

  /// Works on parts of the domain's sender, which outlive this object.
  FlowTimeouts(SendState* own, NicSending* nic, FlowLife* life)
      : own_(*own), nic_(*nic), life_(*life) {}

  /// Whether the event of a node at this time is still its pending one and a queue pair is due. If
  /// all are due later only, the event is set to the earliest of them.
  bool IsDue(DomainState& state, std::uint32_t node, Time time);
  /// Lets each queue pair of the node that is due send again or give up, and sets the next event.
  void Run(DomainState& state, std::uint32_t node);

 private:
  /// Returns the earliest deadline of the queue pairs at the node's ports; Time::Max() if none
  /// waits.
  Time Next(const DomainState& state, const Node& node) const;
  /// Counts a timeout of a queue pair, and sends again from where the scheme of reliable delivery
  /// says. Beyond retry_limit the flow ends as failed.
  void Expire(DomainState& state, std::uint32_t slot);
  /// Does what Expire() does by the rules of Ultra Ethernet (UecSender::Expire).
  void ExpireUec(DomainState& state, std::uint32_t slot);

  SendState& own_;
  NicSending& nic_;
  FlowLife& life_;
};

}  // namespace heddle
