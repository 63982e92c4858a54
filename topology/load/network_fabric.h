// SPDX-License-Identifier: GPL-2.0-only
/// A network of named nodes and directed cables as a fabric for packets.
#pragma once

#include "topology/load/static_network.h"
#include "topology/tables/table_fabric.h"

namespace heddle {

/// Hosts become GPUs, one a server, in their order; other nodes switches in theirs. The k-th cable
/// from a to b and the k-th from b to a become one link, at the lower of two rates; a cable without
/// one back gets it. Warnings: cables of unknown or unequal rates, cables without one back, hosts
/// with several cables (which choose among them by the fewest links to the destination), routes
/// through hosts (which are left out). Throws UserError as Graph and ForwardingTables do.
TableFabric MakeFabric(const StaticNetwork& network, const CableDefaults& defaults);

}  // namespace heddle
