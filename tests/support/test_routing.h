// SPDX-License-Identifier: GPL-2.0-only
/// Routing policies that heddle does not have, to test that policies other than equal cost work.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "topology/routes/equal_cost.h"

namespace heddle::testing {

/// Shortest paths on which GPUs forward packets of others.
class Transit final : public RoutingPolicy {
 public:
  bool gpus_transit() const override { return true; }
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override {
    return std::make_shared<const EqualCostTable>(graph, *this);
  }
};

/// One next node for each node and GPU, as in forwarding tables; the path need not be a shortest
/// one.
class OneNextNode final : public RoutingPolicy {
 public:
  using NextNode = std::function<NodeId(NodeId node, NodeId gpu)>;

  explicit OneNextNode(NextNode next) : next_(std::move(next)) {}
  bool gpus_transit() const override { return false; }
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override {
    return std::make_shared<const Table>(graph, next_, std::vector<LinkId>{});
  }

 private:
  /// Every GPU is a class of its own.
  class Table final : public RouteTable {
   public:
    Table(const Graph& graph, const NextNode& next, std::vector<LinkId> down)
        : RouteTable(std::move(down)), graph_(&graph), next_(next) {
      for (std::uint32_t i = 0; i < graph.gpu_count(); ++i) members_.push_back({NodeId(i)});
    }
    std::uint32_t class_count() const override { return graph_->gpu_count(); }
    std::uint32_t class_of(NodeId gpu) const override { return gpu.value; }
    const std::vector<NodeId>& members(std::uint32_t cls) const override { return members_[cls]; }
    bool is_core(NodeId node) const override { return !graph_->is_gpu(node); }

    void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override {
      out->clear();
      const NodeId next = next_(node, destination);
      const std::vector<Attachment>& ports = graph_->ports(node);
      for (std::uint32_t port = 0; port < ports.size(); ++port) {
        if (ports[port].peer == next && is_up(ports[port].link)) out->push_back(PortId(port));
      }
    }
    void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                         std::vector<PortId>* out) const override {
      out->clear();
      for (const Attachment& port : graph_->ports(core_node)) {
        if (port.peer == NodeId(cls)) return;
      }
      NextHops(core_node, NodeId(cls), out);
    }
    std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override {
      return Hops(core_node, NodeId(cls));
    }
    std::uint32_t Hops(NodeId from, NodeId to) const override {
      std::uint32_t hops = 0;
      std::vector<PortId> ports;
      for (NodeId node = from; node != to; ++hops) {
        NextHops(node, to, &ports);
        if (ports.empty()) return kUnreachable;
        node = graph_->ports(node)[ports[0].value].peer;
      }
      return hops;
    }
    std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                               RouteChange* change) const override {
      for (std::uint32_t cls = 0; cls < class_count(); ++cls) change->classes.push_back(cls);
      change->recomputed = change->classes;
      return std::make_shared<const Table>(*graph_, next_, std::move(down));
    }
    std::size_t memory() const override { return sizeof(*this); }

   private:
    const Graph* graph_;
    NextNode next_;
    std::vector<std::vector<NodeId>> members_;
  };

  NextNode next_;
};

/// GPU i is cabled to GPU i + 1, the last one to the first; one GPU a server.
inline Graph Ring(std::uint32_t gpus, std::shared_ptr<const RoutingPolicy> routing) {
  Graph graph(gpus, 0, 0, 1, "X");
  for (std::uint32_t i = 0; i < gpus; ++i) {
    graph.AddLink({NodeId(i), NodeId((i + 1) % gpus), BitRate{100'000'000'000}, MicroSeconds(1)});
  }
  graph.SetRouting(std::move(routing));
  return graph;
}

}  // namespace heddle::testing
