// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/replay_refusal.h"

#include "transport/model/replay/replay_permission.h"

namespace heddle {

std::string WhyNoReplay(const TransportOptions& options, const Graph& graph, bool links_fail) {
  ReplayPermission permission;
  options.VisitReplay(permission);
  if (!permission.reason().empty()) return permission.reason();
  if (links_fail) return "links fail";
  if (options.lose_packet > 0) return "debug.lose_packet counts packets";
  if (graph.scale_up() != nullptr) return "there are scale-up links";
  if (options.uec_classes() != 0) return "flows are Ultra Ethernet's";
  if (!options.sprayed_by().empty()) return "paths are by packet (" + options.sprayed_by() + ")";
  return "";
}

}  // namespace heddle
