// SPDX-License-Identifier: GPL-2.0-only
/// Reads and writes topology files of SimAI and of HPCC's simulator.
///
/// SimAI: `nodes gpus_per_server nvswitches switches links gpu_type`, the ids of the NVSwitches and
/// of the switches, then per link `a b rate delay error_rate` ("0 16 100Gbps 0.001ms 0").
/// HPCC: three numbers on the first line, `nodes switches links`; the ids of the switches; links.
/// Words are separated by white space. Ids: GPUs first, then NVSwitches, then switches; within the
/// kind they may be listed in any order. HPCC's hosts become GPUs, one a server, of type NONE.
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "topology/graph/graph.h"

namespace heddle {

/// Reads a file. Throws UserError if it cannot be read (naming it) or has a mistake (file, line,
/// what was found, what is expected).
Graph ReadSimaiTopology(const std::string& path);

/// Reads text in memory likewise; messages call it `name`.
Graph ParseSimaiText(std::string_view text, const std::string& name);

enum class TopologyDialect { kSimai, kHpcc };

/// Output format of a topology. The defaults give the bytes of SimAI's generator.
struct TopologyFormat {
  TopologyDialect dialect = TopologyDialect::kSimai;
  bool blank_after_ids = true;  ///< end the line of ids with a blank, as SimAI's generator does
};

/// Writes the text of a graph. Throws UserError if the graph has NVSwitches and the dialect is
/// HPCC's.
void WriteSimaiTopology(const Graph& graph, std::ostream& out, const TopologyFormat& format = {});

}  // namespace heddle
