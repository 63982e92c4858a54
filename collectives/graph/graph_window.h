// SPDX-License-Identifier: GPL-2.0-only
/// The nodes of a rank's graph as its program looks at them: all in memory, or the last ones that
/// were looked at, and the others in the program's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/graph/graph_program.h"
#include "core/containers/flat_map.h"

namespace heddle {

class GraphWindow {
 public:
  /// `program` must outlive it.
  GraphWindow(const GraphProgram& program, std::uint32_t rank);

  std::uint32_t size() const { return rank_.size(); }  ///< number of nodes
  /// Returns a node by its index. Throws Error of code 6 if the file cannot be read.
  GraphNode Node(std::uint32_t node) {
    return rank_.in_file == 0 ? rank_.nodes[node] : BlockOf(node).nodes[node % kNodes];
  }

  struct Followers {
    const std::uint32_t* first;
    const std::uint32_t* last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
  };
  /// Returns the nodes that wait for a node; valid until the next call. Errors as Node's.
  Followers FollowersOf(std::uint32_t node);

  /// Returns memory in bytes, without that of the program.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNodes = 32;  ///< of a block
  static constexpr std::size_t kLeast = 4;     ///< blocks

  struct Block {
    std::uint32_t number = 0;
    std::uint64_t used = 0;  ///< when it was, in calls
    std::vector<GraphNode> nodes;
    std::vector<std::uint32_t> followers;
  };

  /// Returns the block of a node, read if need be in place of the one that was used longest ago.
  Block& BlockOf(std::uint32_t node);
  /// Fills a block from the file.
  void Read(std::uint32_t number, Block* block) const;

  const GraphProgram& program_;
  const GraphRank& rank_;
  std::size_t most_;  ///< blocks
  std::vector<Block> blocks_;
  FlatMap of_number_;  ///< indices of blocks_
  std::uint64_t calls_ = 0;
  std::vector<std::uint32_t> followers_;  ///< of the last call
};

}  // namespace heddle
