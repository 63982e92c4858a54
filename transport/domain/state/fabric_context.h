// SPDX-License-Identifier: GPL-2.0-only
/// What is the same for all domains of a rank and never changes during a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/events/message.h"
#include "topology/graph/graph.h"
#include "topology/graph/link_tiers.h"
#include "topology/paths/path_capacities.h"
#include "topology/paths/path_metrics.h"
#include "topology/routes/failures.h"
#include "topology/routes/fault_instants.h"
#include "topology/routes/route_timeline.h"
#include "transport/domain/state/packet_trains.h"
#include "transport/domain/state/scale_up_run.h"
#include "transport/domain/state/transport_options.h"
#include "transport/domain/state/uec_run.h"
#include "transport/model/congestion/congestion_control.h"
#include "transport/model/entropy/entropy_chooser.h"
#include "transport/model/record/flow_sample.h"
#include "transport/model/reliability/delivery.h"
#include "transport/model/requests/request_scheduler.h"
#include "transport/model/switch/forwarding.h"
#include "transport/model/switch/shared_buffer.h"

namespace heddle {

class IdealTimes;

struct FabricContext {
  const Graph* graph = nullptr;
  TransportOptions options;
  CongestionControl control;
  RequestScheduler requests;
  MessageSplit split;
  std::uint64_t seed = 1;
  const PathMetrics* metrics = nullptr;
  IdealTimes* ideal_times = nullptr;
  FlowSample sample;  ///< of the flows that finish: those whose records are kept
  std::optional<LinkTiers> link_tiers;
  bool reports = false;  ///< agents are notified of completions
  Time notice_delay;     ///< from a completion to the agent's notice of it (FlowDriver)
  Time lookahead;        ///< no message between domains arrives earlier
  /// The side of each domain (TwoSides), if messages within a side take two lookaheads; else empty.
  std::vector<std::uint8_t> sides;
  /// Domain of the central controller; invalid: every host chooses its own source ports.
  DomainId controller;
  Time ask_delay;    ///< how long a host holds back a request, so that it arrives the controller's
                     ///< latency after it was made
  BitRate nic_rate;  ///< that buffer thresholds are scaled by (SharedBuffer)
  Time max_rtt;      ///< largest of all pairs of GPUs
  bool prefetch = false;                 ///< the fabric is too large for the processor's caches
  bool tails = false;                    ///< every message carries the tail of congestion control
  bool counts_notices = false;           ///< for a profile
  const bool draws_ports;                ///< flows take random source ports
  bool marks = false;                    ///< congestion control heeds ECN, and switches mark
  std::optional<EcnTable> ecn;           ///< if marks
  std::unique_ptr<const UecRun> uec;     ///< null: no flow is Ultra Ethernet's
  std::unique_ptr<ScaleUpRun> scale_up;  ///< null: all links are Ethernet
  std::int64_t header_bytes = 0;         ///< of a data packet, telemetry included
  PacketTrains trains;                   ///< of RoCE's data packets
  std::int64_t ack_bytes = 0;
  std::vector<RouteEpoch> epochs;    ///< the first holds from time 0 on
  std::vector<SharedPlaces> places;  ///< by epoch
  CapacityTimeline capacities;       ///< if switches weigh their ports
  std::vector<FaultInstant> faults;  ///< by time
  std::vector<Time> fails_until;  ///< by link: when it goes down for the last time; negative: never
  std::vector<DomainId> domain_of;        ///< by node
  std::vector<std::uint32_t> first_port;  ///< by node: number of its port 0 within its domain
  EntropyChooser entropies;               ///< of RoCE's data packets

  static_assert(CongestionControl::kTailBytes <= sizeof(MessageTail) &&
                    CongestionControl::kTailAlign <= alignof(MessageTail),
                "an algorithm's Tail travels in a MessageTail");

  /// Makes the rules of the mechanisms from the options, which it keeps resolved; graph, routes and
  /// times are set afterwards.
  explicit FabricContext(const TransportOptions& o)
      : options(o.Resolved()),
        control(WithTransport(o)),
        requests(o.requests, static_cast<int>(o.nic.qps_per_connection)),
        split(o.split()),
        draws_ports(o.nic.draws_ports()),
        entropies(o.roce_entropy()) {}

  /// Whether a central controller chooses source ports.
  bool controlled() const { return controller.valid(); }
  /// Returns what the scheme of reliable delivery is made from.
  DeliveryRules delivery() const {
    return {options.reliability, options.payload, entropies.sprays()};
  }
  /// Returns the least delay of a message between two domains. A notice that is sent with the first
  /// byte takes this delay, so it arrives before the data.
  Time LeastDelay(DomainId from, DomainId to) const {
    return lookahead * (!sides.empty() && sides[from.value] == sides[to.value] ? 2 : 1);
  }
  /// Returns the routes in force at `time`, whatever the clock of the domain that asks.
  const Routes& RoutesAt(Time time) const {
    const auto later =
        std::upper_bound(epochs.begin() + 1, epochs.end(), time,
                         [](Time t, const RouteEpoch& epoch) { return t < epoch.time; });
    return *(later - 1)->routes;
  }

  /// Returns the bytes that a flow may have in flight; 0: no limit. It is the
  /// bandwidth-delay product of the pair's path, or the largest of the fabric.
  std::int64_t WindowOf(NodeId source, NodeId destination) const {
    if (!options.has_window) return 0;
    return options.pair_window ? metrics->Pair(source, destination).bdp().count
                               : metrics->max_bdp().count;
  }

 private:
  /// Returns the congestion options with the transport's payload and its choice to scale windows.
  static CongestionOptions WithTransport(const TransportOptions& o) {
    CongestionOptions congestion = o.congestion;
    congestion.rates.payload = o.payload;
    congestion.rates.scales_window = o.var_window;
    return congestion;
  }
};

/// Returns the empty buffer of a switch or NVSwitch, with every link at its first rate. `who` names
/// it in messages.
SharedBuffer MakeBuffer(const FabricContext& context, NodeId node, const std::string& who);

}  // namespace heddle
