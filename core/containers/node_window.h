// SPDX-License-Identifier: GPL-2.0-only
/// Nodes of a graph that are in memory or in a file: of those in a file, the last ones that were
/// looked at are in memory, too.
///
/// `Item` is trivially copyable. Its `first_follower` is the place of its first follower among
/// those of all nodes, which are in the order of the nodes; `follower_count()` is their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/spill_file.h"
#include "core/containers/flat_map.h"

namespace heddle {

/// Where the nodes of a graph are in a file.
struct SpilledNodes {
  std::uint32_t count = 0;                      ///< of nodes; 0: they are in memory
  std::int64_t nodes_at = 0, followers_at = 0;  ///< where they begin

  /// Moves nodes and followers to the file, both are empty then. Throws Error of code 6.
  template <class Item>
  static SpilledNodes Spill(std::vector<Item>* nodes, std::vector<std::uint32_t>* followers,
                            SpillFile* file) {
    static_assert(std::is_trivially_copyable_v<Item>);
    SpilledNodes place;
    place.count = static_cast<std::uint32_t>(nodes->size());
    place.nodes_at = file->Append(nodes->data(), nodes->size() * sizeof(Item));
    place.followers_at = file->Append(followers->data(), followers->size() * sizeof(std::uint32_t));
    std::vector<Item>().swap(*nodes);
    std::vector<std::uint32_t>().swap(*followers);
    return place;
  }
  /// Reads `count` nodes from the `first` on, > 0 of them, and their followers. Throws Error of
  /// code 6.
  template <class Item>
  void Read(const SpillFile& file, std::uint32_t first, std::uint32_t number,
            std::vector<Item>* nodes, std::vector<std::uint32_t>* followers) const {
    nodes->resize(number);
    file.Read(nodes_at + std::int64_t{first} * std::int64_t{sizeof(Item)}, nodes->data(),
              nodes->size() * sizeof(Item));
    const std::uint32_t begin = nodes->front().first_follower;
    followers->resize(nodes->back().first_follower + nodes->back().follower_count() - begin);
    file.Read(followers_at + std::int64_t{begin} * std::int64_t{sizeof(std::uint32_t)},
              followers->data(), followers->size() * sizeof(std::uint32_t));
  }
};

template <class Item>
class NodeWindow {
 public:
  /// The nodes are in the vectors, or at `place` in the file, which is null otherwise. All must
  /// outlive the window. `window`: nodes that it holds at most, or kLeast blocks of kNodes.
  NodeWindow(const std::vector<Item>& nodes, const std::vector<std::uint32_t>& followers,
             const SpilledNodes& place, const SpillFile* file, std::size_t window)
      : nodes_(nodes),
        all_followers_(followers),
        place_(place),
        file_(file),
        most_(std::max<std::size_t>(kLeast, window / kNodes)) {}

  /// Returns the number of nodes.
  std::uint32_t size() const {
    return in_file() ? place_.count : static_cast<std::uint32_t>(nodes_.size());
  }
  /// Returns a node by its index. Throws Error of code 6 if the file cannot be read.
  Item Node(std::uint32_t node) {
    return in_file() ? BlockOf(node).nodes[node % kNodes] : nodes_[node];
  }

  struct Followers {
    const std::uint32_t* first;
    const std::uint32_t* last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
  };
  /// Returns the followers of a node; valid until the next call. Errors as Node's.
  Followers FollowersOf(std::uint32_t node) {
    if (!in_file()) {
      const Item& of = nodes_[node];
      const std::uint32_t* first = all_followers_.data() + of.first_follower;
      return {first, first + of.follower_count()};
    }
    const Block& block = BlockOf(node);
    const Item& of = block.nodes[node % kNodes];
    const auto first =
        block.followers.begin() + (of.first_follower - block.nodes.front().first_follower);
    followers_.assign(first, first + of.follower_count());
    return {followers_.data(), followers_.data() + followers_.size()};
  }

  /// Returns memory in bytes, without the vectors.
  std::size_t memory() const {
    std::size_t sum = sizeof *this + MemoryOf(blocks_) + MemoryOf(followers_) + of_number_.memory();
    for (const Block& block : blocks_) sum += MemoryOf(block.nodes) + MemoryOf(block.followers);
    return sum;
  }

 private:
  static constexpr std::uint32_t kNodes = 32;  ///< of a block
  static constexpr std::size_t kLeast = 4;     ///< blocks

  struct Block {
    std::uint32_t number = 0;
    std::uint64_t used = 0;  ///< when it was, in calls
    std::vector<Item> nodes;
    std::vector<std::uint32_t> followers;
  };

  bool in_file() const { return place_.count > 0; }

  /// Returns the block of a node, read if need be in place of the one that was used longest ago.
  Block& BlockOf(std::uint32_t node) {
    const std::uint32_t number = node / kNodes;
    std::uint32_t at = of_number_.Find(number);
    if (at == FlatMap::kNone) {
      at = PlaceForBlock();
      Block& block = blocks_[at];
      const std::uint32_t first = number * kNodes;
      block.number = number;
      place_.Read(*file_, first, std::min(kNodes, place_.count - first), &block.nodes,
                  &block.followers);
      of_number_.Insert(number, at);
    }
    blocks_[at].used = ++calls_;
    return blocks_[at];
  }
  /// Returns the index of a new block, or of the one that was used longest ago, which is forgotten.
  std::uint32_t PlaceForBlock() {
    if (blocks_.size() < most_) {
      blocks_.emplace_back();
      return static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    const auto oldest =
        std::min_element(blocks_.begin(), blocks_.end(),
                         [](const Block& a, const Block& b) { return a.used < b.used; });
    of_number_.Erase(oldest->number);
    return static_cast<std::uint32_t>(oldest - blocks_.begin());
  }

  const std::vector<Item>& nodes_;
  const std::vector<std::uint32_t>& all_followers_;
  SpilledNodes place_;
  const SpillFile* file_;
  std::size_t most_;  ///< blocks
  std::vector<Block> blocks_;
  FlatMap of_number_;  ///< indices of blocks_
  std::uint64_t calls_ = 0;
  std::vector<std::uint32_t> followers_;  ///< of the last call
};

}  // namespace heddle
