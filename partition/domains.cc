// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "core/base/check.h"
#include "partition/partition.h"

namespace heddle {
namespace {

/// With automatic contraction, faster links are contracted: between NVLink's 25 ns and the 500 ns
/// of the other links in SimAI's fabrics.
constexpr Time kAutomaticLookahead = NanoSeconds(50);

/// Disjoint sets of nodes; the root of a set is its lowest node.
class NodeSets {
 public:
  explicit NodeSets(std::uint32_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t Root(std::uint32_t node) {
    while (parent_[node] != node) {
      node = parent_[node] = parent_[parent_[node]];
    }
    return node;
  }
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Root(a);
    b = Root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

bool IsContracted(const Graph& graph, const Link& link, Time requested) {
  if (requested > Time{0}) {
    return link.delay < requested;
  }
  const bool nvlink =
      graph.kind(link.a) == NodeKind::kNvSwitch || graph.kind(link.b) == NodeKind::kNvSwitch;
  return nvlink || link.delay < kAutomaticLookahead;
}

[[noreturn]] void FailNothingLeft(const Graph& graph, Time requested) {
  std::set<std::int64_t> delays;
  for (const Link& link : graph.links()) {
    delays.insert(link.delay.ps);
  }
  std::string list;
  constexpr int kShown = 8;
  int shown = 0;
  for (const std::int64_t ps : delays) {
    list += ++shown > kShown ? std::string() : (list.empty() ? "" : ", ") + ToText(Time{ps});
  }
  throw UserError(
      fmt::format("lookahead {}: no link is that slow, so the whole fabric is one domain. "
                  "Expected: at most the delay of some links, which are {}{}",
                  ToText(requested), list, shown > kShown ? ", ..." : ""));
}

/// Largest size of a group.
struct GroupLimits {
  std::size_t sets, ports;
};

/// Limits for a layer of `layer` sets in a fabric of `fabric` sets.
GroupLimits LimitsFor(std::size_t layer, std::size_t fabric, std::uint32_t grain,
                      std::uint32_t ranks) {
  constexpr std::size_t kFewDomains = 128, kManyDomains = 2048;
  constexpr std::size_t kSmallGroup = 16;  // ports
  constexpr std::size_t kGrainOfMany = 6;
  // Fewer groups cannot be spread evenly. Counted for each layer, as layers run in turn.
  constexpr std::size_t kGroupsPerRank = 16;
  constexpr std::size_t kAny = ~std::size_t{0};
  if (grain != DomainOptions::kAutoGrain) return {grain, kAny};
  if (fabric <= kFewDomains) return {1, kAny};
  const std::size_t spread =
      ranks > 1 ? std::max<std::size_t>(1, layer / (kGroupsPerRank * ranks)) : kAny;
  if (fabric <= kManyDomains) return {kAny, std::min(kSmallGroup, spread)};
  return {std::min(kGrainOfMany, spread), kAny};
}

/// Returns the group of each set; groups are runs of neighbours in a layer. Without `sides` all
/// sets are one layer; else each run of one side is.
std::vector<std::uint32_t> GroupSets(const std::vector<std::uint32_t>& ports,
                                     const std::vector<std::uint8_t>& sides, std::uint32_t grain,
                                     std::uint32_t ranks) {
  std::vector<std::uint32_t> group(ports.size(), 0);
  if (grain == 0) return group;
  std::uint32_t current = 0;
  for (std::size_t begin = 0, end; begin < ports.size(); begin = end, ++current) {
    for (end = begin + 1; end < ports.size() && (sides.empty() || sides[end] == sides[begin]);)
      ++end;
    const GroupLimits most = LimitsFor(end - begin, ports.size(), grain, ranks);
    std::size_t sets_in_group = 0, ports_in_group = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin && (sets_in_group + 1 > most.sets || ports_in_group + ports[i] > most.ports)) {
        ++current;
        sets_in_group = ports_in_group = 0;
      }
      ++sets_in_group;
      ports_in_group += ports[i];
      group[i] = current;
    }
  }
  return group;
}

}  // namespace

std::uint32_t ParseGrain(const std::string& text) {
  if (text == "auto") return DomainOptions::kAutoGrain;
  std::uint32_t grain = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), grain);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError("--grain: found '" + Printable(text) +
                     "'. Expected: auto, 0 (all domains in one) or a number of domains");
  }
  return grain;
}

Domains MakeDomains(const Graph& graph, const DomainOptions& options) {
  if (options.lookahead < Time{0}) {
    throw UserError("lookahead " + ToText(options.lookahead) + ". Expected: 0 or above");
  }
  const bool one_domain = options.grain == DomainOptions::kAutoGrain && options.one_domain;
  const std::uint32_t grain = one_domain ? 0 : options.grain;
  const std::uint32_t nodes = graph.node_count();
  NodeSets sets(nodes);
  for (const Link& link : graph.links()) {
    if (IsContracted(graph, link, options.lookahead)) {
      sets.Join(link.a.value, link.b.value);
    }
  }
  // Contracted sets by their lowest node, and the number of ports of each.
  std::vector<DomainId> set_of(nodes);
  std::vector<std::uint32_t> ports;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::uint32_t root = sets.Root(i);  // root <= i, so its set exists already
    set_of[i] = root == i ? DomainId(static_cast<std::uint32_t>(ports.size())) : set_of[root];
    if (root == i) ports.push_back(0);
    ports[set_of[i].value] += static_cast<std::uint32_t>(graph.ports(NodeId(i)).size());
  }
  const std::vector<std::uint32_t> group =
      GroupSets(ports, TwoSides(graph, set_of), grain, options.ranks);
  const std::size_t found = ports.size();
  Domains domains;
  domains.domain_of.resize(nodes);
  domains.nodes.resize(group.empty() ? 0 : group.back() + 1);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    domains.domain_of[i] = DomainId(group[set_of[i].value]);
    domains.nodes[domains.domain_of[i].value].push_back(NodeId(i));
  }
  if (found == 1 && nodes > 1 && options.lookahead > Time{0}) {
    FailNothingLeft(graph, options.lookahead);
  }
  domains.lookahead = SmallestDelayAcross(graph, domains.domain_of);
  return domains;
}

}  // namespace heddle
