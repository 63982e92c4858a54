// SPDX-License-Identifier: GPL-2.0-only
/// The messages between hosts and fluids: a post, with a tail for what only goes back and forth,
/// and a report.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/events/message.h"
#include "core/records/flow_vocabulary.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/message_split.h"

namespace heddle {

/// Kinds of events and messages of a run of fluids, in the order of one time and node.
struct FluidEvent {
  enum Kind : std::uint32_t {
    kPosted,    ///< at a host: a post before the first event, which has not been sent
    kPost,      ///< to the fluids: a FluidPost
    kTurn,      ///< at the fluids: something ends or starts
    kSent,      ///< to a host: a FluidReport; its message has left
    kReceived,  ///< to a host: a FluidReport; a message is complete
    kWake       ///< at a host: the agent asked for it
  };
};

/// A FlowPost as a message: cargo.
struct FluidPost {
  Time start;
  std::uint64_t order = 0;
  std::int64_t size = 0;
  NodeId source, destination;
  std::uint32_t connection = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 0, on_arrival = 0;
  std::uint32_t number = 0, message = 0;  ///< FlowNumbers'

  static FluidPost Of(const FlowPost& post) {
    return {post.start,
            post.order,
            post.size,
            post.source,
            post.destination,
            post.connection,
            post.destination_port,
            post.priority,
            static_cast<std::uint8_t>(post.on_arrival ? 1 : 0),
            post.numbers.number,
            post.numbers.message};
  }
};
static_assert(sizeof(FluidPost) == sizeof(Cargo) && std::is_trivially_copyable_v<FluidPost>);

/// The rest of it.
struct FluidPostTail {
  FlowCookie cookie;
  FlowOrigin origin;
  std::uint16_t source_port = 0;  ///< FlowNumbers'

  static MessageTail Of(const FlowPost& post) {
    FluidPostTail rest;
    rest.cookie = post.cookie;
    rest.origin = post.origin;
    rest.source_port = post.numbers.source_port;
    MessageTail tail{};
    std::memcpy(tail.bytes, &rest, sizeof rest);
    return tail;
  }
};
static_assert(sizeof(FluidPostTail) <= sizeof(MessageTail) &&
              std::is_trivially_copyable_v<FluidPostTail>);

/// The post that cargo and tail make. `asked` is its start.
FlowPost PostOf(const Cargo& cargo, const MessageTail& tail);
/// Adds the rows of a post that has not started: one for each flow, if it has their numbers.
void AddRows(const MessageSplit& split, const FlowPost& post, std::vector<FlowRecord>* open);

/// What a host hears of a message: cargo.
struct FluidReport {
  FlowCookie cookie;
  Time when;
  NodeId other;  ///< the end of the message that does not hear this
  std::uint32_t unused = 0;
};
static_assert(sizeof(FluidReport) == sizeof(Cargo) && std::is_trivially_copyable_v<FluidReport>);

}  // namespace heddle
