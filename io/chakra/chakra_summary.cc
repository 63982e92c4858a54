// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_summary.h"

#include <algorithm>
#include <vector>

#include "core/chakra/chakra_order.h"

namespace heddle {
namespace {

double NanoSecondsOf(const ChakraNode& node) {
  return node.is_compute() ? static_cast<double>(node.duration.ps / 1000) : 0;
}

/// ChakraSummary::longest_chain_ns of one rank; `order`: of its nodes.
double LongestChain(const ChakraRank& rank, const std::vector<std::uint32_t>& order) {
  std::vector<double> start(rank.nodes.size());
  double longest = 0;
  for (const std::uint32_t at : order) {
    const ChakraNode& node = rank.nodes[at];
    const double end = start[at] + NanoSecondsOf(node);
    longest = std::max(longest, end);
    for (std::uint32_t k = 0; k < node.followers; ++k) {
      double& next = start[rank.followers[node.first_follower + k]];
      next = std::max(next, end);
    }
  }
  return longest;
}

void AddCollective(const ChakraTrace& trace, const ChakraNode& node, ChakraPlace at,
                   ChakraSummary* sum) {
  ++sum->collectives;
  if ((node.missing & ChakraNode::kType) == 0) {
    ChakraUse& use = sum->uses[{node.group, node.collective}];
    ++use.count;
    use.bytes += static_cast<double>(node.bytes);
  }
  if (!trace.groups[node.group].known) sum->unknown_groups.Add(at);
}

void AddNode(const ChakraTrace& trace, ChakraPlace at, ChakraSummary* sum) {
  const ChakraNode& node = trace.at(at);
  sum->dependencies += node.waits;
  switch (node.kind) {
    case ChakraNode::Kind::kNothing:
      ++sum->nothing;
      return;
    case ChakraNode::Kind::kCompute:
      ++sum->computing;
      sum->on_cpu += node.on_cpu ? 1 : 0;
      sum->computing_ns += NanoSecondsOf(node);
      return;
    case ChakraNode::Kind::kMemory:
      ++sum->memory;
      sum->memory_bytes += static_cast<double>(node.bytes);
      break;
    case ChakraNode::Kind::kSend:
      ++sum->sends;
      sum->sent_bytes += static_cast<double>(node.bytes);
      sum->largest_message = std::max(sum->largest_message, node.bytes);
      break;
    case ChakraNode::Kind::kReceive:
      ++sum->receives;
      break;
    case ChakraNode::Kind::kCollective:
      AddCollective(trace, node, at, sum);
      break;
  }
  if (node.missing != 0) sum->incomplete.Add(at);
}

}  // namespace

ChakraSummary Summarize(const ChakraTrace& trace) {
  ChakraSummary sum;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const ChakraRank& all = trace.Rank(rank);
    if (all.nodes.empty()) ++sum.idle_ranks;
    for (std::uint32_t node = 0; node < all.nodes.size(); ++node)
      AddNode(trace, {rank, node}, &sum);
    const std::vector<std::uint32_t> order = OrderNodes(all);
    const std::uint64_t stuck = all.nodes.size() - order.size();
    if (stuck > 0 && sum.stuck == 0) sum.stuck_rank = rank;
    sum.stuck += stuck;
    const double chain = LongestChain(all, order);
    if (chain <= sum.longest_chain_ns) continue;
    sum.longest_chain_ns = chain;
    sum.longest_chain_rank = rank;
  }
  return sum;
}

}  // namespace heddle
