// SPDX-License-Identifier: GPL-2.0-only
/// A tree above the heads of a slice, of switches or of heads, that adds the sums of servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/group_shape.h"

namespace heddle {

/// The head of slice l in a server is its local rank l. Nodes are heads, and switches of the
/// slice's tree. Immutable.
class HeadTree {
 public:
  /// A piece of a slice.
  struct Piece {
    std::uint32_t slice = 0, number = 0;
  };

  virtual ~HeadTree() = default;
  /// Whether a participant that is no GPU is a node.
  virtual bool HasSwitch(std::uint32_t slice, Participant p) const = 0;
  /// Whether the sum of the piece is complete at `p`.
  virtual bool IsRoot(const Piece& piece, Participant p) const = 0;
  /// Returns the node above a node that is not the root.
  virtual Participant Above(const Piece& piece, Participant p) const = 0;
  /// Counts the nodes that Below() appends.
  virtual std::uint32_t CountBelow(const Piece& piece, Participant p) const = 0;
  /// Appends the nodes below `p`.
  virtual void Below(const Piece& piece, Participant p, std::vector<Participant>* out) const = 0;
  /// Appends all nodes of a slice.
  virtual void Nodes(std::uint32_t slice, std::vector<Participant>* out) const = 0;
  /// Number of trees that pieces take in turn: pieces k and k + period() of a slice have the same.
  virtual std::uint32_t period() const = 0;
  virtual std::size_t memory() const = 0;  ///< of the tree, without the shape [byte]
};

/// Makes the trees of switches that add (GroupShape::tree()). `shape` has them, and outlives the
/// tree.
std::unique_ptr<HeadTree> MakeSwitchTree(const GroupShape& shape);
/// Makes two binary trees over the servers, which pieces take in turn, as NCCL's channels do: a
/// head that is between others in one is an end in the other (double_binary_tree.h). `shape`
/// outlives them.
std::unique_ptr<HeadTree> MakeBinaryTrees(const GroupShape& shape);

}  // namespace heddle
