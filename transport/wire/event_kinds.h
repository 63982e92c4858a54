// SPDX-License-Identifier: GPL-2.0-only
/// All kinds of events in one place: at equal times, events of one port run in the order of their
/// kinds, and events that cross domains are numbered by their senders.
#ifndef HEDDLE_TRANSPORT_WIRE_EVENT_KINDS_H_
#define HEDDLE_TRANSPORT_WIRE_EVENT_KINDS_H_

#include <cstdint>

namespace heddle {

/// Events of a domain of the fabric.
struct FabricEvent {
  enum Kind : std::uint32_t {
    kFault = 0,       ///< links or routes change; argument: index into FabricContext::faults
    kArrival = 1,     ///< argument: the packet's slot
    kNotice = 2,      ///< argument: the slot of a CompletionNotice
    kPathAnswer = 3,  ///< argument: the slot of a PathAnswer
    kPortFree = 4,    ///< argument: the port; events of this kind and later ones may be outdated
    kAskPath = 5,     ///< requests to the controller are due; argument: the node
    kFlowStart = 6,   ///< argument: the node
    kPauseTimer = 7,  ///< argument: port, priority and whether it renews or expires (PauseControl)
    kRateTimer = 8,   ///< congestion control; argument: the queue pair's slot
    kTimeout = 9,     ///< retransmission; argument: the node
    kWakeAgent = 10,  ///< FlowAgent::Woken
    kPoll = 11,       ///< completions of requests are seen; argument: the connection's slot
    kUecPull = 12,    ///< a receiving NIC's next credit is due; argument: the port
    kUecCredit = 13,  ///< a receiving NIC's rate of credit is adjusted; argument: the port
    kScaleUp = 14,    ///< data of a scale-up link arrive; argument: the slot of a ScaleUpPacket
    kScaleUpQuiet = 15,  ///< a credit, or the report of a flow's arrival; argument: the same
  };
};

/// Events of the central controller: releases come before requests.
struct ControllerEvent {
  enum Kind : std::uint32_t {
    kRoutes = 0,   ///< new routes; argument: the epoch
    kRelease = 1,  ///< argument: the slot of a PathRelease
    kRequest = 2,  ///< argument: the slot of a PathRequest
    kServed = 3,   ///< the request in service is done
  };
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_WIRE_EVENT_KINDS_H_
