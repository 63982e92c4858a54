// SPDX-License-Identifier: GPL-2.0-only
// Packets that a node makes itself: ACKs, pauses, probes.
#include <algorithm>
#include <cstdint>

#include "transport/domain/state/domain_parts.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/transmit.h"

namespace heddle {

void DomainState::SendOwn(std::uint32_t index, const Packet& p, int queue,
                          const MessageTail* tail) {
  static constexpr MessageTail kNoTelemetry{};
  Port& port = ports_[index];
  if (port.has(Port::kDown)) {
    ++books_.injected_packets;
    books_.injected_bytes += p.size;
    Drop(NodeOf(port), NumberOf(index), DropReason::kLinkDown, p);
    return;
  }
  // A GPU's port that is free, and in whose queues nothing waits: what would be queued leaves at
  // once.
  if (port.has(Port::kAtHost) && clock_.now >= port.busy_until && port.waiting == 0 &&
      (port.paused >> queue & 1) == 0 && !watches_ && !context_->tails && !port.is_scale_up()) {
    port.max_queued_bytes = std::max(port.max_queued_bytes, port.queued_bytes + p.size);
    ++books_.injected_packets;
    books_.injected_bytes += p.size;
    Transmit(port, p, nullptr);
    if (AnyReady(*this, port)) WakePort(port, index, port.busy_until);
    return;
  }
  const std::uint32_t slot = StorePacket(p);
  if (context_->tails) StoreTail(slot, tail != nullptr ? tail : &kNoTelemetry);
  if (!port.has(Port::kAtHost)) {
    packet(slot).ingress = kOwnPacket;
    ++books_.injected_packets;
    books_.injected_bytes += p.size;
  }
  Enqueue(port, queue, slot);
  Send(*this, port, index);
}

}  // namespace heddle
