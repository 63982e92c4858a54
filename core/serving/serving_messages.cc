// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_messages.h"

namespace heddle {

void ForEachServingMessage(const ServingPlan& plan, const ServingRequests& requests,
                           const ServingVisit& visit) {
  const std::vector<std::uint32_t> entries = plan.Entries(), decoders = plan.Decoders();
  if (decoders.empty()) return;
  for (std::uint32_t request = 0; request < requests.size(); ++request) {
    const std::uint32_t prefill = entries[request % entries.size()];
    const std::uint32_t decoder = decoders[request % decoders.size()];
    const std::vector<NodeId>& from = plan.instances[prefill].gpus;
    const std::vector<NodeId>& to = plan.instances[decoder].gpus;
    visit(from[0], to[0], kServingControlBytes, 1);
    visit(to[0], from[0], kServingControlBytes, 1);
    for (const KvShare& share : plan.SharesOf(prefill, decoder))
      visit(from[share.from], to[share.to], plan.ShareBytes(share, requests[request].input), 1);
  }
}

}  // namespace heddle
