// SPDX-License-Identifier: GPL-2.0-only
/// All kinds of events in one place. At equal times, events of one port run in the order of their
/// kinds, and events that cross domains are numbered by their senders. A new kind goes where its
/// order among the kinds of one port is to be; checkpoints have the numbers (kCheckpointFormat).
#pragma once

#include <cstdint>

#include "core/events/event.h"

namespace heddle {

/// Events of a domain of the fabric.
struct FabricEvent {
  enum Kind : std::uint32_t {
    kFault,             ///< links or routes change; argument: index into FabricContext::faults
    kIslandWake,        ///< an island is looked at (transport/domain/replay); argument: its number
    kArrival,           ///< argument: the packet's slot
    kReplayedArrival,   ///< what a kArrival did when it was recorded; argument: the island
    kNotice,            ///< argument: the slot of a CompletionNotice
    kPathAnswer,        ///< argument: the slot of a PathAnswer
    kPortFree,          ///< argument: the port; events of this kind and later ones may be outdated
    kReplayedPortFree,  ///< as kReplayedArrival
    kAskPath,           ///< requests to the controller are due; argument: the node
    kFlowStart,         ///< argument: the node
    kReplayedStart,     ///< the flow that a record has now has not started; argument: the island
    kPauseTimer,  ///< argument: port, priority and whether it renews or expires (PauseControl)
    kRateTimer,   ///< congestion control; argument: the queue pair's slot
    kTimeout,     ///< retransmission; argument: the node
    kWakeAgent,   ///< FlowAgent::Woken
    kPoll,        ///< completions of requests are seen; argument: the connection's slot
    kStreamSum,   ///< bytes of a stream may leave; argument: the stream (transport/domain/streams)
    kUecPull,     ///< a receiving NIC's next credit is due; argument: the port
    kUecCredit,   ///< a receiving NIC's rate of credit is adjusted; argument: the port
    kScaleUp,     ///< data of a scale-up link arrive; argument: the slot of a ScaleUpPacket
    kScaleUpQuiet,  ///< a credit, or the report of a flow's arrival; argument: the same
    kKinds          ///< their number
  };

  /// Returns the kind of the replayed form of an event of this kind.
  static constexpr std::uint32_t Replayed(std::uint32_t kind) { return kind + 1; }
  /// Whether an event of this kind is an island's (transport/domain/replay), not the fabric's.
  static constexpr bool IsReplayed(std::uint32_t kind) {
    constexpr std::uint64_t kReplayed =
        1U << kIslandWake | 1U << kReplayedArrival | 1U << kReplayedPortFree | 1U << kReplayedStart;
    return (kReplayed >> kind & 1) != 0;
  }
};
static_assert(FabricEvent::kKinds <= EventOrder::kMaxKinds, "what an event's order has room for");
static_assert(FabricEvent::Replayed(FabricEvent::kArrival) == FabricEvent::kReplayedArrival &&
              FabricEvent::Replayed(FabricEvent::kPortFree) == FabricEvent::kReplayedPortFree &&
              FabricEvent::Replayed(FabricEvent::kFlowStart) == FabricEvent::kReplayedStart);

/// Events of the central controller: releases run before requests.
struct ControllerEvent {
  enum Kind : std::uint32_t {
    kRoutes,   ///< new routes; argument: the epoch
    kRelease,  ///< argument: the slot of a PathRelease
    kRequest,  ///< argument: the slot of a PathRequest
    kServed,   ///< the request in service is done
    kKinds     ///< their number
  };
};
static_assert(ControllerEvent::kKinds <= EventOrder::kMaxKinds);

}  // namespace heddle
