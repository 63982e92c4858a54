// SPDX-License-Identifier: GPL-2.0-only
/// Paths by a fabric's own routes: among several equal-cost ports the hash decides, as for the
/// first flow between two GPUs in the packet simulator.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/graph/link_tiers.h"
#include "topology/graph/node_names.h"
#include "topology/load/static_paths.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Hosts are the GPUs. Cable 2 i + d is link i, from its first node if d = 0, to it if d = 1.
class GraphPaths : public StaticPaths {
 public:
  /// UDP ports of the flows, as SimAI's first flow of a pair has them.
  static constexpr std::uint16_t kSourcePort = 10000, kDestinationPort = 100;

  /// `graph` outlives it. `names`: of nodes; empty: by kind and number. `labels`: the same for
  /// people; empty: the names, or those of the nodes' places.
  explicit GraphPaths(const Graph& graph, std::vector<std::string> names = {},
                      std::vector<std::string> labels = {})
      : graph_(graph),
        routes_(graph),
        places_(graph),
        names_(std::move(names)),
        labels_(std::move(labels)) {}

  /// Returns the number of GPUs; host h is GPU h.
  std::uint32_t host_count() const override { return graph_.gpu_count(); }
  /// Returns two for each link, one a direction.
  std::uint32_t cable_count() const override {
    return static_cast<std::uint32_t>(2 * graph_.links().size());
  }
  /// Returns GPUs, NVSwitches and switches together.
  std::uint32_t node_count() const override { return graph_.node_count(); }
  /// Returns `host` itself, as GPUs have the lowest node ids.
  std::uint32_t NodeOfHost(std::uint32_t host) const override { return host; }
  /// Returns the sending node of the direction, then the receiving one.
  CableEnds EndsOf(std::uint32_t cable) const override;
  /// Sets `cables` to the path of a flow from kSourcePort to kDestinationPort. Never returns kLoop.
  WalkEnd Walk(std::uint32_t source, std::uint32_t destination,
               std::vector<std::uint32_t>* cables) const override {
    return WalkFrom(kSourcePort, source, destination, cables);
  }
  /// Follows a flow with this source port and kDestinationPort. Without a route `cables` holds the
  /// path so far.
  WalkEnd WalkFrom(std::uint16_t source_port, std::uint32_t source, std::uint32_t destination,
                   std::vector<std::uint32_t>* cables) const;
  /// Returns the nominal rate of the cable's link [bit/s], > 0.
  std::int64_t RateOf(std::uint32_t cable) const override {
    return graph_.links()[cable / 2].rate.bps;
  }
  /// Returns the given name, or else kind and number as in messages ("switch 20").
  std::string NodeName(std::uint32_t node) const override;
  /// Returns the given label, else the given name, else the node's place ("leaf 5").
  std::string Label(std::uint32_t node) const override {
    if (!labels_.empty()) return labels_[node];
    return names_.empty() ? places_.Of(NodeId(node)) : names_[node];
  }
  /// Computes the levels of LinkTiers anew at each call.
  std::vector<std::uint8_t> NodeLevels() const override { return LinkTiers(graph_).levels(); }
  const Graph& graph() const { return graph_; }

 private:
  const Graph& graph_;
  Routes routes_;
  NodeNames places_;
  std::vector<std::string> names_, labels_;
};

}  // namespace heddle
