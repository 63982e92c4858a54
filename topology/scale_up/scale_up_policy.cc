// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/scale_up_policy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "topology/scale_up/scale_up_routes.h"

namespace heddle {
namespace {

/// Every NPU is a class of its own, and nothing is stored by pair.
class ScaleUpTable final : public RouteTable {
 public:
  explicit ScaleUpTable(const Graph& graph)
      : RouteTable({}), graph_(graph), routes_(std::make_shared<const ScaleUpRoutes>(graph)) {
    auto members = std::make_shared<std::vector<std::vector<NodeId>>>(graph.gpu_count());
    for (std::uint32_t npu = 0; npu < graph.gpu_count(); ++npu) (*members)[npu] = {NodeId(npu)};
    members_ = std::move(members);
  }

  std::uint32_t class_count() const override { return graph_.gpu_count(); }
  std::uint32_t class_of(NodeId gpu) const override { return gpu.value; }
  const std::vector<NodeId>& members(std::uint32_t cls) const override { return (*members_)[cls]; }
  bool is_core(NodeId /*node*/) const override { return true; }

  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override {
    out->clear();
    if (!graph_.is_gpu(destination)) {
      const std::vector<Attachment>& ports = graph_.ports(node);
      for (std::uint32_t port = 0; port < ports.size(); ++port) {
        if (ports[port].peer == destination) out->push_back(PortId(port));
      }
    } else if (Reaches(node, destination)) {
      out->push_back(routes_->Next(node, destination, ScaleUpRoutes::kAnyLane));
    }
  }
  void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                       std::vector<PortId>* out) const override {
    NextHops(core_node, NodeId(cls), out);
  }
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override {
    return Hops(core_node, NodeId(cls));
  }
  std::uint32_t Hops(NodeId from, NodeId to) const override {
    if (from == to) return 0;
    if (!graph_.is_gpu(to)) {
      std::vector<PortId> ports;
      NextHops(from, to, &ports);
      return ports.empty() ? kUnreachable : 1;
    }
    return Reaches(from, to) ? routes_->Hops(from, to) : kUnreachable;
  }
  std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                             RouteChange* /*change*/) const override {
    if (!down.empty()) {
      throw UserError(
          "a failure in a scale-up fabric, which has one way for each pair. Expected: none");
    }
    return std::make_shared<const ScaleUpTable>(*this);
  }
  std::size_t memory() const override {
    return sizeof *this + routes_->memory() + MemoryOf(*members_) +
           members_->size() * sizeof(NodeId);
  }

  ScaleUpTable(const ScaleUpTable&) = default;

 private:
  /// A switch knows the NPUs of its line, and sends others' packets to the one of their coordinate.
  bool Reaches(NodeId from, NodeId /*to*/) const {
    return graph_.is_gpu(from) || !graph_.ports(from).empty();
  }

  const Graph& graph_;
  std::shared_ptr<const ScaleUpRoutes> routes_;
  std::shared_ptr<const std::vector<std::vector<NodeId>>> members_;
};

}  // namespace

std::shared_ptr<const RouteTable> ScaleUpRouting::MakeTable(const Graph& graph) const {
  return std::make_shared<const ScaleUpTable>(graph);
}

}  // namespace heddle
