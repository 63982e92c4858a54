// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/group_shape.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "topology/aggregation/lay_tree.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

/// NVSwitches at the ports of `node`, ascending, each once.
std::vector<NodeId> NvSwitchesOf(const Graph& graph, NodeId node) {
  std::vector<NodeId> found;
  for (const Attachment& port : graph.ports(node)) {
    if (graph.kind(port.peer) == NodeKind::kNvSwitch) found.push_back(port.peer);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

GroupShape::GroupShape(const Graph& graph, std::vector<NodeId> members, const TreeRequest& trees)
    : ranks_(static_cast<std::uint32_t>(members.size())),
      direct_links_(graph.scale_up() != nullptr && graph.scale_up()->dimensions.empty() &&
                    graph.nvswitch_count() == 0),
      nodes_(std::move(members)) {
  std::vector<std::uint64_t> server_key;
  server_key.reserve(ranks_);
  rail_.reserve(ranks_);
  for (const NodeId gpu : nodes_) {
    HEDDLE_EXPECT(graph.is_gpu(gpu));
    server_key.push_back(graph.ServerOf(gpu));
    rail_.push_back(graph.PlaceInServer(gpu));
  }
  GroupByServer(server_key);
  first_nvswitch_.push_back(0);
  for (std::uint32_t server = 0; server < servers(); ++server) {
    std::vector<NodeId> shared = NvSwitchesOf(graph, nodes_[local(server, 0)]);
    for (std::uint32_t l = 1; l < locals(server) && !shared.empty(); ++l) {
      const std::vector<NodeId> own = NvSwitchesOf(graph, nodes_[local(server, l)]);
      const auto missing = [&](NodeId node) {
        return !std::binary_search(own.begin(), own.end(), node);
      };
      shared.erase(std::remove_if(shared.begin(), shared.end(), missing), shared.end());
    }
    nodes_.insert(nodes_.end(), shared.begin(), shared.end());
    server_of_.insert(server_of_.end(), shared.size(), server);
    first_nvswitch_.push_back(static_cast<std::uint32_t>(nodes_.size()) - ranks_);
  }
  LayTrees(graph, trees);
}

GroupShape::GroupShape(std::uint32_t ranks, std::uint32_t gpus_per_server,
                       std::uint32_t nvswitches_per_server)
    : ranks_(ranks) {
  std::vector<std::uint64_t> server_key;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    nodes_.push_back(NodeId(r));
    server_key.push_back(r / gpus_per_server);
    rail_.push_back(r % gpus_per_server);
  }
  GroupByServer(server_key);
  first_nvswitch_.push_back(0);
  for (std::uint32_t server = 0; server < servers(); ++server) {
    for (std::uint32_t k = 0; k < nvswitches_per_server; ++k) {
      nodes_.push_back(NodeId(static_cast<std::uint32_t>(nodes_.size())));
      server_of_.push_back(server);
    }
    first_nvswitch_.push_back(static_cast<std::uint32_t>(nodes_.size()) - ranks_);
  }
  SetTrees({});
}

void GroupShape::LayTrees(const Graph& graph, const TreeRequest& request) {
  std::vector<AggregationTree> trees;
  operations_ = graph.sum_operations();
  if (!graph.switches_add()) {
    why_no_trees_ = "the fabric's switches do not add (aggregation.switches=all lets them)";
  } else if (graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty()) {
    why_no_trees_ = "switches of a scale-up dimension do not add";
  } else if (!request.why_none.empty()) {
    why_no_trees_ = request.why_none;
  } else if (servers() >= std::max(request.fewest_servers, 2U) &&
             fewest_locals_ * servers() == ranks_) {
    const std::vector<std::uint32_t> tiers = FindTiers(graph);
    why_no_trees_.clear();
    for (std::uint32_t l = 0; l < fewest_locals_ && why_no_trees_.empty(); ++l) {
      std::vector<NodeId> members;
      for (std::uint32_t server = 0; server < servers(); ++server)
        members.push_back(nodes_[local(server, l)]);
      // By its place among all GPUs of a server, not among the group's: groups that share servers
      // have other paths up.
      const std::uint32_t turn = rail_[local(0, l)];
      AggregationTree tree;
      why_no_trees_ = LayTree(graph, tiers, members, turn, request.ground, &tree);
      if (!why_no_trees_.empty()) continue;
      if (request.ground != nullptr) request.ground->Take(tree, request.holder);
      trees.push_back(std::move(tree));
    }
    if (!why_no_trees_.empty()) {
      for (const AggregationTree& tree : trees) {
        if (request.ground != nullptr) request.ground->GiveBack(tree);
      }
      trees.clear();
    }
  }
  SetTrees(std::move(trees));
}

void GroupShape::AddTreesOfOneSwitch() {
  std::vector<AggregationTree> trees(fewest_locals_);
  for (std::uint32_t l = 0; l < trees.size(); ++l) {
    trees[l].switches = {NodeId(static_cast<std::uint32_t>(nodes_.size()) + l)};
    trees[l].above = {0};
    trees[l].of_member.assign(servers(), 0);
  }
  why_no_trees_.clear();
  SetTrees(std::move(trees));
}

void GroupShape::SetTrees(std::vector<AggregationTree> trees) {
  if (!trees.empty()) why_no_trees_.clear();
  trees_ = std::move(trees);
  first_in_tree_.assign(1, static_cast<Participant>(nodes_.size()));
  // A switch is in no server: what goes to it crosses the network.
  std::uint32_t place = servers();
  for (const AggregationTree& tree : trees_) {
    nodes_.insert(nodes_.end(), tree.switches.begin(), tree.switches.end());
    for (std::size_t k = 0; k < tree.switches.size(); ++k) server_of_.push_back(place++);
    first_in_tree_.push_back(static_cast<Participant>(nodes_.size()));
  }
}

std::size_t GroupShape::TreeMemory() const {
  std::size_t sum = 0;
  for (const AggregationTree& tree : trees_) sum += tree.memory();
  return sum;
}

void GroupShape::GroupByServer(const std::vector<std::uint64_t>& server_key) {
  HEDDLE_EXPECT(ranks_ > 0);
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    const auto server =
        number.emplace(server_key[r], static_cast<std::uint32_t>(sizes.size())).first->second;
    if (server == sizes.size()) sizes.push_back(0);
    server_of_.push_back(server);
    local_of_.push_back(sizes[server]++);
  }
  first_local_.push_back(0);
  for (const std::uint32_t size : sizes) first_local_.push_back(first_local_.back() + size);
  fewest_locals_ = *std::min_element(sizes.begin(), sizes.end());
  by_server_.resize(ranks_);
  for (Participant r = 0; r < ranks_; ++r)
    by_server_[first_local_[server_of_[r]] + local_of_[r]] = r;
}

Participant GroupShape::on_rail(std::uint32_t server, std::uint32_t rail) const {
  for (std::uint32_t l = 0; l < locals(server); ++l) {
    if (rail_[local(server, l)] == rail) return local(server, l);
  }
  return kNone;
}

}  // namespace heddle
