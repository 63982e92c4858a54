// SPDX-License-Identifier: GPL-2.0-only
/// Carries all other messages: a queue pair for each of their parts.
#pragma once

#include "transport/domain/carriers/message_start.h"
#include "transport/domain/carriers/send_windows.h"

namespace heddle {

class QueuePairCarrier final {
 public:
  /// Takes every message: the list ends with this carrier.
  bool Takes(const DomainState& /*state*/, const MessageStart& /*start*/) const { return true; }
  /// Starts the message's queue pairs.
  void Start(DomainState& state, const MessageStart& start, SendWindows* windows) const;
};

/// Returns how a message that is due becomes flows: a flow of a trace that has asked for its path
/// is one already.
MessageSplit SplitOf(const FabricContext& context, const FlowHeap::Item& item);

}  // namespace heddle
