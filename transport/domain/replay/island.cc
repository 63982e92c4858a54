// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/island.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/traffic/future_visitors.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/switching/switch_side.h"

namespace heddle {
namespace {

using Node = DomainState::Node;

/// Whether a port may belong to an island.
bool MayBelong(const DomainState& state, const Port& port) {
  constexpr auto kOdd = Port::kFaulty | Port::kDown | Port::kRare | Port::kStamps;
  return state.StaysHere(port) && (port.flags & kOdd) == 0;
}

/// Finds the nodes around one NVSwitch that NVLinks join to it, directly or not.
class Search {
 public:
  explicit Search(const DomainState& state) : state_(state), seen_(state.nodes().size(), false) {}

  bool seen(std::uint32_t node) const { return seen_[node]; }
  /// Returns the ports of the NVLinks that `node`, an NVSwitch, is joined by; empty if they are no
  /// island.
  std::vector<std::uint32_t> From(std::uint32_t node) {
    ports_.clear();
    is_sound_ = true;
    open_ = {node};
    seen_[node] = true;
    while (!open_.empty()) {
      const std::uint32_t next = open_.back();
      open_.pop_back();
      Visit(state_.nodes()[next]);
    }
    if (!is_sound_ || ports_.size() > std::numeric_limits<std::uint16_t>::max()) return {};
    std::sort(ports_.begin(), ports_.end());
    return ports_;
  }

 private:
  void Visit(const Node& node) {
    if (node.kind == NodeKind::kGpu && state_.context().graph->passes_on(node.id))
      is_sound_ = false;
    for (std::uint32_t i = node.first_port; i < node.first_port + node.ports; ++i) {
      const Port& port = state_.ports()[i];
      const NodeId peer = PeerOf(node, i);
      const bool inside = node.kind == NodeKind::kNvSwitch ||
                          state_.context().graph->kind(peer) == NodeKind::kNvSwitch;
      if (!inside) continue;
      if (!MayBelong(state_, port)) {
        is_sound_ = false;
        continue;
      }
      ports_.push_back(i);
      const std::uint32_t far = state_.ports()[port.far_port].node;
      if (seen_[far]) continue;
      seen_[far] = true;
      open_.push_back(far);
    }
  }
  NodeId PeerOf(const Node& node, std::uint32_t port) const {
    return state_.context().graph->ports(node.id)[port - node.first_port].peer;
  }

  const DomainState& state_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> ports_, open_;
  bool is_sound_ = true;
};

/// Returns the links between a leaf switch and its GPUs. Empty if packets may be lost there or end
/// in the switch, or if a GPU has other NIC ports too, with which it is counted together.
Island AroundLeaf(const DomainState& state, const Node& leaf) {
  const Graph& graph = *state.context().graph;
  Island island;
  for (std::uint32_t i = leaf.first_port; i < leaf.first_port + leaf.ports; ++i) {
    const Port& port = state.ports()[i];
    const NodeId peer = graph.ports(leaf.id)[i - leaf.first_port].peer;
    if (port.has(Port::kEndsFlows)) return {};
    if (graph.kind(peer) != NodeKind::kGpu) {
      island.edges.push_back(i);
      continue;
    }
    if (graph.passes_on(peer) || !MayBelong(state, port) ||
        !MayBelong(state, state.ports()[port.far_port]) ||
        state.NodeOf(state.ports()[port.far_port]).nics > 1)
      return {};
    island.ports.push_back(i);
    island.ports.push_back(port.far_port);
  }
  if (island.ports.size() > std::numeric_limits<std::uint16_t>::max()) return {};
  std::sort(island.ports.begin(), island.ports.end());
  return island;
}

/// Returns the key of what makes a difference of each port, in the order of labels. The order of
/// ports breaks ties between events, and so does whether a port is its node's first. Ports to
/// elsewhere share the switch's buffer, so that thresholds depend on them.
EpisodeKey ShapeOf(const DomainState& state, const Island& island) {
  const std::vector<std::uint32_t>& ports = island.ports;
  std::vector<std::uint64_t> words = {island.edges.size()};
  for (std::uint32_t edge : island.edges) {
    words.push_back(static_cast<std::uint64_t>(state.ports()[edge].rate.bps));
    words.push_back(static_cast<std::uint64_t>(state.ports()[edge].delay.ps));
  }
  std::uint64_t nodes = 0;
  for (std::size_t label = 0; label < ports.size(); ++label) {
    const Port& port = state.ports()[ports[label]];
    if (label == 0 || state.ports()[ports[label - 1]].node != port.node) ++nodes;
    const auto far = std::lower_bound(ports.begin(), ports.end(), port.far_port) - ports.begin();
    ShapeWords visit(&words);
    Port::VisitFuture(port, visit);
    words.push_back(nodes << 32 | static_cast<std::uint64_t>(far));
    words.push_back(static_cast<std::uint64_t>(state.NodeOf(port).kind) << 32 |
                    (state.NumberOf(ports[label]).value == 0 ? 1U : 0U));
  }
  return Extend({}, words);
}

}  // namespace

std::vector<Island> FindIslands(const DomainState& state) {
  std::vector<Island> islands;
  Search search(state);
  for (std::uint32_t node = 0; node < state.nodes().size(); ++node) {
    Island island;
    if (state.nodes()[node].kind == NodeKind::kSwitch) {
      island = AroundLeaf(state, state.nodes()[node]);
    } else if (state.nodes()[node].kind == NodeKind::kNvSwitch && !search.seen(node)) {
      island.ports = search.From(node);
    }
    if (island.ports.empty()) continue;
    island.shape = ShapeOf(state, island);
    for (std::uint32_t port : island.ports)
      island.places.push_back({state.NodeOf(state.ports()[port]).id, state.NumberOf(port), 0});
    islands.push_back(std::move(island));
  }
  return islands;
}

bool AtRest(const DomainState& state, const Island& island) {
  // What comes from elsewhere is answered when it has arrived, which may be the next event.
  const Time margin = island.edges.empty() ? Time() : PicoSeconds(1);
  const auto is_idle = [&](std::uint32_t index) {
    const Port& port = state.ports()[index];
    RestCheck rest;
    Port::VisitFuture(port, rest);
    return rest.holds() &&
           (port.sent == 0 || port.busy_until + port.delay + margin <= state.now()) &&
           !state.parts().sender.nics().any(port);
  };
  const auto is_empty = [&](std::uint32_t index) {
    const Port& port = state.ports()[index];
    return port.waiting == 0 && port.busy_until <= state.now();
  };
  return std::all_of(island.ports.begin(), island.ports.end(), is_idle) &&
         std::all_of(island.edges.begin(), island.edges.end(), is_empty);
}

bool ComesBefore(const DomainState& state, const Island& a, const Island& b) {
  return std::equal(a.ports.begin(), a.ports.end(), b.ports.begin(), b.ports.end(),
                    [&](std::uint32_t x, std::uint32_t y) {
                      return state.ports()[x].node < state.ports()[y].node;
                    });
}

void FlagRecorded(Port* port, bool recorded) {
  const unsigned others = port->flags & ~unsigned{Port::kRecorded};
  port->flags = static_cast<std::uint8_t>(others | (recorded ? unsigned{Port::kRecorded} : 0U));
}

void Watch(DomainState& state, const Island& island, bool watched) {
  for (std::uint32_t edge : island.edges) FlagRecorded(&state.ports()[edge], watched);
}

void AddDynamicWords(const DomainState& state, const Island& island,
                     std::vector<std::uint64_t>* words) {
  RestWords visit(words);
  for (std::uint32_t index : island.ports)
    Port::VisitFuture(std::as_const(state.ports()[index]), visit);
}

bool AddPath(const DomainState& state, const IslandMap& map, std::uint32_t island,
             std::uint32_t port, const Packet& packet, std::vector<std::uint64_t>* words,
             bool* only) {
  constexpr int kMostHops = 16;
  for (int hop = 0; hop < kMostHops; ++hop) {
    if (map.island_of[port] != island) return false;
    words->push_back(map.label_of[port]);
    const Node& next = state.nodes()[state.ports()[state.ports()[port].far_port].node];
    if (next.id == packet.destination) return true;
    if (next.forwards == DomainState::kNone) return false;
    *only = *only && state.parts().switch_side.PathsOf(next, packet.destination) == 1;
    port = state.parts().switch_side.Egress(next, packet);
    if (port == DomainState::kNoRoute) return false;
  }
  return false;
}

}  // namespace heddle
