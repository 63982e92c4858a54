// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/direct_link_routing.h"

#include <utility>
#include <vector>

#include "core/base/check.h"
#include "topology/routes/equal_cost.h"
#include "topology/scale_up/direct_links.h"

namespace heddle {
namespace {

class DirectLinkTable final : public RouteTable {
 public:
  DirectLinkTable(const Graph& graph, std::vector<LinkId> down,
                  std::shared_ptr<const DirectLinks> direct, std::shared_ptr<const RouteTable> rest)
      : RouteTable(std::move(down)),
        graph_(graph),
        direct_(std::move(direct)),
        rest_(std::move(rest)) {}

  std::uint32_t class_count() const override { return rest_->class_count(); }
  std::uint32_t class_of(NodeId gpu) const override { return rest_->class_of(gpu); }
  const std::vector<NodeId>& members(std::uint32_t cls) const override {
    return rest_->members(cls);
  }
  bool is_core(NodeId node) const override { return rest_->is_core(node); }

  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override {
    if (!direct_->in_one_server(node, destination)) return rest_->NextHops(node, destination, out);
    out->assign(1, direct_->Next(node, destination));
  }
  void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                       std::vector<PortId>* out) const override {
    rest_->NextHopsToClass(core_node, cls, out);
  }
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override {
    return rest_->HopsToClass(core_node, cls);
  }
  std::uint32_t Hops(NodeId from, NodeId to) const override {
    return direct_->in_one_server(from, to) ? direct_->Hops(from, to) : rest_->Hops(from, to);
  }
  std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                             RouteChange* change) const override {
    for (const LinkId link : down) {
      const Link& cable = graph_.link(link);
      if (direct_->in_one_server(cable.a, cable.b))
        throw UserError(
            "a failure of an NVLink between GPUs that pass on. Expected: links of NICs and "
            "switches only");
    }
    std::shared_ptr<const RouteTable> rest = rest_->WithDown(down, change);
    return std::make_shared<const DirectLinkTable>(graph_, std::move(down), direct_,
                                                   std::move(rest));
  }
  std::size_t memory() const override { return sizeof *this + direct_->memory() + rest_->memory(); }

 private:
  const Graph& graph_;
  std::shared_ptr<const DirectLinks> direct_;
  std::shared_ptr<const RouteTable> rest_;
};

}  // namespace

std::shared_ptr<const RouteTable> DirectLinkRouting::MakeTable(const Graph& graph) const {
  return std::make_shared<const DirectLinkTable>(graph, std::vector<LinkId>(),
                                                 std::make_shared<const DirectLinks>(graph),
                                                 EqualCost().MakeTable(graph));
}

std::uint32_t LetGpusPassOn(ScaleUpLevel level, Graph* graph) {
  if (graph->routing() != nullptr || graph->scale_up() != nullptr) return 0;
  const DirectLinks direct(*graph);
  if (!direct.pass_on()) return 0;
  for (std::uint32_t id = 0; id < graph->links().size(); ++id) {
    const Link& link = graph->link(LinkId(id));
    if (direct.in_one_server(link.a, link.b)) graph->SetLayer(LinkId(id), 1);
  }
  level.buffer_flits = 0;
  auto shape = std::make_shared<ScaleUpShape>();
  shape->levels.push_back(std::move(level));
  graph->SetScaleUp(std::move(shape));
  graph->SetRouting(std::make_shared<const DirectLinkRouting>());
  return direct.servers();
}

}  // namespace heddle
