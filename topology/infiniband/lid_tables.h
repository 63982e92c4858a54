// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables by LID become tables by host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/infiniband/fabric_places.h"
#include "topology/infiniband/infiniband_network.h"
#include "topology/infiniband/lid_routes.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

struct LidTablesInput {
  const InfinibandNetwork& network;
  const ForwardingDump& dump;
  const FabricPlaces& places;
  const Graph& graph;
  /// InfiniBand's port number, by node, then PortId.
  const std::vector<std::vector<std::uint8_t>>& port_numbers;
};

/// Makes tables with entries for LIDs of hosts only; of a host with several LIDs, those for its
/// first. Entries that name port 0, a port without a cable or no port are left out. Throws
/// UserError with the line of the network's file for a LID of two ports.
ForwardingTables MakeLidTables(const LidTablesInput& input, std::vector<std::string>* warnings);

}  // namespace heddle
