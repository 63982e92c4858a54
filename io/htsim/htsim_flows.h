// SPDX-License-Identifier: GPL-2.0-only
/// Reader of htsim's connection matrices (.cm, .tm): flows between hosts.
///
/// Source: the files of Broadcom's csg-htsim and of uet-htsim. The head says counts (`Nodes 16`,
/// `Connections 3`, `Triggers 0`); then each line is a connection, `0->13 id 1 start 0 size 4096`,
/// with pairs of key and value in any order. Blank lines and lines that begin with '#' are skipped.
///
/// `size` is payload in bytes; `start` has the unit of the program that reads it, which the file
/// does not say. The start is that of the connection, so no send latency is added. `id`, `prio`,
/// `msg` and `addon` change nothing here, nor does a trigger for which no connection waits.
///
/// Left out: connections that wait for a trigger, connections without an end (size 0), failures,
/// several messages of one connection; a file with them is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads the flows in the file's order. `unit`: of the starts, "us" or "ps". Adds to `warnings`
/// what is odd: another number of hosts than the graph has, a start after more than a second, lines
/// that are not known. Throws UserError with file and line for the first mistake, and if a count of
/// the head is not that of the lines.
std::vector<FlowRequest> ReadHtsimFlows(const std::string& path, const Graph& graph,
                                        const std::string& unit,
                                        std::vector<std::string>* warnings);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
std::vector<FlowRequest> ParseHtsimFlows(std::string_view text, const std::string& name,
                                         const Graph& graph, const std::string& unit,
                                         std::vector<std::string>* warnings);

}  // namespace heddle
