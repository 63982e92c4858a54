// SPDX-License-Identifier: GPL-2.0-only
/// Receivers that keep packets beyond a missing one, as NICs with direct data placement do.
#pragma once

#include <cstdint>

#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/selective_repeat.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/reliability/delivery.h"

namespace heddle {

/// How many packets behind the first missing one this is; 0 or less: none.
std::int64_t PacketsAhead(const DeliveryRules& rules, const SelectiveReceiver& packets,
                          const DataArrival& data);

/// Keeps the packet, if it is new. Those up to ReliabilityOptions::reorder ahead wait without an
/// answer for what is missing, which is likely to be on its way. Others beyond the gap have a NACK,
/// repeats too: their sender does not know what is missing. What came twice has an ACK.
Reception Place(const DeliveryRules& rules, SelectiveReceiver* packets, ReceiveQueuePair* receiver,
                const DataArrival& data, DomainBooks* books);

}  // namespace heddle
