// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/graph_paths.h"

#include "topology/paths/path_tracer.h"

namespace heddle {

WalkEnd GraphPaths::WalkFrom(std::uint16_t source_port, std::uint32_t source,
                             std::uint32_t destination, std::vector<std::uint32_t>* cables) const {
  cables->clear();
  const NicFlow flow{NodeId(source), NodeId(destination), source_port, kDestinationPort};
  std::vector<Hop> path;
  const bool arrives = FollowFlow(graph_, routes_, flow, &path);
  for (const Hop& hop : path) {
    const LinkId link = graph_.ports(hop.node)[hop.port.value].link;
    const bool backwards = graph_.link(link).a != hop.node;
    cables->push_back(2 * link.value + (backwards ? 1 : 0));
  }
  return arrives ? WalkEnd::kArrived : WalkEnd::kNoRoute;
}

std::string GraphPaths::NodeName(std::uint32_t node) const {
  return names_.empty() ? Describe(graph_, NodeId(node)) : names_[node];
}

CableEnds GraphPaths::EndsOf(std::uint32_t cable) const {
  const Link& link = graph_.links()[cable / 2];
  const bool backwards = cable % 2 == 1;
  return {(backwards ? link.b : link.a).value, (backwards ? link.a : link.b).value};
}

}  // namespace heddle
