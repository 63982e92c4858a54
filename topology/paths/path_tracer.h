// SPDX-License-Identifier: GPL-2.0-only
/// Computes the path of a flow without sending a packet.
///
/// The source chooses one of its equal-cost NICs (nic_ports.h), every switch hashes the flow over
/// its equal-cost ports (ecmp_hash.h). An ACK is a flow of its own: trace it with ends and ports
/// swapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routes/nic_ports.h"
#include "topology/routes/routes.h"

namespace heddle {

/// A port that a packet is sent through.
struct Hop {
  NodeId node;
  PortId port;
};

/// Sets `path` to the ports along the path, the source's first. Returns false if there is no path;
/// `path` then holds the ports so far.
bool FollowFlow(const Graph& graph, const Routes& routes, const NicFlow& flow,
                std::vector<Hop>* path);

/// Returns the ports along the path, the source's first. Throws UserError if there is no path.
std::vector<Hop> TracePath(const Graph& graph, const Routes& routes, NodeId source,
                           NodeId destination, std::uint16_t source_port,
                           std::uint16_t destination_port);

/// Returns a GPU of the source's server that reaches both by the routes, while `source` may not
/// reach `destination`; invalid if there is none.
NodeId FindRailMate(const Graph& graph, const Routes& routes, NodeId source, NodeId destination);

/// Returns "no way from server 0 / GPU 0 to server 1 / GPU 1", with the path over a rail mate if
/// there is one.
std::string DescribeNoPath(const Graph& graph, const Routes& routes, NodeId source,
                           NodeId destination);

/// Returns the nodes that a path enters, one for each hop; the last is the destination.
std::vector<NodeId> NodesEntered(const Graph& graph, const std::vector<Hop>& path);

}  // namespace heddle
