// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables for a fabric, as routing engines of subnet managers make them.
///
/// Rules of all of them: a switch with a link to the destination uses it, and the tables are free
/// of loops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Makes tables of shortest paths. Of several ports, the one that fewest destinations have so far,
/// in the order of GPUs, then switches; the first of equal ones (OpenSM's minhop).
ForwardingTables MinHopTables(const Graph& graph);

/// Makes tables of shortest paths of which each switch draws one port for each destination.
ForwardingTables RandomTables(const Graph& graph, std::uint64_t seed);

/// Makes tables of paths that go up and then down, so that no buffers wait for each other in a
/// cycle (Schroeder et al., "Autonet", SRC report 59, 1990; OpenSM's updn). Up is towards the
/// roots, the switches of the last tier, and among switches as far from them towards the lower
/// number. A switch that reaches the destination by going down does. Ports as in MinHopTables().
ForwardingTables UpDownTables(const Graph& graph);

/// Makes tables for fat trees: the port up is the destination's number divided by the product of
/// the ports up of the tiers below, modulo the ports (E. Zahavi, "D-Mod-K Routing Providing
/// Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees", CCIT report 776, Technion,
/// 2010). Destinations are numbered leaf by leaf. Throws UserError if a link joins switches of one
/// tier.
ForwardingTables DModKTables(const Graph& graph);

/// Makes tables for tori, meshes and full meshes of switches that are numbered row by row, the
/// first dimension fastest: dimension after dimension, over the link to the right coordinate if
/// there is one, else in the direction with fewer links, upwards if both are equal. `lengths`: of
/// the dimensions, whose product is the number of switches. Throws UserError if a link that it
/// needs is missing.
ForwardingTables DimensionOrderTables(const Graph& graph,
                                      const std::vector<std::uint32_t>& lengths);

/// Makes tables for dragonflies and others whose switches are numbered group by group: a group is
/// drawn for each switch of destinations, among those with a cable to the destination's own, and
/// all other groups send by it; within a part by shortest paths, ports as in MinHopTables() (after
/// L. Valiant, "A Scheme for Fast Parallel Communication", SIAM J. Computing 11, 1982; Kim et al.,
/// "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008, section 4.1). A table knows
/// no source, so that the group is not drawn for each packet. `group_switches`: of a group. Throws
/// UserError for groups as large as the fabric.
ForwardingTables ValiantTables(const Graph& graph, std::uint32_t group_switches,
                               std::uint64_t seed);

/// Returns what users choose from: "minhop", "updown", "dmodk", "random[:SEED]",
/// "dimension-order:4x4x2", "valiant:4[:SEED]".
std::string TableMakersText();

/// Makes tables by a maker's words. Throws UserError for others, with the nearest.
ForwardingTables MakeTables(const Graph& graph, const std::string& words);

}  // namespace heddle
