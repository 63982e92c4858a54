// SPDX-License-Identifier: GPL-2.0-only
/// Go-back-N whose receivers place packets that come a little out of order.
///
/// Source: NICs with direct data placement; the bound is heddle's (reliability.reorder). A receiver
/// keeps up to so many packets after the first missing one and waits for that, without an answer
/// (transport/model/reliability/placement.h). A packet further ahead is dropped and reported, as by
/// go-back-N. The sender is go-back-N's: what the receiver kept is sent again too.
/// Not modelled: L2_BACK_TO_ZERO, which would give up what was placed.
#pragma once

#include "transport/model/nic/selective_repeat.h"
#include "transport/model/reliability/go_back_n.h"

namespace heddle {

class PlacingGoBackN final : public GoingBack {
 public:
  static constexpr bool kKeeps = true;
  using ReceiveState = SelectiveReceiver;
  /// Whether the options choose it: go-back-N with reliability.reorder above 0.
  static bool IsChosen(const ReliabilityOptions& options) {
    return !options.selective_repeat && options.reorder > 0;
  }

  using GoingBack::GoingBack;

  ReceiveState NewReceiver() const { return {}; }  ///< nothing has arrived
  /// Places a packet up to reliability.reorder ahead (placement.h). Reports one further ahead, at
  /// most once an interval for the same gap.
  Reception Receive(ReceiveState* state, ReceiveQueuePair* receiver, const DataArrival& data,
                    DomainBooks* books) const;
};

}  // namespace heddle
