// SPDX-License-Identifier: GPL-2.0-only
/// Plain records for questions about a backend's traffic and its answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/table.h"

namespace heddle {

/// What a run replayed, on all ranks (docs/models/fast_forward.md). Shares are of all packet-hops.
struct ReplayOutcome {
  std::int64_t recorded = 0, replayed = 0, rebuilt = 0, refused = 0;  ///< episodes
  std::int64_t whole = 0, relived = 0;  ///< collectives: replayed whole; begun so, then run again
  double not_simulated = 0;
  double skipped = 0;  ///< of these, in cycles
  double fresh = 0;    ///< simulated, in episodes that were new
};

/// Visits `count` equal messages between two nodes.
using TrafficVisit =
    std::function<void(NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count)>;
/// Shows a visitor all traffic of a run.
using TrafficWalk = std::function<void(const TrafficVisit&)>;

/// Estimated cost of carrying some traffic.
struct TrafficCost {
  double flows = 0;        ///< rows that the result could have
  double bytes = 0;        ///< payload
  double connections = 0;  ///< between servers, if requests are scheduled by connection
  double packet_hops = 0;  ///< 0 for a backend without packets
  double events = 0;
  double seconds = 0;  ///< wall-clock time on one core of the machine of docs/performance.md

  /// Adds the cost of other traffic.
  void Add(const TrafficCost& other) {
    flows += other.flows;
    bytes += other.bytes;
    connections += other.connections;
    packet_hops += other.packet_hops;
    events += other.events;
    seconds += other.seconds;
  }
};

/// Estimate of the traffic that is open on a rank at its peak.
struct OpenTraffic {
  std::vector<double> flows;  ///< open flows of each GPU that has any
  double message = 0;         ///< mean size of a flow [byte]
  double boundary = 0;  ///< share of the links between domains that lead to other ranks, in [0, 1]
  bool posted = false;  ///< whether the flows are posted by collectives
  double connections = 0;  ///< of TrafficCost::connections, those of its GPUs

  /// Returns the open flows of all GPUs of the rank.
  double all_flows() const {
    double sum = 0;
    for (const double of_gpu : flows) sum += of_gpu;
    return sum;
  }
};

/// Messages from one domain to another in the whole run.
struct DomainStream {
  DomainId from, to;
  double messages = 0;
};

/// An attribute of a result.
struct RunFact {
  std::string name;
  std::variant<double, std::string> value;
};

/// Totals of the run so far, besides its flows.
struct TotalTables {
  Table drops, ports, pause_causes;
  std::vector<Table> controller;  ///< requests and paths; none without a controller
  std::vector<Table> statistics;  ///< /flow_sizes, /slowdown_histogram, /fct_histogram, /tier_load
};

}  // namespace heddle
