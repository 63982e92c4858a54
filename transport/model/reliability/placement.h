// SPDX-License-Identifier: GPL-2.0-only
/// Receivers that keep packets beyond a missing one, as NICs with direct data placement do.
#pragma once

#include <cstdint>

#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/selective_repeat.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/reliability/delivery.h"

namespace heddle {

/// Returns by how many packets `data` is ahead of the first missing one; 0 or less if it is not.
std::int64_t PacketsAhead(const DeliveryRules& rules, const SelectiveReceiver& packets,
                          const DataArrival& data);

/// Keeps the packet if it is new. One up to ReliabilityOptions::reorder ahead has no NACK: what is
/// missing is probably still on its path. A packet further ahead has a NACK, also if it is a
/// repeat: its sender does not know what is missing. A repeat of a packet below the first missing
/// one has an ACK. With entropies every packet has an answer.
Reception Place(const DeliveryRules& rules, SelectiveReceiver* packets, ReceiveQueuePair* receiver,
                const DataArrival& data, DomainBooks* books);

}  // namespace heddle
