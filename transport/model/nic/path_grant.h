// SPDX-License-Identifier: GPL-2.0-only
/// A host's record of its requests to the central controller: one a flow, from the request to the
/// flow's end.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/traffic/flow_agent.h"
#include "transport/model/wire/path_messages.h"

namespace heddle {

/// A request for a source port, and its answer.
struct PathGrant {
  static constexpr std::uint32_t kNone = ~0U;

  RequestId id;
  /// 0 or 1; not bool, because saved state is copied as bytes.
  std::uint8_t answered = 0, remembered = 0;
  std::uint16_t source_port = 0;  ///< the controller's, with a reserved path; 0: none
  std::uint16_t own_port = 0;     ///< the host's own choice, if the controller has none
  /// Slot of its AskingMessage, until all grants of that are answered.
  std::uint32_t message = kNone;
  std::uint32_t next = kNone;        ///< grant of the message's next queue pair
  std::uint32_t queue_pair = kNone;  ///< slot, once the flow has started
};
static_assert(std::is_trivially_copyable_v<PathGrant>);

/// A posted message with queue pairs that have no answer yet.
struct AskingMessage {
  FlowPost flow;
  std::uint32_t first_grant = PathGrant::kNone;
  std::uint32_t missing = 0;
};
static_assert(std::is_trivially_copyable_v<AskingMessage>);

}  // namespace heddle
