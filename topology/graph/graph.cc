// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

const char* NameOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kGpu:
      return "GPU";
    case NodeKind::kNvSwitch:
      return "NVSwitch";
    default:
      return "switch";
  }
}

}  // namespace

Graph::Graph(std::uint32_t gpus, std::uint32_t nvswitches, std::uint32_t switches,
             std::uint32_t gpus_per_server, std::string gpu_type)
    : gpus_(gpus),
      nvswitches_(nvswitches),
      switches_(switches),
      gpus_per_server_(gpus_per_server),
      gpu_type_(std::move(gpu_type)) {
  const std::uint64_t nodes = std::uint64_t{gpus} + nvswitches + switches;
  if (nodes > kMaxNodes) {
    throw UserError(fmt::format("a fabric of {} nodes. Expected: at most {}", nodes, kMaxNodes));
  }
  if (gpus_per_server == 0) {
    throw UserError("0 GPUs per server. Expected: at least 1");
  }
  ports_.resize(nodes);
}

void Graph::ReserveLinks(std::size_t links) { links_.reserve(links); }

LinkId Graph::AddLink(const Link& link) {
  for (const NodeId end : {link.a, link.b}) {
    if (end.value >= node_count()) {
      throw UserError(fmt::format("a link to node {}. Expected: node ids below {}",
                                  static_cast<std::int64_t>(end.value), node_count()));
    }
    if (ports_[end.value].size() >= kMaxPorts) {
      throw UserError(fmt::format("{} has more than {} links. Expected: at most that many",
                                  Describe(*this, end), kMaxPorts));
    }
  }
  if (link.a == link.b) {
    throw UserError(fmt::format("a link from {} to itself. Expected: two different nodes",
                                Describe(*this, link.a)));
  }
  if (link.rate.bps <= 0) {
    throw UserError(fmt::format("a link rate of {} bps. Expected: above 0", link.rate.bps));
  }
  if (link.delay.ps < 0) {
    throw UserError(fmt::format("a link delay of {} ps. Expected: 0 or above", link.delay.ps));
  }
  if (!(link.error_rate >= 0 && link.error_rate < 1)) {
    throw UserError(
        fmt::format("a packet error rate of {}. Expected: 0 <= rate < 1", link.error_rate));
  }
  if (links_.size() >= kMaxLinks) {
    throw UserError(fmt::format("more than {} links. Expected: at most that many", kMaxLinks));
  }
  const LinkId id(static_cast<std::uint32_t>(links_.size()));
  auto& ports_a = ports_[link.a.value];
  auto& ports_b = ports_[link.b.value];
  const PortId port_a(static_cast<std::uint32_t>(ports_a.size()));
  const PortId port_b(static_cast<std::uint32_t>(ports_b.size()));
  links_.push_back(link);
  ports_a.push_back({id, link.b, port_b});
  ports_b.push_back({id, link.a, port_a});
  return id;
}

void Graph::DeclareTiers(NodeTiers tiers) {
  bool fits = tiers.of_node.size() == node_count();
  for (std::uint32_t node = 0; fits && node < node_count(); ++node) {
    const std::uint32_t tier = tiers.of_node[node];
    const NodeKind its_kind = kind(NodeId(node));
    fits = tier < tiers.names.size() && (tier == kGpuTier) == (its_kind == NodeKind::kGpu) &&
           (tier == kNvSwitchTier) == (its_kind == NodeKind::kNvSwitch);
  }
  if (!fits) {
    throw UserError(
        "tiers that do not fit their nodes. Expected: a tier with a name for each "
        "node, 0 for GPUs, 1 for NVSwitches");
  }
  const auto level = [&](NodeId node) {
    return tiers.of_node[node.value] == kGpuTier ? kNvSwitchTier : tiers.of_node[node.value];
  };
  for (const Link& link : links_) {
    if (kind(link.a) == NodeKind::kNvSwitch || kind(link.b) == NodeKind::kNvSwitch) continue;
    const std::uint32_t a = level(link.a), b = level(link.b);
    if (std::max(a, b) - std::min(a, b) > 1) {
      throw UserError(fmt::format(
          "a link from {} to {}, which are {} tiers apart. Expected: 0 or 1",
          Describe(*this, link.a), Describe(*this, link.b), std::max(a, b) - std::min(a, b)));
    }
  }
  tiers_ = std::move(tiers);
}

void Graph::SetNames(std::vector<std::string> names) {
  if (names.size() != node_count()) {
    throw UserError(
        fmt::format("{} names for {} nodes. Expected: one for each", names.size(), node_count()));
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    const bool plain = std::none_of(name.begin(), name.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < ' ' || letter == 127;
    });
    if (name.empty() || name.size() > kMostNameBytes || !plain) {
      throw UserError(fmt::format("the name '{}' of a node. Expected: 1 to {} printable bytes",
                                  Printable(name), kMostNameBytes));
    }
    if (!seen.insert(name).second) {
      throw UserError(
          fmt::format("two nodes are named '{}'. Expected: different names", Printable(name)));
    }
  }
  names_ = std::move(names);
}

void Graph::SetScaleUp(std::shared_ptr<const ScaleUpShape> shape) {
  std::uint64_t npus = 1;
  for (const Dimension& dimension : shape->dimensions) npus *= dimension.size;
  if (!shape->dimensions.empty() && npus != gpus_) {
    throw UserError(fmt::format("dimensions of {} NPUs in a fabric of {} GPUs. Expected: as many",
                                npus, gpus_));
  }
  for (const Link& link : links_) {
    if (link.layer > shape->levels.size()) {
      throw UserError(fmt::format("a link of layer {}. Expected: at most {}, the number of levels",
                                  link.layer, shape->levels.size()));
    }
  }
  scale_up_ = std::move(shape);
}

Time SmallestDelayAcross(const Graph& graph, const std::vector<DomainId>& domain_of) {
  Time smallest = Time::Max();
  for (const Link& link : graph.links()) {
    if (domain_of[link.a.value] != domain_of[link.b.value])
      smallest = std::min(smallest, link.delay);
  }
  return smallest;
}

std::vector<std::uint8_t> TwoSides(const Graph& graph, const std::vector<DomainId>& domain_of) {
  constexpr std::uint8_t kUnknown = 2;
  DomainId last{0};
  for (DomainId domain : domain_of) last = std::max(last, domain);
  std::vector<std::vector<std::uint32_t>> peers(last.value + 1);
  for (const Link& link : graph.links()) {
    const DomainId a = domain_of[link.a.value], b = domain_of[link.b.value];
    if (a == b) continue;
    peers[a.value].push_back(b.value);
    peers[b.value].push_back(a.value);
  }
  std::vector<std::uint8_t> sides(peers.size(), kUnknown);
  std::vector<std::uint32_t> found;
  for (std::uint32_t first = 0; first < peers.size(); ++first) {
    if (sides[first] != kUnknown) continue;
    sides[first] = 0;
    found.assign(1, first);
    while (!found.empty()) {
      const std::uint32_t domain = found.back();
      found.pop_back();
      for (std::uint32_t peer : peers[domain]) {
        if (sides[peer] == sides[domain]) return {};
        if (sides[peer] != kUnknown) continue;
        sides[peer] = sides[domain] ^ 1;
        found.push_back(peer);
      }
    }
  }
  return sides;
}

PortId PortOf(const Graph& graph, NodeId node, LinkId link) {
  const std::vector<Attachment>& ports = graph.ports(node);
  const auto at =
      std::find_if(ports.begin(), ports.end(), [&](const Attachment& a) { return a.link == link; });
  HEDDLE_EXPECT(at != ports.end());
  return PortId(static_cast<std::uint32_t>(at - ports.begin()));
}

std::string Describe(const Graph& graph, NodeId node) {
  return fmt::format("{} {}", NameOf(graph.kind(node)), node.value);
}

}  // namespace heddle
