// SPDX-License-Identifier: GPL-2.0-only
/// NVSwitches that a GPU uses like one: NVLink spreads what it sends over all of them.
///
/// Models NVLink between GPUs and the NVSwitches of a server or rack (18 in GB200 NVL72): a GPU
/// spreads its requests over all links by address, in parts far below a message. So a message has
/// the rate of all links, and the latency of one.
/// Not modelled: that addresses may load links unevenly; the failure of one of the NVSwitches.
#pragma once

#include <cstdint>
#include <memory>

#include "topology/graph/graph.h"

namespace heddle {

/// A fabric whose NVSwitches act as one where they may.
struct JoinedPlanes {
  std::unique_ptr<Graph> graph;  ///< null: it has no NVSwitches that act as one
  std::uint32_t servers = 0;     ///< whose NVSwitches act as one
  std::uint32_t most = 0;        ///< NVSwitches of a server that act as one, at most
};

/// Returns the same fabric, in which of NVSwitches with links to the same GPUs, of the same delays
/// and error rates, the first has the rates of all and the others have no links. Nodes keep their
/// numbers. NVSwitches that are linked to other switches stay as they are. The fabric must not have
/// routes of its own (Graph::routing()) or scale-up links: then nothing is joined.
JoinedPlanes JoinNvSwitches(const Graph& graph);

}  // namespace heddle
