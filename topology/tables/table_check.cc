// SPDX-License-Identifier: GPL-2.0-only
#include "topology/tables/table_check.h"

#include <algorithm>

namespace heddle {
namespace {

/// Follows the tables for one destination; every switch has at most one next node.
class Follower {
 public:
  Follower(const Graph& graph, const ForwardingTables& tables)
      : graph_(graph), tables_(tables), state_(graph.node_count()) {}

  /// Finds where all switches lead for `gpu`; adds loops to `findings`.
  void Follow(NodeId gpu, TableFindings* findings) {
    std::fill(state_.begin(), state_.end(), kUnknown);
    state_[gpu.value] = kArrives;
    for (std::uint32_t i = graph_.gpu_count(); i < graph_.node_count(); ++i) {
      if (state_[i] == kUnknown) FollowFrom(NodeId(i), gpu, findings);
    }
  }
  bool Arrives(NodeId node) const { return state_[node.value] == kArrives; }

 private:
  enum State : std::uint8_t { kUnknown, kUnderWay, kArrives, kLost };

  void FollowFrom(NodeId start, NodeId gpu, TableFindings* findings) {
    way_.clear();
    NodeId node = start;
    State end = kLost;
    for (;;) {
      const State state = state_[node.value];
      if (state == kArrives || state == kLost) end = state;
      if (state == kUnderWay) AddLoop(node, gpu, findings);
      if (state != kUnknown) break;
      state_[node.value] = kUnderWay;
      way_.push_back(node);
      const std::uint16_t port = tables_.At(node, gpu);
      if (port == ForwardingTables::kNone) break;
      node = graph_.ports(node)[port].peer;
      if (graph_.is_gpu(node) && node != gpu) break;
    }
    for (const NodeId passed : way_) state_[passed.value] = end;
  }

  void AddLoop(NodeId node, NodeId gpu, TableFindings* findings) const {
    ++findings->loops;
    if (findings->first_loops.size() >= TableFindings::kMaxListed) return;
    const auto from = std::find(way_.begin(), way_.end(), node);
    findings->first_loops.push_back({gpu, {from, way_.end()}});
  }

  const Graph& graph_;
  const ForwardingTables& tables_;
  std::vector<State> state_;  ///< by node, for the GPU followed last
  std::vector<NodeId> way_;
};

bool HasSwitch(const Graph& graph, NodeId gpu) {
  const std::vector<Attachment>& ports = graph.ports(gpu);
  return std::any_of(ports.begin(), ports.end(), [&](const Attachment& port) {
    return graph.kind(port.peer) == NodeKind::kSwitch;
  });
}

void AddHoles(const Graph& graph, const Follower& follower, NodeId to, TableFindings* findings) {
  for (std::uint32_t from = 0; from < graph.gpu_count(); ++from) {
    const std::vector<Attachment>& ports = graph.ports(NodeId(from));
    const bool arrives = std::any_of(ports.begin(), ports.end(), [&](const Attachment& port) {
      return follower.Arrives(port.peer);
    });
    if (NodeId(from) == to || arrives || !HasSwitch(graph, NodeId(from))) continue;
    ++findings->holes;
    if (findings->first_holes.size() < TableFindings::kMaxListed)
      findings->first_holes.push_back({NodeId(from), to});
  }
}

/// Switches that are linked to GPUs.
std::vector<NodeId> EdgeSwitches(const Graph& graph) {
  std::vector<NodeId> found;
  for (std::uint32_t i = graph.gpu_count(); i < graph.node_count(); ++i) {
    const std::vector<Attachment>& ports = graph.ports(NodeId(i));
    const bool is_edge = std::any_of(ports.begin(), ports.end(), [&](const Attachment& port) {
      return graph.is_gpu(port.peer);
    });
    if (is_edge && graph.kind(NodeId(i)) == NodeKind::kSwitch) found.emplace_back(i);
  }
  return found;
}

}  // namespace

TableFindings CheckTables(const Graph& graph, const ForwardingTables& tables) {
  TableFindings findings;
  Follower follower(graph, tables);
  const std::vector<NodeId> edges = EdgeSwitches(graph);
  for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
    if (!HasSwitch(graph, NodeId(to))) continue;
    follower.Follow(NodeId(to), &findings);
    // If all edges arrive, so do all GPUs: pairs need not be looked at.
    const bool all = std::all_of(edges.begin(), edges.end(),
                                 [&](NodeId edge) { return follower.Arrives(edge); });
    if (!all) AddHoles(graph, follower, NodeId(to), &findings);
  }
  return findings;
}

std::string Describe(const NodeNames& names, const TableLoop& loop) {
  std::string text;
  for (const NodeId node : loop.nodes) text += names.Of(node) + " -> ";
  return text + names.Of(loop.nodes.front()) + " for " + names.Of(loop.gpu);
}

}  // namespace heddle
