// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/placement.h"

#include <algorithm>

namespace heddle {

std::int64_t PacketsAhead(const DeliveryRules& rules, const SelectiveReceiver& packets,
                          const DataArrival& data) {
  return data.first / rules.payload - packets.expected();
}

Reception Place(const DeliveryRules& rules, SelectiveReceiver* packets, ReceiveQueuePair* receiver,
                const DataArrival& data, DomainBooks* books) {
  const std::int64_t ahead = PacketsAhead(rules, *packets, data);
  const SelectiveReceiver::Arrival arrival = packets->Receive(data.first / rules.payload);
  if (arrival.in_order) {
    // The last packet may be short.
    receiver->expected = packets->expected() * rules.payload;
    if (receiver->end >= 0) receiver->expected = std::min(receiver->expected, receiver->end);
    return {DataAnswer::kWhenDue};
  }
  ++(arrival.is_new ? books->out_of_order : books->duplicates);
  if (ahead <= 0) return {DataAnswer::kAck};
  books->most_held = std::max(books->most_held, packets->held());
  books->furthest_ahead = std::max(books->furthest_ahead, ahead);
  if (ahead > rules.options.reorder) return {DataAnswer::kNack, ahead};
  receiver->asked |= data.asks ? 1 : 0;
  if (!rules.sprays) return {DataAnswer::kNothing};
  return {DataAnswer::kAck, ahead};
}

}  // namespace heddle
