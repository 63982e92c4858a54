// SPDX-License-Identifier: GPL-2.0-only
/// Failures and their times for the cases; around GPU 0 of a small fabric.
#pragma once

#include <cstddef>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle::invariance {

/// The switch with index `number` among those linked to a node.
NodeId SwitchOf(const Graph& graph, NodeId node, std::size_t number = 0);
FailureEvent Event(double us, FailureEvent::What what, NodeId a, NodeId b = NodeId(),
                   BitRate rate = BitRate{});

/// Failures of two uplinks of GPU 0's leaf (one of them twice) and of its NIC's cable, at the same
/// instants as other events.
std::vector<FailureEvent> LinksDownAndUp(const Graph& graph);
std::vector<FailureEvent> RatesChange(const Graph& graph);
std::vector<FailureEvent> NodesDownAndUp(const Graph& graph);
std::vector<FailureEvent> NodesDownForGood(const Graph& graph);

}  // namespace heddle::invariance
