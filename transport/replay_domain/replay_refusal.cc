// SPDX-License-Identifier: GPL-2.0-only
#include "transport/replay_domain/replay_refusal.h"

#include "transport/congestion/congestion_control.h"

namespace heddle {

std::string WhyNoReplay(const TransportOptions& options, const Graph& graph, bool links_fail) {
  if (options.monitors.any()) return "monitors sample the links";
  if (links_fail) return "links fail";
  if (options.lose_packet > 0) return "debug.lose_packet counts packets";
  if (graph.scale_up() != nullptr) return "there are scale-up links";
  if (options.uec_classes() != 0) return "flows are Ultra Ethernet's";
  if (!options.sprayed_by().empty()) return "paths are by packet (" + options.sprayed_by() + ")";
  const CongestionControl control(options.congestion);
  if (control.Heeds(false))
    return std::string("congestion control ") + control.name() + " heeds every ACK";
  return "";
}

}  // namespace heddle
