// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/explicit_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/check.h"

namespace heddle {
namespace {

using Name = std::array<std::uint64_t, 2>;
struct HashName {
  std::size_t operator()(const Name& name) const {
    // Any odd multipliers that spread the bits do.
    return name[0] * 0x9E3779B97F4A7C15ULL ^ name[1] * 0xC2B2AE3D27D4EB4FULL;
  }
};
Name NameOf(const GroupFlow& flow) {
  return {std::uint64_t{flow.source} << 32 | flow.destination,
          std::uint64_t{static_cast<std::uint8_t>(flow.connection)} << 48 |
              std::uint64_t{flow.channel} << 32 | flow.chunk};
}
using Ids = std::unordered_map<Name, std::uint32_t, HashName>;

std::vector<std::uint32_t> IdsOf(const std::vector<GroupFlow>& flows, const Ids& ids) {
  std::vector<std::uint32_t> found;
  found.reserve(flows.size());
  for (const GroupFlow& flow : flows) {
    const auto place = ids.find(NameOf(flow));
    HEDDLE_INVARIANT(place != ids.end(),
                     "a collective's schedule names a message that it does not list");
    found.push_back(place->second);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<NodeId> SourcesOf(const std::vector<GroupFlow>& flows, const GroupShape& shape) {
  std::vector<NodeId> nodes;
  nodes.reserve(flows.size());
  for (const GroupFlow& flow : flows) nodes.push_back(shape.node(flow.source));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

SingleFlow MakeFlow(const Schedule& schedule, const GroupShape& shape, const GroupFlow& flow,
                    const Ids& ids) {
  std::vector<GroupFlow> parents, children;
  schedule.Parents(flow, &parents);
  schedule.After(flow, &children);
  SingleFlow single;
  single.src = shape.node(flow.source);
  single.dst = shape.node(flow.destination);
  single.bytes = flow.bytes;
  single.prev = SourcesOf(parents, shape);
  single.parents = IdsOf(parents, ids);
  single.children = IdsOf(children, ids);
  single.channel = flow.channel;
  single.chunk = flow.chunk;
  single.chunk_count = schedule.chunk_count();
  single.connection = flow.connection;
  return single;
}

}  // namespace

std::vector<SingleFlow> MakeExplicitFlows(const Schedule& schedule, const GroupShape& shape) {
  const std::uint64_t count = schedule.flow_count();
  if (count > kMostExplicitFlows) {
    throw UserError(
        fmt::format("the collective has {} flows, too many to write out one by one. Expected: at "
                    "most {}; take fewer ranks",
                    count, kMostExplicitFlows));
  }
  Ids ids;
  ids.reserve(count);
  schedule.ForEach([&](const GroupFlow& flow) {
    ids.emplace(NameOf(flow), static_cast<std::uint32_t>(ids.size()));
  });
  std::vector<SingleFlow> flows;
  flows.reserve(count);
  schedule.ForEach([&](const GroupFlow& flow) {
    flows.push_back(MakeFlow(schedule, shape, flow, ids));
    flows.back().id = static_cast<std::uint32_t>(flows.size() - 1);
  });
  return flows;
}

}  // namespace heddle
