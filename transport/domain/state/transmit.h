// SPDX-License-Identifier: GPL-2.0-only
/// The transmitter of a domain's ports, inline: every packet-hop goes through it, from three places
/// (docs/performance.md).
#pragma once

#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/state/wire_time.h"

namespace heddle {

inline Time DomainState::WireTime(const Port& port, std::int64_t bytes) const {
  if (port.ps_per_byte > 0) return Time{bytes * port.ps_per_byte};
  return WireTimeAt(port.rate, bytes, context_->options.truncate_ns);
}

inline Time DomainState::PacedTime(const Port& port, BitRate rate, std::int64_t bytes) const {
  if (rate == port.rate) return WireTime(port, bytes);
  return WireTimeAt(rate, bytes, context_->options.truncate_ns);
}

[[gnu::always_inline]] inline void DomainState::Transmit(Port& port, Packet& p,
                                                         const MessageTail* tail) {
  if (now_ < port.busy_until) FailRate(port);
  port.busy_until = now_ + WireTime(port, p.size);
  port.sent_bytes += p.size;
  tier_load_.Add(port.tier, p.size);
  if (port.has(Port::kRecorded))
    watcher_->PortSends(*this, static_cast<std::uint32_t>(&port - ports_.data()), p.size);
  ++books_.link_packets;
  p.ingress = port.far_port;
  const Time arrival = port.busy_until + port.delay;
  const std::uint64_t order = port.far_order | (port.sent++ & EventOrder::kNumberMask);
  p.next = kNotRouted;
  if (port.far_address.is_local != 0 && port.far_address.index == own_index_) {
    Deliver(arrival, order, p, tail);
  } else {
    post_office_->Send(port.far_address, port.far_domain, arrival, order, p, tail);
  }
}

}  // namespace heddle
