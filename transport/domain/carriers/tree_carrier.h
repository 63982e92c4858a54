// SPDX-License-Identifier: GPL-2.0-only
/// Carries messages over one link of a tree of switches that add
/// (docs/models/in_network_reduction.md).
#pragma once

#include "transport/domain/carriers/message_start.h"
#include "transport/domain/carriers/send_windows.h"

namespace heddle {

class TreeCarrier final {
 public:
  /// Whether the message is one link's of a tree.
  bool Takes(const DomainState& state, const MessageStart& start) const;
  /// Starts one queue pair, which a stream's sums let grow.
  void Start(DomainState& state, const MessageStart& start, SendWindows* windows) const;
};

}  // namespace heddle
