// SPDX-License-Identifier: GPL-2.0-only
/// Fills the next packet of a queue pair, which leaves now, and moves the queue pair on past it.
#pragma once

#include <cstdint>

#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

class PacketMaker {
 public:
  /// Works on the state of the domain's sender, which outlives this object.
  explicit PacketMaker(SendState* own) : own_(*own) {}

  /// Returns the next packet of a queue pair at a port that may send. The NIC knows afterwards
  /// whether it may again.
  Packet Next(DomainState& state, std::uint32_t slot) {
    return own_.pairs[slot].plain() ? NextRoce<true>(state, slot) : NextOther(state, slot);
  }

 private:
  /// Returns a data packet of RoCE: the next new byte's, or one that is to be sent again. `kPlain`:
  /// the queue pair is QueuePair::plain(), which drops the tests for all else.
  template <bool kPlain>
  Packet NextRoce(DomainState& state, std::uint32_t slot);
  /// Returns what a queue pair sends that is not plain: a packet of Ultra Ethernet, a probe, or
  /// data.
  [[gnu::noinline]] Packet NextOther(DomainState& state, std::uint32_t slot);
  /// Returns what UecSender sends next, reports a last byte that leaves for the first time, and
  /// arms the timeout.
  Packet NextUec(DomainState& state, std::uint32_t slot);

  // With entropies only. Not inlined, so that runs without them do not pay for registers.
  /// Returns a probe of the path of this entropy: a header without payload.
  [[gnu::noinline]] Packet Probe(const DomainState& state, std::uint32_t slot,
                                 std::uint16_t entropy) const;
  /// Gives a packet of this byte its entropy.
  [[gnu::noinline]] void Spray(const DomainState& state, std::uint32_t slot, std::int64_t offset,
                               Packet* p);

  SendState& own_;
};

}  // namespace heddle
