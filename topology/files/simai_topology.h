// SPDX-License-Identifier: GPL-2.0-only
/// Topology files of SimAI, read and written; those of HPCC's simulator are read and written too.
///
/// SimAI: `nodes gpus_per_server nvswitches switches links gpu_type`, the ids of the NVSwitches and
/// of the switches, then per link `a b rate delay error_rate` ("0 16 100Gbps 0.001ms 0").
/// HPCC: three numbers on the first line, `nodes switches links`; the ids of the switches; links.
/// Words are separated by white space. Ids: GPUs first, then NVSwitches, then switches; within the
/// kind they may be listed in any order. HPCC's hosts become GPUs, one a server, of type NONE.
#ifndef HEDDLE_TOPOLOGY_FILES_SIMAI_TOPOLOGY_H_
#define HEDDLE_TOPOLOGY_FILES_SIMAI_TOPOLOGY_H_

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "topology/graph/graph.h"

namespace heddle {

/// Throws UserError: a file that cannot be read (naming it), or any mistake in it (file, line, what
/// was found, what is expected).
Graph ReadSimaiTopology(const std::string& path);

/// The same for an open stream; `name` stands for the file in messages.
Graph ParseSimaiTopology(std::istream& in, const std::string& name);

/// The same for text in memory.
Graph ParseSimaiText(std::string_view text, const std::string& name);

enum class TopologyDialect { kSimai, kHpcc };

/// How a topology is written. The defaults give the bytes of SimAI's generator.
struct TopologyFormat {
  TopologyDialect dialect = TopologyDialect::kSimai;
  bool blank_after_ids = true;  ///< end the line of ids with a blank, as SimAI's generator does
};

/// Throws UserError if HPCC's dialect is asked for and there are NVSwitches.
void WriteSimaiTopology(const Graph& graph, std::ostream& out, const TopologyFormat& format = {});

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_FILES_SIMAI_TOPOLOGY_H_
