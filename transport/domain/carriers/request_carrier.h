// SPDX-License-Identifier: GPL-2.0-only
/// Carries messages that host software divides into requests (docs/models/cast.md).
#pragma once

#include "transport/domain/carriers/message_start.h"
#include "transport/domain/carriers/send_windows.h"

namespace heddle {

class RequestCarrier final {
 public:
  /// Whether the message is divided into requests (RequestDesk::Divides).
  bool Takes(const DomainState& state, const MessageStart& start) const;
  /// Hands the message to the RequestDesk, with the numbers and ports of all queue pairs that it
  /// may use.
  void Start(DomainState& state, const MessageStart& start, SendWindows* windows) const;
};

}  // namespace heddle
