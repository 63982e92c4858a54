// SPDX-License-Identifier: GPL-2.0-only
/// The fabric that htsim makes of a topology file.
///
/// Hosts become GPUs, one a server; switches follow: ToR switches, aggregation switches if there
/// are three tiers, then the top. With N hosts, radix r_t and rates R_t of tier t:
///   ToR switches = N / r_0, host h at switch h / r_0; pods = N / Podsize;
///   cables above the ToR switches u_0 = N R_0 / (R_1 Oversubscribed_0);
///   two tiers: u_0 / r_1 top switches, each cabled to each ToR switch;
///   three tiers: u_0 / r_1 aggregation switches, each cabled to each ToR switch of its pod;
///   u_1 = u_0 R_1 / (R_2 Oversubscribed_1), and u_1 / r_2 top switches; number c is cabled in each
///   pod to aggregation switch c modulo their number in a pod.
/// Invariant: all divisions are exact, and every switch has as many cables as its radix says.
///
/// A packet crosses a switch by two of its cables, so each cable has half of the latency of each
/// switch at its ends.
#pragma once

#include <cstdint>
#include <string>

#include "io/htsim/htsim_topology.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Numbers of switches and cables, derived.
struct HtsimShape {
  std::int64_t pods = 1;
  std::int64_t tors = 0;
  std::int64_t aggregations = 0;  ///< 0 with two tiers
  std::int64_t tops = 0;

  /// "htsim, 3 tiers: 8 ToR switches, 8 aggregation switches, 4 core switches, 4 pods".
  std::string Text() const;
};

/// Throws UserError, with the line, for a division that is not exact (with both numbers), a ratio
/// of rates that is not the one given, radices that do not fit.
HtsimShape ShapeOf(const HtsimTopology& topology);

/// Throws UserError as ShapeOf(), and for a fabric that is too large.
Graph MakeHtsimGraph(const HtsimTopology& topology);

}  // namespace heddle
