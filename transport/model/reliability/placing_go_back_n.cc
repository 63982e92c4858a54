// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/placing_go_back_n.h"

#include "transport/model/reliability/placement.h"

namespace heddle {

Reception PlacingGoBackN::Receive(ReceiveState* state, ReceiveQueuePair* receiver,
                                  const DataArrival& data, DomainBooks* books) const {
  if (PacketsAhead(rules_, *state, data) <= rules_.options.reorder)
    return Place(rules_, state, receiver, data, books);
  ++books->out_of_order;
  return IsReported(*receiver, data.now) ? SayAgain() : Report(receiver, data.now);
}

}  // namespace heddle
