// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/graph/graph_window.h"

#include <algorithm>
#include <type_traits>

namespace heddle {

static_assert(std::is_trivially_copyable_v<GraphNode>);

void GraphProgram::Spill(GraphRank* rank) {
  if (rank->nodes.empty()) return;
  if (file == nullptr) file = std::make_shared<SpillFile>();
  rank->in_file = rank->size();
  rank->nodes_at = file->Append(rank->nodes.data(), rank->nodes.size() * sizeof(GraphNode));
  rank->followers_at =
      file->Append(rank->followers.data(), rank->followers.size() * sizeof(std::uint32_t));
  std::vector<GraphNode>().swap(rank->nodes);
  std::vector<std::uint32_t>().swap(rank->followers);
}

GraphWindow::GraphWindow(const GraphProgram& program, std::uint32_t rank)
    : program_(program),
      rank_(program.ranks[rank]),
      most_(std::max<std::size_t>(kLeast, program.window / kNodes)) {}

void GraphWindow::Read(std::uint32_t number, Block* block) const {
  const std::uint32_t first = number * kNodes;
  block->number = number;
  block->nodes.resize(std::min(kNodes, rank_.in_file - first));
  program_.file->Read(rank_.nodes_at + std::int64_t{first} * std::int64_t{sizeof(GraphNode)},
                      block->nodes.data(), block->nodes.size() * sizeof(GraphNode));
  const std::uint32_t begin = block->nodes.front().first_follower;
  const GraphNode& last = block->nodes.back();
  block->followers.resize(last.first_follower + last.followers - begin);
  program_.file->Read(
      rank_.followers_at + std::int64_t{begin} * std::int64_t{sizeof(std::uint32_t)},
      block->followers.data(), block->followers.size() * sizeof(std::uint32_t));
}

GraphWindow::Block& GraphWindow::BlockOf(std::uint32_t node) {
  const std::uint32_t number = node / kNodes;
  std::uint32_t at = of_number_.Find(number);
  if (at == FlatMap::kNone) {
    if (blocks_.size() < most_) {
      at = static_cast<std::uint32_t>(blocks_.size());
      blocks_.emplace_back();
    } else {
      const auto oldest =
          std::min_element(blocks_.begin(), blocks_.end(),
                           [](const Block& a, const Block& b) { return a.used < b.used; });
      at = static_cast<std::uint32_t>(oldest - blocks_.begin());
      of_number_.Erase(oldest->number);
    }
    Read(number, &blocks_[at]);
    of_number_.Insert(number, at);
  }
  blocks_[at].used = ++calls_;
  return blocks_[at];
}

GraphWindow::Followers GraphWindow::FollowersOf(std::uint32_t node) {
  if (rank_.in_file == 0) {
    const GraphNode& of = rank_.nodes[node];
    const std::uint32_t* first = rank_.followers.data() + of.first_follower;
    return {first, first + of.followers};
  }
  const Block& block = BlockOf(node);
  const GraphNode& of = block.nodes[node % kNodes];
  const auto first =
      block.followers.begin() + (of.first_follower - block.nodes.front().first_follower);
  followers_.assign(first, first + of.followers);
  return {followers_.data(), followers_.data() + followers_.size()};
}

std::size_t GraphWindow::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(blocks_) + MemoryOf(followers_) + of_number_.memory();
  for (const Block& block : blocks_) sum += MemoryOf(block.nodes) + MemoryOf(block.followers);
  return sum;
}

}  // namespace heddle
