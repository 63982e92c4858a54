// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/check.h"

namespace heddle {

Routes::Routes(const Graph& graph) : graph_(&graph) {
  SortNeighbours();
  FindCore();
  FindClasses();
  distance_.resize(std::size_t{class_count()} * core_.size());
  for (std::uint32_t cls = 0; cls < class_count(); ++cls) {
    ComputeClass(cls);
  }
}

void Routes::SortNeighbours() {
  const std::uint32_t nodes = graph_->node_count();
  offset_.reserve(nodes + 1);
  neighbours_.reserve(2 * graph_->links().size() + 1);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    offset_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
    const auto& ports = graph_->ports(NodeId(i));
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      neighbours_.push_back({ports[port].peer, PortId(port)});
    }
    std::sort(neighbours_.begin() + offset_.back(), neighbours_.end(),
              [](const Neighbour& a, const Neighbour& b) {
                return a.peer == b.peer ? a.port < b.port : b.peer < a.peer;
              });
  }
  offset_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  neighbours_.emplace_back();  // so that the end of the last range can be pointed at
}

void Routes::FindCore() {
  core_index_.assign(graph_->node_count(), kNotCore);
  for (std::uint32_t i = graph_->gpu_count(); i < graph_->node_count(); ++i) {
    const NodeId node(i);
    const Range all = neighbours(node);
    // The highest neighbour comes first, and GPUs have the lowest ids.
    const bool local = graph_->kind(node) == NodeKind::kNvSwitch &&
                       (all.empty() || graph_->is_gpu(all.begin()->peer));
    if (!local) {
      core_index_[i] = static_cast<std::uint32_t>(core_.size());
      core_.push_back(node);
    }
  }
}

void Routes::FindClasses() {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> key;
  class_of_.reserve(graph_->gpu_count());
  for (std::uint32_t i = 0; i < graph_->gpu_count(); ++i) {
    key.clear();
    for (const Neighbour& next : neighbours(NodeId(i))) {
      if (!is_local(next.peer)) {
        key.push_back(next.peer.value);
      }
    }
    const auto [found, is_new] = known.emplace(key, class_count());
    if (is_new) {
      members_.emplace_back();
    }
    class_of_.push_back(found->second);
    members_[found->second].push_back(NodeId(i));
  }
}

void Routes::ComputeClass(std::uint32_t cls) {
  Distance* distances = distance_.data() + std::size_t{cls} * core_.size();
  std::fill(distances, distances + core_.size(), kFar);
  std::vector<NodeId> queue;
  queue.reserve(core_.size());
  const auto visit = [&](NodeId node, Distance hops) {
    const std::uint32_t index = core_index_[node.value];
    if (index != kNotCore && distances[index] == kFar) {
      distances[index] = hops;
      queue.push_back(node);
    }
  };
  for (const Neighbour& next : neighbours(members_[cls].front())) {
    visit(next.peer, 1);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Distance hops = distances[core_index_[queue[head].value]];
    HEDDLE_INVARIANT(hops < kFar - 1, "a route of more than 65,000 hops");
    for (const Neighbour& next : neighbours(queue[head])) {
      if (graph_->is_gpu(next.peer)) {
        break;  // only GPUs follow
      }
      visit(next.peer, static_cast<Distance>(hops + 1));
    }
  }
}

Routes::Range Routes::LinksTo(NodeId node, NodeId peer) const {
  const Range all = neighbours(node);
  struct HigherIdFirst {
    bool operator()(const Neighbour& n, NodeId id) const { return id < n.peer; }
    bool operator()(NodeId id, const Neighbour& n) const { return n.peer < id; }
  };
  const auto [first, last] = std::equal_range(all.begin(), all.end(), peer, HigherIdFirst());
  return {first, last};
}

void Routes::PortsToPeer(NodeId node, NodeId peer, std::vector<PortId>* out) const {
  for (const Neighbour& link : LinksTo(node, peer)) {
    out->push_back(link.port);
  }
}

std::uint32_t Routes::HopsOver(const Neighbour& next, NodeId gpu) const {
  if (next.peer == gpu) {
    return 1;
  }
  if (graph_->is_gpu(next.peer)) {
    return kUnreachable;
  }
  if (is_core(next.peer)) {
    const Distance hops = distance(class_of(gpu), next.peer);
    return hops == kFar ? kUnreachable : hops + 1u;
  }
  return LinksTo(gpu, next.peer).empty() ? kUnreachable : 2;
}

void Routes::KeepNvSwitches(NodeId node, std::vector<PortId>* out) const {
  const auto& ports = graph_->ports(node);
  const auto is_nvswitch = [&](PortId port) {
    return graph_->kind(ports[port.value].peer) == NodeKind::kNvSwitch;
  };
  if (std::any_of(out->begin(), out->end(), is_nvswitch)) {
    out->erase(
        std::remove_if(out->begin(), out->end(), [&](PortId port) { return !is_nvswitch(port); }),
        out->end());
  }
}

void Routes::NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const {
  out->clear();
  const NodeKind kind = graph_->kind(destination);
  HEDDLE_EXPECT(node != destination && kind != NodeKind::kSwitch);
  if (kind == NodeKind::kNvSwitch || is_local(node)) {
    PortsToPeer(node, destination, out);
    return;
  }
  if (is_core(node)) {
    const std::uint32_t cls = class_of(destination);
    if (distance(cls, node) == 1) {
      PortsToPeer(node, destination, out);
    } else {
      NextHopsToClass(node, cls, out);
    }
    return;
  }
  std::uint32_t best = kUnreachable;
  for (const Neighbour& next : neighbours(node)) {
    const std::uint32_t hops = HopsOver(next, destination);
    if (hops < best) {
      best = hops;
      out->clear();
    }
    if (hops == best && hops != kUnreachable) {
      out->push_back(next.port);
    }
  }
  KeepNvSwitches(node, out);
}

void Routes::NextHopsToClass(NodeId core_node, std::uint32_t cls, std::vector<PortId>* out) const {
  out->clear();
  const Distance hops = distance(cls, core_node);
  if (hops == kFar || hops == 1) {
    return;
  }
  for (const Neighbour& next : neighbours(core_node)) {
    if (graph_->is_gpu(next.peer)) {
      break;
    }
    if (is_core(next.peer) && distance(cls, next.peer) + 1 == hops) {
      out->push_back(next.port);
    }
  }
  KeepNvSwitches(core_node, out);
}

std::uint32_t Routes::HopsToClass(NodeId core_node, std::uint32_t cls) const {
  const Distance hops = distance(cls, core_node);
  return hops == kFar ? kUnreachable : hops;
}

std::uint32_t Routes::Hops(NodeId from_gpu, NodeId to_gpu) const {
  if (from_gpu == to_gpu) {
    return 0;
  }
  std::uint32_t best = kUnreachable;
  for (const Neighbour& next : neighbours(from_gpu)) {
    best = std::min(best, HopsOver(next, to_gpu));
  }
  return best;
}

}  // namespace heddle
