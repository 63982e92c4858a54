// SPDX-License-Identifier: GPL-2.0-only
/// The transmitter of a domain's ports, inline: every packet-hop goes through it, from three places
/// (docs/performance.md).
#pragma once

#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/model/wire/wire_time.h"

namespace heddle {

inline Time DomainState::WireTime(const Port& port, std::int64_t bytes) const {
  if (port.ps_per_byte > 0) return Time{bytes * port.ps_per_byte};
  return WireTimeAt(port.rate, bytes, context_->options.truncate_ns);
}

inline Time DomainState::PacedTime(const Port& port, BitRate rate, std::int64_t bytes) const {
  if (rate == port.rate) return WireTime(port, bytes);
  return WireTimeAt(rate, bytes, context_->options.truncate_ns);
}

[[gnu::always_inline]] inline Time DomainState::Load(Port& port, const Packet& p) {
  if (clock_.now < port.busy_until) FailRate(port);
  port.busy_until = clock_.now + WireTime(port, p.size);
  port.sent_bytes += p.size;
  tier_load_.Add(port.tier, p.size);
  if (port.has(Port::kRecorded))
    watcher_->PortSends(*this, static_cast<std::uint32_t>(&port - ports_.data()), p.size);
  ++books_.link_packets;
  return port.busy_until + port.delay;
}

[[gnu::always_inline]] inline void DomainState::TransmitAway(Port& port, const Packet& p,
                                                             const MessageTail* tail) {
  const Time arrival = Load(port, p);
  const std::uint64_t order = port.far_order | (port.sent++ & EventOrder::kNumberMask);
  // Written where it goes to, after the whole: a copy in wider pieces than it was written in would
  // wait for the writes.
  unsigned char* const cargo =
      post_office_->Send(port.far_address, port.far_domain, arrival, order, p, tail);
  Packet* const sent = std::launder(reinterpret_cast<Packet*>(cargo));
  sent->ingress = port.far_port;
  sent->next = kNotRouted;
}

[[gnu::always_inline]] inline void DomainState::Transmit(Port& port, const Packet& p,
                                                         const MessageTail* tail) {
  if (!StaysHere(port)) {
    TransmitAway(port, p, tail);
    return;
  }
  const Time arrival = Load(port, p);
  const std::uint64_t order = port.far_order | (port.sent++ & EventOrder::kNumberMask);
  Packet copy = p;
  copy.ingress = port.far_port;
  copy.next = kNotRouted;
  Deliver(arrival, order, copy, tail);
}

}  // namespace heddle
