// SPDX-License-Identifier: GPL-2.0-only
/// What the domains of a run of fluids have in common (docs/models/flow.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/events/post_office.h"
#include "core/traffic/message_split.h"
#include "topology/graph/graph.h"
#include "topology/paths/path_capacities.h"
#include "topology/paths/path_metrics.h"
#include "topology/routes/fault_instants.h"
#include "topology/routes/routes.h"
#include "transport/domain/state/packet_trains.h"
#include "transport/model/balance/port_options.h"
#include "transport/model/fluid/fluid_control.h"
#include "transport/model/record/flow_sample.h"
#include "transport/model/switch/ecn.h"

namespace heddle {

struct FluidRun {
  const Graph* graph = nullptr;
  const Routes* routes = nullptr;
  PostOffice* post_office = nullptr;
  std::vector<DomainId> domain_of;  ///< of hosts, by node
  DomainId fluids;                  ///< the domain in which all fluids flow, after those of hosts
  MessageSplit split;
  PacketTrains trains;       ///< payloads and headers of data packets
  std::int64_t payload = 0;  ///< of a full packet [byte]
  std::int64_t packet = 0;   ///< a full packet with its headers [byte]
  std::int64_t ack = 0;      ///< an ACK with its headers [byte]
  std::int64_t per_ack = 1;  ///< packets that one ACK answers
  std::uint64_t seed = 1;    ///< of random source ports
  bool draws_ports = false;  ///< flows take random source ports
  bool acked = true;         ///< a message is complete when it is acknowledged, not when it arrives
  bool truncate_ns = false;  ///< times on a link are cut down to nanoseconds
  bool sprays = false;       ///< packets of a flow have many entropies: switches hash each anew
  PortOptions balance;       ///< how switches choose ports for data
  std::vector<bool> balances;  ///< by node: whether it follows `balance`; empty: none does
  bool reports = false;        ///< agents are notified of completions
  /// How long a message takes from one domain to another: the lookahead. Fluids are computed this
  /// much later than they flow, so that what a host posts is there in time; twice this is at most
  /// the time that agents wait for notices (FlowDriver::notice_delay).
  Time lag;
  const PathMetrics* metrics = nullptr;
  bool has_window = true;    ///< flows have a window
  bool pair_window = false;  ///< of their own path, instead of the largest of all
  FlowSample sample;         ///< of the flows that finish: those whose records are kept
  /// How senders cut their rates; none: they do not.
  std::optional<FluidControl::Options> control;
  std::optional<EcnTable> ecn;  ///< of the ports of switches, with a control
  // Failures, if there are any (PlanInstants).
  std::vector<RouteEpoch> epochs;
  std::vector<FaultInstant> instants;  ///< by time
  CapacityTimeline capacities;         ///< if switches weigh their ports
};

/// Sets how switches balance, and what changes when: routes, rates, weights. `failures`: expanded;
/// routes follow `convergence` later.
void PlanInstants(const std::vector<LinkEvent>& failures, Time convergence, FluidRun* run);

}  // namespace heddle
