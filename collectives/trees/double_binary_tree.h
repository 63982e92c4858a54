// SPDX-License-Identifier: GPL-2.0-only
/// Two binary trees over the same nodes: an inner node of one is a leaf of the other, so that
/// forwarding is balanced.
///
/// Source: Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
/// scan", Parallel Computing 35, 2009; NCCL joins servers like this. Tree 0 is in order: odd places
/// are leaves; the parent of place p is the next place that is divisible by one more power of two;
/// the root is place 0 with one child. Tree 1 is its mirror image if the number of nodes is even
/// (no node is an inner node of both), and tree 0 shifted by one if it is odd (one node is an inner
/// node of both). Invariant: both trees are at most log2(nodes) + 1 edges deep.
#pragma once

#include <cstdint>

namespace heddle {

/// One of the two trees, computed by arithmetic.
class DoubleBinaryTree {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// `nodes` >= 1, `tree` 0 or 1.
  DoubleBinaryTree(std::uint32_t nodes, std::uint32_t tree) : nodes_(nodes), tree_(tree) {}

  /// Returns the parent of a node; kNone for the root.
  std::uint32_t Parent(std::uint32_t node) const;
  /// Counts the children of a node, 0 to 2.
  std::uint32_t ChildCount(std::uint32_t node) const;
  /// Returns child i < ChildCount(node): the left one first, if there is one.
  std::uint32_t Child(std::uint32_t node, std::uint32_t i) const;

 private:
  /// Returns where a node is in the in-order tree.
  std::uint32_t PlaceOf(std::uint32_t node) const;
  /// Inverts PlaceOf().
  std::uint32_t NodeAt(std::uint32_t place) const;
  /// Returns the left child of a place; kNone for a leaf and for the root.
  std::uint32_t LeftOf(std::uint32_t place) const;
  /// Returns the right child of a place, the root of the largest subtree that is left; kNone if
  /// none is.
  std::uint32_t RightOf(std::uint32_t place) const;

  std::uint32_t nodes_, tree_;
};

}  // namespace heddle
