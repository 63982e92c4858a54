// SPDX-License-Identifier: GPL-2.0-only
/// Messages between hosts and the central controller. Each is the cargo of one message.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/events/event.h"
#include "core/events/message.h"
#include "transport/model/wire/event_kinds.h"

namespace heddle {

/// Identity of a request: the GPU that asks and the running number of its requests, in the order of
/// asking.
struct RequestId {
  NodeId source;
  std::uint32_t number = 0;

  /// Returns both as one key, unique in the run.
  constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(source.value) << 32) | number;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& source& number;
  }
};

/// From a host: asks for the source port of a flow.
struct PathRequest {
  RequestId id;
  NodeId destination;
  std::uint16_t destination_port = 0;
  std::uint16_t padding = 0;
  Time asked;
  Time start;  ///< earliest start of the flow
  std::uint64_t unused[2] = {};

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& id& destination& destination_port& asked& start;
  }
};

/// To a host: the source port to use, from the start or, if the flow has started, from now on.
struct PathAnswer {
  RequestId id;
  std::uint16_t source_port = 0;  ///< 0: the host chooses
  std::uint8_t remembered = 0;    ///< 1: the host must report the flow's end
  std::uint8_t padding[5] = {};
  std::uint64_t unused[4] = {};
};

/// From a host: reports the flow's end.
struct PathRelease {
  RequestId id;
  std::uint64_t unused[5] = {};
};

/// Returns the order among requests of the same time: by source, then number.
constexpr std::uint64_t OrderOf(const PathRequest& request) {
  return EventOrder(request.id.source, PortId(0), ControllerEvent::kRequest, request.id.number)
      .bits();
}
/// Returns the order among answers of the same time: by source, then number.
constexpr std::uint64_t OrderOf(const PathAnswer& answer) {
  return EventOrder(answer.id.source, PortId(0), FabricEvent::kPathAnswer, answer.id.number).bits();
}
/// Returns the same order for all: releases of the same time may run in any order.
constexpr std::uint64_t OrderOf(const PathRelease&) {
  return EventOrder(NodeId(0), PortId(0), ControllerEvent::kRelease).bits();
}

static_assert(sizeof(PathRequest) == sizeof(Cargo) && std::is_trivially_copyable_v<PathRequest>);
static_assert(sizeof(PathAnswer) == sizeof(Cargo) && std::is_trivially_copyable_v<PathAnswer>);
static_assert(sizeof(PathRelease) == sizeof(Cargo) && std::is_trivially_copyable_v<PathRelease>);

}  // namespace heddle
