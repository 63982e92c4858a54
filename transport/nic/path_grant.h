// SPDX-License-Identifier: GPL-2.0-only
/// What a host remembers of its dealings with the central controller: one record a flow, from the
/// question to the flow's end.
#ifndef HEDDLE_TRANSPORT_NIC_PATH_GRANT_H_
#define HEDDLE_TRANSPORT_NIC_PATH_GRANT_H_

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/traffic/flow_agent.h"
#include "transport/wire/path_messages.h"

namespace heddle {

/// A source port that was asked for.
struct PathGrant {
  static constexpr std::uint32_t kNone = ~0U;

  RequestId id;
  std::uint8_t answered = 0,
               remembered = 0;    ///< 0 or 1; no bools, as saved state is taken over as bytes
  std::uint16_t source_port = 0;  ///< the controller's, which holds a path for it; 0: none
  std::uint16_t own_port = 0;     ///< the host's, for when the controller has none
  std::uint32_t planned = kNone;  ///< a trace's flow: its place in Host::asking
  std::uint32_t message =
      kNone;  ///< a posted flow: slot of its AskingMessage, until all its queue pairs are answered
  std::uint32_t next = kNone;        ///< grant of the message's next queue pair
  std::uint32_t queue_pair = kNone;  ///< slot, once it has started
};
static_assert(std::is_trivially_copyable_v<PathGrant>);

/// A posted message some of whose queue pairs have no answer yet.
struct AskingMessage {
  FlowPost flow;
  std::uint32_t first_grant = PathGrant::kNone;
  std::uint32_t missing = 0;
};
static_assert(std::is_trivially_copyable_v<AskingMessage>);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_NIC_PATH_GRANT_H_
