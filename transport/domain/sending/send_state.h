// SPDX-License-Identifier: GPL-2.0-only
/// What the parts of a domain's sending side share: its queue pairs, and what is kept of each by
/// its slot.
///
/// Plain on purpose, as DomainState is: the parts (nic_sending.h, flow_answers.h, ...) and Sender,
/// which owns them, read and write it; others ask Sender.
#pragma once

#include <cstdint>

#include "core/base/memory_account.h"
#include "core/containers/slot_pool.h"
#include "transport/domain/sending/host_timeouts.h"
#include "transport/domain/sending/nic.h"
#include "transport/domain/sending/rate_control.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/uec/uec_sender.h"
#include "transport/model/nic/packet_entropies.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/reliability/send_reliability.h"

namespace heddle {

struct SendState {
  /// Starts without hosts and queue pairs, with the scheme of reliable delivery of the options.
  explicit SendState(const FabricContext& context) : reliability(context.delivery()) {}

  HostTimeouts timeouts;
  Nics nics;
  SlotPool<QueuePair> pairs;
  RateControl rates;
  SendReliability reliability;
  UecSender uec;
  PacketEntropies entropies;  ///< if FabricContext::entropies sprays

  /// Returns when the queue pair gives up waiting for an ACK; Time::Max() if it waits for none.
  Time DeadlineOf(const DomainState& state, std::uint32_t slot) const {
    const QueuePair& pair = pairs[slot];
    if (pair.ultra != 0) return uec.Deadline(state, slot, pair);
    if (!pair.in_flight()) return Time::Max();
    return pair.last_progress + state.context().options.reliability.TimeoutAfter(pair.timeouts);
  }
  /// Counts the packet of this byte, of a queue pair that sprays, as lost by its entropy. Not
  /// inlined, for runs without entropies.
  [[gnu::noinline]] void CountLost(const DomainState& state, std::uint32_t slot,
                                   std::int64_t offset) {
    entropies.Lost(state.context().entropies, slot, offset / state.context().options.payload,
                   state.now());
  }

  /// Adds the bytes of timeouts and NICs to Structure::kDomains, of queue pairs to kSenders, and
  /// what rates and Ultra Ethernet add.
  void AddMemory(MemoryAccount* account) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& timeouts& nics& pairs& rates& reliability& uec& entropies;
  }
};

}  // namespace heddle
