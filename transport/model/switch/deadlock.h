// SPDX-License-Identifier: GPL-2.0-only
/// Deadlock by priority flow control: a cycle of paused egress ports, each of which waits for the
/// next.
///
/// Source: Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them",
/// HotNets 2016: a cyclic buffer dependency is necessary for a deadlock. When no event is left in a
/// run, such a cycle is what holds the packets. Not decided here: whether traffic has stopped. A
/// cycle that still drains is found as well, so search only when no event is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

/// What a paused transmitter waits for. A transmitter may wait for several ports: one edge each.
struct PauseEdge {
  /// With `port` and `priority`: a transmitter that the node at the far end of its link has paused.
  NodeId node;
  PortId port;
  std::uint8_t priority = 0;
  /// The far end of the link. With `next_port`: an egress port, paused or not, that holds packets
  /// of this priority which came in through the link.
  NodeId next_node;
  PortId next_port;  ///< see next_node
};

/// Returns the edges of a cycle, each leading to the next and the last to the first; empty if there
/// is none. The cycle starts at its smallest (node, port, priority). It does not depend on the
/// order of the input, nor on repeated edges.
std::vector<PauseEdge> FindPauseCycle(std::vector<PauseEdge> edges);

/// Returns "switch 12 port 3 -> switch 14 port 1 -> switch 12 port 3 (priority 3)"; empty for no
/// cycle.
std::string DescribeCycle(const Graph& graph, const std::vector<PauseEdge>& cycle);

}  // namespace heddle
