// SPDX-License-Identifier: GPL-2.0-only
#include "topology/tables/table_routing.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "topology/routes/equal_cost.h"

namespace heddle {
namespace {

/// Every GPU is a class of its own.
class Table final : public RouteTable {
 public:
  Table(const Graph& graph, std::shared_ptr<const ForwardingTables> tables)
      : RouteTable(std::vector<LinkId>{}),
        graph_(&graph),
        tables_(std::move(tables)),
        near_(EqualCost().MakeTable(graph)) {
    auto members = std::make_shared<std::vector<std::vector<NodeId>>>();
    for (std::uint32_t i = 0; i < graph.gpu_count(); ++i) members->push_back({NodeId(i)});
    members_ = std::move(members);
  }

  std::uint32_t class_count() const override { return graph_->gpu_count(); }
  std::uint32_t class_of(NodeId gpu) const override { return gpu.value; }
  const std::vector<NodeId>& members(std::uint32_t cls) const override { return (*members_)[cls]; }
  bool is_core(NodeId node) const override { return near_->is_core(node); }
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override;
  void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                       std::vector<PortId>* out) const override;
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override {
    return HopsFromCore(core_node, NodeId(cls));
  }
  std::uint32_t Hops(NodeId from, NodeId to) const override;
  std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                             RouteChange* change) const override;
  std::size_t memory() const override {
    return sizeof(*this) + tables_->memory() + near_->memory() + MemoryOf(*members_);
  }

 private:
  Table(const Table&) = default;  ///< starting point of WithDown()

  /// Whether equal cost, which prefers NVSwitches of servers, leads over one of them.
  bool IsOverNvSwitch(NodeId node, const std::vector<PortId>& ports) const {
    if (ports.empty()) return false;
    const NodeId peer = graph_->ports(node)[ports[0].value].peer;
    return graph_->kind(peer) == NodeKind::kNvSwitch && !is_core(peer);
  }
  std::uint32_t HopsOver(const Attachment& port, NodeId destination) const {
    if (!is_up(port.link)) return kUnreachable;
    if (port.peer == destination) return 1;
    const std::uint32_t rest =
        is_core(port.peer) ? HopsFromCore(port.peer, destination) : kUnreachable;
    return rest == kUnreachable ? kUnreachable : rest + 1;
  }
  std::uint32_t HopsFromCore(NodeId node, NodeId destination) const;
  void NextHopsOfGpu(NodeId gpu, NodeId destination, std::vector<PortId>* out) const;

  const Graph* graph_;
  std::shared_ptr<const ForwardingTables> tables_;
  std::shared_ptr<const RouteTable> near_;  ///< equal cost, for paths within servers
  std::shared_ptr<const std::vector<std::vector<NodeId>>> members_;
};

std::uint32_t Table::HopsFromCore(NodeId node, NodeId destination) const {
  // A loop, which checked tables do not have, ends after as many links as there are nodes.
  for (std::uint32_t hops = 1; hops <= graph_->node_count(); ++hops) {
    const std::uint16_t port = tables_->At(node, destination);
    if (port == ForwardingTables::kNone) return kUnreachable;
    const Attachment& next = graph_->ports(node)[port];
    if (!is_up(next.link)) return kUnreachable;
    if (next.peer == destination) return hops;
    if (!is_core(next.peer)) return kUnreachable;
    node = next.peer;
  }
  return kUnreachable;
}

void Table::NextHopsOfGpu(NodeId gpu, NodeId destination, std::vector<PortId>* out) const {
  near_->NextHops(gpu, destination, out);
  if (IsOverNvSwitch(gpu, *out)) return;
  out->clear();
  std::uint32_t least = kUnreachable;
  const std::vector<Attachment>& ports = graph_->ports(gpu);
  for (std::uint32_t port = 0; port < ports.size(); ++port) {
    const std::uint32_t hops = HopsOver(ports[port], destination);
    if (hops == kUnreachable || hops > least) continue;
    if (hops < least) out->clear();
    least = hops;
    out->push_back(PortId(port));
  }
  std::stable_sort(out->begin(), out->end(),
                   [&](PortId a, PortId b) { return ports[b.value].peer < ports[a.value].peer; });
}

void Table::NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const {
  if (!graph_->is_gpu(destination) || (!graph_->is_gpu(node) && !is_core(node)))
    return near_->NextHops(node, destination, out);
  if (graph_->is_gpu(node)) return NextHopsOfGpu(node, destination, out);
  out->clear();
  const std::uint16_t port = tables_->At(node, destination);
  if (port != ForwardingTables::kNone && is_up(graph_->ports(node)[port].link))
    out->push_back(PortId(port));
}

void Table::NextHopsToClass(NodeId core_node, std::uint32_t cls, std::vector<PortId>* out) const {
  out->clear();
  for (const Attachment& port : graph_->ports(NodeId(cls))) {
    if (port.peer == core_node && is_up(port.link)) return;
  }
  NextHops(core_node, NodeId(cls), out);
}

std::uint32_t Table::Hops(NodeId from, NodeId to) const {
  if (from == to) return 0;
  if (!graph_->is_gpu(from) || !graph_->is_gpu(to)) return near_->Hops(from, to);
  std::vector<PortId> ports;
  NextHops(from, to, &ports);
  if (IsOverNvSwitch(from, ports)) return near_->Hops(from, to);
  return ports.empty() ? kUnreachable : HopsOver(graph_->ports(from)[ports[0].value], to);
}

std::shared_ptr<const RouteTable> Table::WithDown(std::vector<LinkId> down,
                                                  RouteChange* change) const {
  std::vector<LinkId> changed;
  std::set_symmetric_difference(down_.begin(), down_.end(), down.begin(), down.end(),
                                std::back_inserter(changed));
  RouteChange of_near;
  std::shared_ptr<Table> derived(new Table(*this));
  derived->near_ = near_->WithDown(down, &of_near);
  derived->down_ = std::move(down);
  std::vector<bool> affected(class_count(), false);
  for (const LinkId link : changed) {
    for (const NodeId end : {graph_->link(link).a, graph_->link(link).b}) {
      change->touched.push_back(end);
      if (!is_core(end)) continue;
      const std::uint32_t port = PortOf(*graph_, end, link).value;
      for (std::uint32_t gpu = 0; gpu < class_count(); ++gpu)
        affected[gpu] = affected[gpu] || tables_->At(end, NodeId(gpu)) == port;
    }
  }
  std::sort(change->touched.begin(), change->touched.end());
  change->touched.erase(std::unique(change->touched.begin(), change->touched.end()),
                        change->touched.end());
  for (std::uint32_t gpu = 0; gpu < class_count(); ++gpu) {
    if (affected[gpu]) change->classes.push_back(gpu);
  }
  change->recomputed = change->classes;
  return derived;
}

}  // namespace

std::shared_ptr<const RouteTable> TableRouting::MakeTable(const Graph& graph) const {
  return std::make_shared<const Table>(graph, tables_);
}

const ForwardingTables* TablesOf(const Graph& graph) {
  const auto* routing = dynamic_cast<const TableRouting*>(graph.routing());
  return routing != nullptr ? &routing->tables() : nullptr;
}

}  // namespace heddle
