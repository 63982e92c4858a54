// SPDX-License-Identifier: GPL-2.0-only
// What lower rooms ask of higher ones on the path of every packet
// (transport/domain/state/domain_parts.h).
#include "transport/domain/fabric_domain/part_calls.h"

#include "transport/domain/switching/pause_control.h"

namespace heddle {

void SendInTurns(DomainState& state, const DomainParts& parts, Port& port, std::uint32_t index) {
  // What passes through and its own queue pairs take turns.
  const bool passing = port.sendable() != 0;
  bool own = false;
  if (!passing || port.own_turn != 0) own = parts.sender.nic().SendData(state, port, index);
  port.own_turn = own ? 0 : 1;
  if (!own && passing) parts.switch_side.SendNext(state, port, index);
  // Something has left; cut to whole nanoseconds (compat.truncate_ns), an ACK does so in no time.
  if ((own || passing) && (port.sendable() != 0 || parts.sender.nics().any_ready(port)))
    state.WakePort(port, index, port.busy_until);
}

void Send(DomainState& state, Port& port, std::uint32_t index) {
  SendWith(state, state.parts(), port, index);
}

bool AnyReady(const DomainState& state, const Port& port) {
  return state.parts().sender.nics().any_ready(port);
}

void QueueChanged(DomainState& state, const Port& port, int queue, const Packet& p, int sign) {
  if (state.sampler().watches_queues() && !port.has(Port::kAtHost)) {
    const auto index = static_cast<std::uint32_t>(&port - state.ports().data());
    state.sampler().SampleQueue(state, state.now(), index, queue);
  }
  state.parts().pause.QueueChanged(state, port, queue, p, sign);
}

}  // namespace heddle
