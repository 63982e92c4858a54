// SPDX-License-Identifier: GPL-2.0-only
/// Carries messages over scale-up links (docs/models/scale-up.md).
#pragma once

#include <cstdint>

#include "transport/domain/carriers/message_start.h"
#include "transport/domain/carriers/send_windows.h"

namespace heddle {

class ScaleUpCarrier final {
 public:
  /// Whether the message leaves its host by a scale-up link.
  bool Takes(const DomainState& state, const MessageStart& start) const;
  /// Starts a transfer; one for each flow of a trace.
  void Start(DomainState& state, const MessageStart& start, SendWindows* windows) const;

 private:
  /// Starts one transfer with these numbers.
  static void StartOne(DomainState& state, const MessageStart& start, const FlowPost& flow,
                       const FlowNumbers& numbers);
};

}  // namespace heddle
