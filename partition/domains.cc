// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "core/base/check.h"
#include "partition/partition.h"
#include "partition/partitioner.h"

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

/// The sets of nodes that are joined by links faster than the lookahead, as domains.
Domains Contract(const Graph& graph, Time lookahead) {
  const std::uint32_t nodes = graph.node_count();
  NodeSets sets(nodes);
  for (const Link& link : graph.links()) {
    if (IsContracted(graph, link, lookahead)) sets.Join(link.a.value, link.b.value);
  }
  Domains domains;
  domains.domain_of.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::uint32_t root = sets.Root(i);  // root <= i, so its set exists already
    const DomainId next(static_cast<std::uint32_t>(domains.nodes.size()));
    domains.domain_of[i] = root == i ? next : domains.domain_of[root];
    if (root == i) domains.nodes.emplace_back();
    domains.nodes[domains.domain_of[i].value].push_back(NodeId(i));
  }
  return domains;
}

std::vector<std::uint32_t> PortsOf(const Graph& graph, const Domains& sets) {
  std::vector<std::uint32_t> ports(sets.nodes.size(), 0);
  for (std::uint32_t i = 0; i < graph.node_count(); ++i)
    ports[sets.domain_of[i].value] += static_cast<std::uint32_t>(graph.ports(NodeId(i)).size());
  return ports;
}

PartitionTask SegmentTask(const Graph& graph, const Domains& sets, std::uint32_t groups) {
  return {graph, sets, groups, 0, PortRates(graph, sets)};
}

/// The group of each set: as the pod partitioner would give segments to ranks.
std::vector<std::uint32_t> GroupSegments(const Graph& graph, const Domains& sets,
                                         std::uint32_t groups) {
  PartitionTask task = SegmentTask(graph, sets, groups);
  task.ranks = std::max(1U, std::min(groups, SegmentsOf(task)));
  std::vector<std::uint32_t> group;
  for (const RankId rank : PartitionByPod(task)) group.push_back(rank.value);
  return group;
}

/// `group`, by set: dense, and ascending by the lowest node.
Domains Merge(const Domains& sets, const std::vector<std::uint32_t>& group) {
  Domains domains;
  domains.domain_of.resize(sets.domain_of.size());
  domains.nodes.resize(group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1);
  for (std::uint32_t i = 0; i < sets.domain_of.size(); ++i) {
    domains.domain_of[i] = DomainId(group[sets.domain_of[i].value]);
    domains.nodes[domains.domain_of[i].value].push_back(NodeId(i));
  }
  return domains;
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
  const Domains sets = Contract(graph, options.lookahead);
  if (sets.nodes.size() == 1 && graph.node_count() > 1 && options.lookahead > Time{0}) {
    FailNothingLeft(graph, options.lookahead);
  }
  const bool by_segment = options.grain == DomainOptions::kAutoGrain && options.segment_domains > 0;
  Domains domains =
      Merge(sets, by_segment ? GroupSegments(graph, sets, options.segment_domains)
                             : GroupSets(PortsOf(graph, sets), TwoSides(graph, sets.domain_of),
                                         options.grain, options.ranks));
  domains.lookahead = SmallestDelayAcross(graph, domains.domain_of);
  return domains;
}

std::uint32_t CountSegments(const Graph& graph) {
  return SegmentsOf(SegmentTask(graph, Contract(graph, Time{0}), 1));
}

}  // namespace heddle
