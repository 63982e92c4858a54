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

PathPrices::Path PathPrices::FindNeeded(NodeId from, NodeId to) const {
  const Path path = Find(from, to);
  if (path.rate.bps > 0) return path;
  throw UserError(fmt::format(
      "the topology has no path from {} to {}, which the deployment needs. Expected: pools of "
      "GPUs that reach each other",
      Describe(graph_, from), Describe(graph_, to)));
}

void PathPrices::AddPath(NodeId from, NodeId to, Path* worst) const {
  const Path path = FindNeeded(from, to);
  worst->delay = std::max(worst->delay, path.delay);
  worst->rate = worst->rate.bps == 0 ? path.rate : std::min(worst->rate, path.rate);
}

PathPrices::Path PathPrices::WorstNear(const StepLayout& layout,
                                       const std::vector<NodeId>& gpus) const {
  Path worst;
  for (std::uint32_t group = 0; layout.near > 1 && group < layout.groups; ++group) {
    for (std::uint32_t member = 0; member < layout.near; ++member)
      AddPath(gpus[layout.RankAt(group, member)],
              gpus[layout.RankAt(group, (member + 1) % layout.near)], &worst);
  }
  return worst;
}

PathPrices::Path PathPrices::WorstFar(const StepLayout& layout, const std::vector<NodeId>& gpus,
                                      bool to_all) const {
  Path worst;
  for (std::uint32_t group = 0; layout.groups > 1 && group < layout.groups; ++group) {
    for (std::uint32_t member = 0; member < layout.near; ++member) {
      const NodeId from = gpus[layout.RankAt(group, member)];
      AddPath(from, gpus[layout.RankAt((group + 1) % layout.groups, member)], &worst);
      for (std::uint32_t i = 0; to_all && i < layout.near; ++i)
        AddPath(from, gpus[layout.RankAt((group + 1) % layout.groups, i)], &worst);
    }
  }
  return worst;
}

StepProgram PathPrices::CollectivesOf(const InstancePlan& instance,
                                      const StepProgram::Shape& shape) const {
  std::vector<std::uint32_t> domains;
  for (const NodeId gpu : instance.gpus) domains.push_back(domains_[gpu.value]);
  StepProgram program(shape, LayOutStep(domains));
  const auto price = [](const Path& path) {
    return StepPath{path.delay, std::max(path.rate, BitRate{1})};
  };
  program.near = price(WorstNear(program.layout(), instance.gpus));
  program.far = price(WorstFar(program.layout(), instance.gpus, shape.top_k > 0));
  return program;
}

void PathPrices::CheckPaths() const {
  const auto check = [&](NodeId from, NodeId to) {
    if (from != to) FindNeeded(from, to);
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
