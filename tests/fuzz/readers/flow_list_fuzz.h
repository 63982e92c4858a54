// SPDX-License-Identifier: GPL-2.0-only
/// The fabric whose nodes the fuzzers of traffic and failures name, and the checks of flows from
/// any file.
#pragma once

#include <vector>

#include "core/traffic/flow_request.h"
#include "tests/fuzz/reader_fuzz.h"
#include "topology/files/simai_topology.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Two servers of two GPUs with an NVSwitch each, below two switches; 1 and 6 have two cables.
inline const Graph& SmallGraph() {
  static const Graph graph = ParseSimaiText(
      "8 2 2 2 10 H100\n4 5 6 7\n0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n2 5 "
      "2880Gbps 0.000025ms 0\n"
      "3 5 2880Gbps 0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n1 6 400Gbps 0.0005ms 0\n1 6 400Gbps "
      "0.0005ms 0\n"
      "2 7 400Gbps 0.0005ms 0\n3 7 400Gbps 0.0005ms 0\n6 7 400Gbps 0.0005ms 0\n",
      "small");
  return graph;
}

/// Complains about a flow that a reader must not return.
inline void CheckFlows(const std::vector<FlowRequest>& flows, std::string_view text) {
  if (flows.empty() || flows.size() > text.size())
    Complain("no flows, or more than the file has bytes");
  for (const FlowRequest& flow : flows) {
    if (flow.start < Time{} || flow.size.count < 1 || flow.priority > 7)
      Complain("a flow with a value that is out of range");
    if (flow.source == flow.destination) Complain("a flow from a node to itself");
    for (const NodeId end : {flow.source, flow.destination}) {
      if (end.value >= SmallGraph().node_count() || SmallGraph().kind(end) == NodeKind::kSwitch)
        Complain("a flow from a switch");
    }
  }
}

}  // namespace heddle
