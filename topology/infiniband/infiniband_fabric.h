// SPDX-License-Identifier: GPL-2.0-only
/// Makes a fabric of an InfiniBand subnet, with the forwarding tables that its switches have
/// (docs/formats/infiniband.md).
///
/// Hosts (GPUs of the graph, one a server) are ports of CAs with a cable, in the order of the GUIDs
/// of their switches, then of the switches' ports; so both forms of a dump give the same fabric.
/// Switches are in the order of their GUIDs, and cables in that of their first node, then of its
/// port. A link's first node is the one with the lower number.
///
/// Left out, each with a warning: routers; aggregation nodes, if so wished; with tables, hosts
/// without a LID; cables from a node to itself. Of hosts with several LIDs (LMC above 0) the tables
/// of the first LID are taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/infiniband/infiniband_network.h"
#include "topology/infiniband/lid_routes.h"
#include "topology/tables/table_fabric.h"

namespace heddle {

struct InfinibandOptions {
  /// Leave out the CAs inside of switches that compute for SHARP ("... Aggregation Node").
  bool drop_aggregation_nodes = true;
  /// Rate of cables whose width or speed is not known; 0: such a cable is an error.
  BitRate default_rate{100'000'000'000};
  Time cable_delay = NanoSeconds(500);  ///< of every cable, as in SimAI's templates
};

/// Tables with a dump only; they may have loops and holes. Names are ORCS's: H and the port's GUID,
/// or S and the switch's, of 16 digits each. Warnings include those of the readers.
struct InfinibandFabric : TableFabric {
  std::vector<std::string> descriptions;  ///< by node: "node01 HCA-1"; not unique
  /// InfiniBand's port number, by node, then PortId.
  std::vector<std::vector<std::uint8_t>> port_numbers;
};

/// Makes the fabric. `dump` may be null; it was read for this network. Throws UserError for a
/// network without a host, with tables for two nodes that have the same LID, and as Graph and
/// ForwardingTables do.
InfinibandFabric MakeFabric(const InfinibandNetwork& network, const ForwardingDump* dump,
                            const InfinibandOptions& options = {});

}  // namespace heddle
