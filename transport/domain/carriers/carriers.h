// SPDX-License-Identifier: GPL-2.0-only
/// What carries messages in a domain: one list of classes.
///
/// A carrier is a final class with
///   bool Takes(const DomainState&, const MessageStart&) const;   whether it carries the message
///   void Start(DomainState&, const MessageStart&, SendWindows*); starts it
/// The first that takes a message starts it. A carrier's state, rows of what is open, checks,
/// memory and permission to be replayed are those of the part that it drives (ScaleUpSide,
/// StreamDesk, RequestDesk, Sender). Collectives that are replayed whole never come here
/// (ReplayWatcher::TakesMessage). How to add one: docs/extending.md, "A carrier of messages".
#pragma once

#include <cstddef>
#include <tuple>

#include "transport/domain/carriers/queue_pair_carrier.h"
#include "transport/domain/carriers/request_carrier.h"
#include "transport/domain/carriers/scale_up_carrier.h"
#include "transport/domain/carriers/send_windows.h"
#include "transport/domain/carriers/tree_carrier.h"

namespace heddle {

class Carriers {
 public:
  /// Makes room for the messages of `hosts` hosts.
  void Reserve(std::size_t hosts) { windows_.Reserve(hosts); }
  /// Starts a message by the first carrier that takes it.
  void Start(DomainState& state, const MessageStart& start) {
    std::apply(
        [&](auto&... carrier) {
          (void)((carrier.Takes(state, start) && (carrier.Start(state, start, &windows_), true)) ||
                 ...);
        },
        all_);
  }
  std::size_t memory() const { return windows_.memory(); }  ///< bytes allocated

 private:
  std::tuple<ScaleUpCarrier, TreeCarrier, RequestCarrier, QueuePairCarrier> all_;
  SendWindows windows_;
};

}  // namespace heddle
