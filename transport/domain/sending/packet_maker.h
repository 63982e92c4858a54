// SPDX-License-Identifier: GPL-2.0-only
/// Fills the next packet of a queue pair, which leaves now, and moves the queue pair behind it.
#pragma once

#include <cstdint>

#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

class PacketMaker {
 public:
  explicit PacketMaker(SendState* own) : own_(*own) {}

  /// Of a queue pair at a port that may send. The NIC knows afterwards whether it may again.
  Packet Next(DomainState& state, std::uint32_t slot) {
    return own_.pairs[slot].plain() ? NextRoce<true>(state, slot) : NextOther(state, slot);
  }

 private:
  /// `kPlain`: of a queue pair that is QueuePair::plain().
  template <bool kPlain>
  Packet NextRoce(DomainState& state, std::uint32_t slot);
  /// What a queue pair sends that is not plain.
  [[gnu::noinline]] Packet NextOther(DomainState& state, std::uint32_t slot);
  Packet NextUec(DomainState& state, std::uint32_t slot);
  // With entropies only. Not inlined, so that runs without them do not pay for registers.

  [[gnu::noinline]] Packet Probe(const DomainState& state, std::uint32_t slot,
                                 std::uint16_t entropy) const;
  /// Gives a packet of this byte its entropy.
  [[gnu::noinline]] void Spray(const DomainState& state, std::uint32_t slot, std::int64_t offset,
                               Packet* p);

  SendState& own_;
};

}  // namespace heddle
