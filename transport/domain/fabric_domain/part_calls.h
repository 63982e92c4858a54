// SPDX-License-Identifier: GPL-2.0-only
/// What the ports of a domain do when they are free: the part whose port it is sends.
#pragma once

#include <cstdint>

#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/state/domain_parts.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/switching/switch_side.h"

namespace heddle {

/// Of a node that passes on traffic, and has queue pairs of its own at this port.
void SendInTurns(DomainState& state, const DomainParts& parts, Port& port, std::uint32_t index);

/// As Send(), with the state's parts at hand: inline, as every packet-hop makes the call.
inline void SendWith(DomainState& state, const DomainParts& parts, Port& port,
                     std::uint32_t index) {
  constexpr auto kNotSwitch = Port::kDown | Port::kAtHost | Port::kEndsFlows | Port::kRare;
  if (state.now() < port.busy_until) {
    state.WakePort(port, index, port.busy_until);
  } else if ((port.flags & kNotSwitch) == 0) {  // NOLINT(bugprone-branch-clone): most ports first
    parts.switch_side.SendNext(state, port, index);
  } else if (port.is_scale_up()) {
    parts.scale_up.SendNext(state, port, index);
  } else if (port.has(Port::kDown)) {
    return;
  } else if (port.has(Port::kAtHost)) {
    parts.sender.nic().SendNext(state, port, index);
  } else if (port.nic != DomainState::kNone) {
    SendInTurns(state, parts, port, index);
  } else {
    parts.switch_side.SendNext(state, port, index);
  }
}

}  // namespace heddle
