// SPDX-License-Identifier: GPL-2.0-only
/// How long the busiest ports need for a collective's bytes.
#pragma once

#include "collectives/closed_form/wire_figures.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/records/collective_algorithm.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Seconds that the busiest port of a kind transmits or receives, if its packets lack nothing. Each
/// direction of a port counts for itself. Several ports of a node share their bytes evenly, if it
/// has as many connections to others at least: a queue pair uses one.
struct PortLoad {
  double inside = 0;   ///< a GPU's or NVSwitch's NVLinks
  double network = 0;  ///< a GPU's NICs
  /// The cables of an edge switch to other switches, if all are used evenly: what an
  /// oversubscribed fabric costs at least. Collisions are not counted.
  double fabric = 0;

  /// Returns the seconds of the kind that needs most.
  double largest() const { return std::max({inside, network, fabric}); }
};

/// A node's NVLinks and its other links: sums of their rates [bit/s], and how many others there
/// are.
struct PortRates {
  double inside = 0, network = 0;
  std::uint32_t nics = 0;

  /// Returns the rate that so many connections to others may use [bit/s].
  double NetworkOf(double connections) const {
    return nics == 0 ? 0 : network * std::min(connections / nics, 1.0);
  }
};
/// Sums the rates of a node's links: to or of an NVSwitch inside, all others network.
PortRates RatesOf(const Graph& graph, NodeId node);

/// Whether messages between two ranks of a server stay inside of it; otherwise they take the NICs.
bool StaysInside(const GroupShape& shape, Participant a, Participant b);

/// Returns the loads of a schedule's messages in full packets. Takes O(participants x channels) for
/// schedules of chunks.
PortLoad LoadOf(const Graph& graph, const GroupShape& shape, const Schedule& schedule,
                Protocol protocol, const WireFigures& wire);

}  // namespace heddle
