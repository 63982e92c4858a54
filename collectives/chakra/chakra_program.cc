// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/chakra/chakra_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "collectives/chakra/chakra_times.h"
#include "core/base/check.h"
#include "core/chakra/chakra_order.h"

namespace heddle {
namespace {

/// One rank after the other.
class RankMaker {
 public:
  RankMaker(const ChakraTrace& trace, const ChakraOptions& options,
            const ChakraAlgorithms& algorithms, ChakraOperations* operations)
      : trace_(trace), options_(options), algorithms_(algorithms), operations_(*operations) {}

  GraphRank Make(std::uint32_t rank) {
    const ChakraRank& from = trace_.Rank(rank);
    const std::vector<std::uint32_t> order = OrderNodes(from);
    if (order.size() < from.nodes.size())
      throw UserError(
          fmt::format("{}: nodes wait for each other: {}. Expected: dependencies "
                      "without a cycle, or chakra.control=ignore",
                      from.file, DescribeCycle(from)));
    to_ = GraphRank();
    to_.file = from.file;
    to_.nodes.resize(from.nodes.size());
    edges_.clear();
    last_of_list_.clear();
    closes_.clear();
    opens_.clear();
    for (const std::uint32_t node : order) MakeNode({rank, node});
    CheckOwnMessages(rank);
    Link(from);
    return std::move(to_);
  }

 private:
  using Kind = GraphNode::Kind;

  void MakeNode(ChakraPlace at) {
    const ChakraNode& from = trace_.at(at);
    GraphNode& node = to_.nodes[at.node];
    node.id = from.id;
    node.name = from.name;
    node.tag = from.tag;
    switch (from.kind) {
      case ChakraNode::Kind::kNothing:
        return;
      case ChakraNode::Kind::kCompute:
        node.kind = from.on_cpu ? Kind::kCpu : Kind::kGpu;
        node.time = TimeOfComputing(trace_, at, options_);
        return;
      case ChakraNode::Kind::kMemory:
        node.kind = Kind::kMemory;
        node.time = TimeOfMemory(trace_, at, options_);
        return;
      case ChakraNode::Kind::kCollective:
        return MakeCollective(at, &node);
      case ChakraNode::Kind::kSend:
      case ChakraNode::Kind::kReceive:
        if (from.missing == 0 && from.peer == at.rank) return MakeOwnMessage(at);
        node.kind = from.is_send() ? Kind::kSend : Kind::kReceive;
        node.operation = operations_.AddMessage(at);
        return;
    }
  }

  /// Puts the nodes of an algorithm behind all others: the collective's own node opens it, the last
  /// one closes it.
  void MakeAlgorithm(ChakraPlace at, const ChakraTrace& algorithm) {
    const std::uint32_t place =
        operations_.AddAlgorithm(at, algorithm.ranks.size(), algorithm.name);
    if (place == ChakraOperations::kNone) return;
    const ChakraRank& from = algorithm.Rank(place);
    const auto first = static_cast<std::uint32_t>(to_.nodes.size());
    const auto close = first + static_cast<std::uint32_t>(from.nodes.size());
    const GraphNode whole = to_.nodes[at.node];
    to_.nodes.resize(close + 1, whole);
    to_.nodes[at.node].kind = Kind::kOpen;
    to_.nodes[close].kind = Kind::kClose;
    closes_[at.node] = close;
    opens_[close] = at.node;
    for (const std::uint32_t i : OrderNodes(from))
      to_.nodes[first + i] = InnerNode(at, place, from.nodes[i], whole);
    if (from.nodes.empty()) edges_.emplace_back(at.node, close);
    for (std::uint32_t i = 0; i < from.nodes.size(); ++i) {
      const ChakraNode& inner = from.nodes[i];
      if (inner.waits == 0) edges_.emplace_back(at.node, first + i);
      if (inner.followers == 0) edges_.emplace_back(first + i, close);
      for (std::uint32_t k = 0; k < inner.followers; ++k)
        edges_.emplace_back(first + i, first + from.followers[inner.first_follower + k]);
    }
    if (!options_.as_astra_sim()) Chain(at.node, close);
  }

  GraphNode InnerNode(ChakraPlace at, std::uint32_t place, const ChakraNode& from,
                      const GraphNode& whole) {
    GraphNode node = whole;
    node.inner = true;
    node.tag = from.tag;
    if (from.is_send() || from.is_receive()) {
      node.kind = from.is_send() ? Kind::kSend : Kind::kReceive;
      node.operation = operations_.AddInner(at, place, from);
    } else {
      node.kind = Kind::kDelay;
      node.time = TimeOfReplay(from);
    }
    return node;
  }

  /// All ranks reach the collectives of a group in one order: one begins when the one before it has
  /// ended.
  void Chain(std::uint32_t begin, std::uint32_t end) {
    const auto [last, is_new] = last_of_list_.try_emplace(operations_.last_list(), end);
    if (!is_new) edges_.emplace_back(last->second, begin);
    last->second = end;
  }

  void MakeCollective(ChakraPlace at, GraphNode* node) {
    const ChakraNode& from = trace_.at(at);
    const auto algorithm = algorithms_.find(from.collective);
    if (from.missing == 0 && algorithm != algorithms_.end())
      return MakeAlgorithm(at, *algorithm->second);
    const bool replayed = options_.as_astra_sim() && (from.missing & ChakraNode::kType) == 0 &&
                          from.collective == ChakraCollective::kBroadcast;
    if (replayed) {  // it has the place of a communication, and does not use the network
      node->kind = Kind::kMemory;
      node->time = TimeOfReplay(from);
      return;
    }
    const std::uint32_t operation = operations_.AddCollective(at);
    if (operation == ChakraOperations::kNone) return;
    node->kind = Kind::kCollective;
    node->operation = operation;
    if (options_.as_astra_sim()) return;
    Chain(at.node, at.node);
  }

  /// A message of the rank to itself takes no time, but its receive waits for the send.
  void MakeOwnMessage(ChakraPlace at) {
    const ChakraNode& from = trace_.at(at);
    own_messages_[{from.tag, from.bytes}][from.is_send() ? 0 : 1].push_back(at.node);
  }

  void CheckOwnMessages(std::uint32_t rank) {
    for (auto& [key, ends] : own_messages_) {
      if (ends[0].size() != ends[1].size()) {
        const std::size_t both = std::min(ends[0].size(), ends[1].size());
        const ChakraPlace at{rank, ends[ends[0].size() > both ? 0 : 1][both]};
        throw UserError(
            fmt::format("{}: {} of {} bytes, its own rank, without the other end. "
                        "Expected: a send for each receive",
                        trace_.PlaceOf(at), trace_.Describe(trace_.at(at)), key.second));
      }
      for (std::size_t i = 0; i < ends[0].size(); ++i) edges_.emplace_back(ends[0][i], ends[1][i]);
    }
    own_messages_.clear();
  }

  /// Dependencies of the file, and the added ones.
  void Link(const ChakraRank& from) {
    std::sort(edges_.begin(), edges_.end());
    to_.followers.reserve(from.followers.size() + edges_.size());
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < to_.nodes.size(); ++i) {
      GraphNode& node = to_.nodes[i];
      node.first_follower = static_cast<std::uint32_t>(to_.followers.size());
      if (i < from.nodes.size() && closes_.count(i) == 0) AddOldFollowers(from.nodes[i], from);
      if (const auto opener = opens_.find(i); opener != opens_.end())
        AddOldFollowers(from.nodes[opener->second], from);
      for (; next < edges_.size() && edges_[next].first == i; ++next)
        to_.followers.push_back(edges_[next].second);
      node.followers = static_cast<std::uint32_t>(to_.followers.size()) - node.first_follower;
      if (i < from.nodes.size()) node.waits += from.nodes[i].waits;
    }
    for (const auto& [earlier, later] : edges_) ++to_.nodes[later].waits;
    for (std::uint32_t i = 0; i < to_.nodes.size(); ++i) {
      if (to_.nodes[i].waits == 0) to_.roots.push_back(i);
    }
  }

  /// What waits for a node in the file.
  void AddOldFollowers(const ChakraNode& node, const ChakraRank& from) {
    const auto begin = from.followers.begin() + node.first_follower;
    to_.followers.insert(to_.followers.end(), begin, begin + node.followers);
  }

  const ChakraTrace& trace_;
  const ChakraOptions& options_;
  const ChakraAlgorithms& algorithms_;
  ChakraOperations& operations_;
  GraphRank to_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;     ///< the earlier, the later
  std::unordered_map<std::uint32_t, std::uint32_t> last_of_list_;  ///< nodes
  /// Nodes that open algorithms and the ones that close them, and the reverse.
  std::unordered_map<std::uint32_t, std::uint32_t> closes_, opens_;
  /// By tag and size: nodes that send, and nodes that receive.
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::uint32_t>[2]> own_messages_;
};

}  // namespace

Program MakeChakraProgram(const ChakraTrace& trace, const ChakraOptions& options,
                          const ChakraFabric& fabric, std::vector<std::string>* warnings,
                          const ChakraAlgorithms& algorithms) {
  ChakraOperations operations(trace, fabric);
  RankMaker maker(trace, options, algorithms, &operations);
  auto graph = std::make_shared<GraphProgram>();
  graph->one_communication = options.as_astra_sim();
  graph->window = static_cast<std::uint32_t>(trace.window / trace.ranks.size());
  graph->ranks.reserve(trace.ranks.size());
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    graph->ranks.push_back(maker.Make(rank));
    if (trace.store != nullptr) graph->Spill(&graph->ranks.back());
  }
  operations.Check();
  const ChakraCount& odd = operations.without_dimensions();
  if (odd.count > 0)
    warnings->push_back(fmt::format(
        "{}: the fabric has no dimensions, so involved_dim of {} collectives does not count; the "
        "first is {}",
        trace.name, odd.count, trace.PlaceOf(odd.first)));
  Program program;
  operations.Take(&program);
  const auto is_message = [](const ProgramOp& op) { return IsBetweenTwo(op.spec); };
  graph->sends_until_arrival =
      options.as_astra_sim() && std::any_of(program.ops.begin(), program.ops.end(), is_message);
  program.graph = std::move(graph);
  return program;
}

Workload MakeChakraWorkload(const ChakraTrace& trace) {
  constexpr std::size_t kLongest = 200;
  Workload workload;
  workload.name = trace.name;
  for (const std::string& name : trace.names) {
    Layer layer;
    layer.name = Printable(name, kLongest);
    workload.layers.push_back(layer);
  }
  return workload;
}

}  // namespace heddle
