// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/uec_run.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "topology/graph/oversubscription.h"
#include "topology/paths/path_metrics.h"

namespace heddle {

std::int64_t UecRun::Scaled(std::int64_t bytes, BitRate link) const {
  const auto scaled =
      static_cast<std::int64_t>(static_cast<double>(bytes) * static_cast<double>(link.bps) /
                                static_cast<double>(scale.rate.bps));
  return std::max(scaled, options.mtu);
}

EcnTable::Thresholds UecRun::Ecn(BitRate link, bool last_hop) const {
  if (last_hop && !scale.last_hop_ecn) {
    const std::int64_t never = std::numeric_limits<std::int64_t>::max();
    return {never, never, 0};
  }
  const std::int64_t kmin = Scaled(scale.kmin, link);
  return {scale.kmin > 0 ? kmin : 0, std::max(kmin, Scaled(scale.kmax, link)), 1};
}

UecScale ScaleOf(const Graph& graph, const UecOptions& options) {
  BitRate rate;
  for (const Link& link : graph.links()) {
    const bool nic = (graph.is_gpu(link.a) && graph.kind(link.b) == NodeKind::kSwitch) ||
                     (graph.is_gpu(link.b) && graph.kind(link.a) == NodeKind::kSwitch);
    if (nic) rate.bps = std::max(rate.bps, link.rate.bps);
  }
  // A full packet there and an ACK back: the sum of both over all links of the path.
  const PathMetrics metrics(graph, Bytes{options.mtu + options.control});
  if (rate.bps == 0 || metrics.max_rtt() <= Time{0})
    throw UserError("Ultra Ethernet needs GPUs with links to switches; the topology has none");
  double oversubscription = 1;
  for (const TierBandwidth& tier : TierBandwidths(graph)) {
    if (!tier.is_top()) oversubscription = std::max(oversubscription, tier.ratio());
  }
  return {options, metrics.max_rtt(), rate, oversubscription};
}

}  // namespace heddle
