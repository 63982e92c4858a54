// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/path_prices.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/serving/serving_messages.h"

namespace heddle {
namespace {

/// Rounded up to the picosecond, for any number of bytes.
Time TimeAtRate(std::int64_t bytes, BitRate rate) {
  constexpr __int128 kBitTicks = 8'000'000'000'000;
  return Time{static_cast<std::int64_t>((kBitTicks * bytes + rate.bps - 1) / rate.bps)};
}

}  // namespace

PathPrices::Path PathPrices::Find(NodeId from, NodeId to) const {
  Path path;
  std::vector<PortId> ports;
  std::uint32_t left = graph_.node_count();  // no route is longer
  for (NodeId node = from; node != to; --left) {
    routes_.NextHops(node, to, &ports);
    if (ports.empty() || left == 0) return {};
    const Attachment& next = graph_.ports(node)[ports[0].value];
    const Link& link = graph_.link(next.link);
    path.delay += link.delay;
    path.rate = path.rate.bps == 0 ? link.rate : std::min(path.rate, link.rate);
    node = next.peer;
  }
  return path;
}

Time PathPrices::ControlTime(std::uint32_t from, std::uint32_t to) const {
  return TransferTime(plan_.instances[from].gpus[0], plan_.instances[to].gpus[0],
                      kServingControlBytes);
}

Time PathPrices::TransferTime(NodeId from, NodeId to, std::int64_t bytes) const {
  const Path path = Find(from, to);
  return path.delay + TimeAtRate(bytes, path.rate);
}

StepCollectives PathPrices::CollectivesOf(const InstancePlan& instance) const {
  StepCollectives collectives;
  const auto gpus = static_cast<std::int64_t>(instance.gpus.size());
  if (gpus == 1) return collectives;
  Path worst;
  for (std::size_t i = 0; i < instance.gpus.size(); ++i) {
    const Path path = Find(instance.gpus[i], instance.gpus[(i + 1) % instance.gpus.size()]);
    worst.delay = std::max(worst.delay, path.delay);
    worst.rate = worst.rate.bps == 0 ? path.rate : std::min(worst.rate, path.rate);
  }
  const std::int64_t messages = std::int64_t{plan_.model.layers} * 2 * 2 * (gpus - 1);
  collectives.fixed = worst.delay * messages;
  collectives.token_bytes = (messages * plan_.model.hidden * 2 + gpus - 1) / gpus;
  collectives.rate = worst.rate;
  return collectives;
}

void PathPrices::CheckPaths() const {
  const auto check = [&](NodeId from, NodeId to) {
    if (from == to || Find(from, to).rate.bps > 0) return;
    throw UserError(fmt::format(
        "the topology has no path from {} to {}, which the deployment needs. Expected: pools of "
        "GPUs that reach each other",
        Describe(graph_, from), Describe(graph_, to)));
  };
  for (const InstancePlan& instance : plan_.instances) {
    for (const NodeId gpu : instance.gpus) {
      check(instance.gpus[0], gpu);
      check(gpu, instance.gpus[0]);
    }
  }
  for (const std::uint32_t decoder : plan_.Decoders()) {
    for (const std::uint32_t entry : plan_.Entries()) {
      check(plan_.instances[entry].gpus[0], plan_.instances[decoder].gpus[0]);
      check(plan_.instances[decoder].gpus[0], plan_.instances[entry].gpus[0]);
    }
  }
}

}  // namespace heddle
