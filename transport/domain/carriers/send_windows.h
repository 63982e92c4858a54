// SPDX-License-Identifier: GPL-2.0-only
/// Windows of pairs of hosts, computed once a pair as long as it is in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/containers/recent_map.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/state/fabric_context.h"

namespace heddle {

class SendWindows {
 public:
  /// Makes room for the pairs of `hosts` hosts.
  void Reserve(std::size_t hosts) {
    known_ = RecentMap<NodePair, std::int64_t>(kPairsOfHost * hosts);
  }
  /// Returns FabricContext::WindowOf() of the message's ends [byte].
  std::int64_t Of(const FabricContext& context, const FlowPost& flow) {
    const NodePair ends{flow.source, flow.destination};
    if (const std::int64_t* known = known_.Find(ends)) return *known;
    const std::int64_t window = context.WindowOf(flow.source, flow.destination);
    known_.Keep(ends, window);
    return window;
  }
  std::size_t memory() const { return known_.memory(); }  ///< bytes allocated

 private:
  RecentMap<NodePair, std::int64_t> known_;
};

}  // namespace heddle
