// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/go_back_n.h"

#include <algorithm>

#include "core/containers/state_count.h"

namespace heddle {

std::int64_t GoingBack::OnNack(SendState* /*state*/, QueuePair* pair, const Packet& nack) const {
  // Below what was acknowledged: with L2_BACK_TO_ZERO the receiver has given up what it had of the
  // chunk; or it has had the flow whole and forgotten it, and takes a late repeat for the start of
  // a new one.
  pair->unacked = std::min(pair->unacked, static_cast<std::int64_t>(nack.sequence));
  GoBack(pair);
  return pair->unacked;
}

void GoingBack::CheckSender(const SendState* /*state*/, const QueuePair& pair) const {
  ExpectState(pair.resend == 0, "a packet to send again that is not");
}

Reception GoingBack::Report(ReceiveQueuePair* receiver, Time now) const {
  receiver->last_nack = receiver->expected;
  receiver->nack_again = now + rules_.options.nack_interval;
  return {DataAnswer::kNack};
}

Reception GoBackN::ReceiveOther(ReceiveQueuePair* receiver, const DataArrival& data,
                                DomainBooks* books) const {
  if (data.first <= receiver->expected) {
    ++books->duplicates;
    return {DataAnswer::kAck};
  }
  ++books->out_of_order;
  if (IsReported(*receiver, data.now)) return SayAgain();
  const std::int64_t chunk = rules_.options.chunk;
  if (rules_.options.back_to_zero) receiver->expected = receiver->expected / chunk * chunk;
  return Report(receiver, data.now);
}

}  // namespace heddle
