// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/nvlink_level.h"

#include <memory>
#include <utility>

#include "core/base/check.h"

namespace heddle {

void PutNvLinksOnLevel(const ScaleUpLevel& level, Graph* graph) {
  if (graph->nvswitch_count() == 0 || graph->scale_up() != nullptr) {
    throw UserError(
        "nvlink.layer: the fabric has no NVSwitches between its GPUs. Expected: packets, or a "
        "fabric of servers with NVSwitches");
  }
  for (std::uint32_t id = 0; id < graph->links().size(); ++id) {
    const Link& link = graph->link(LinkId(id));
    const bool nvlink =
        graph->kind(link.a) == NodeKind::kNvSwitch || graph->kind(link.b) == NodeKind::kNvSwitch;
    if (nvlink) graph->SetLayer(LinkId(id), 1);
  }
  auto shape = std::make_shared<ScaleUpShape>();
  shape->levels.push_back(level);
  graph->SetScaleUp(std::move(shape));
}

}  // namespace heddle
