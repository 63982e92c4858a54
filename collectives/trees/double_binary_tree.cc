// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/trees/double_binary_tree.h"

#include "core/base/check.h"

namespace heddle {
namespace {

std::uint32_t LowestBit(std::uint32_t place) { return place & (~place + 1); }

}  // namespace

std::uint32_t DoubleBinaryTree::PlaceOf(std::uint32_t node) const {
  if (tree_ == 0) return node;
  return nodes_ % 2 == 0 ? nodes_ - 1 - node : (node + nodes_ - 1) % nodes_;
}

std::uint32_t DoubleBinaryTree::NodeAt(std::uint32_t place) const {
  if (tree_ == 0) return place;
  return nodes_ % 2 == 0 ? nodes_ - 1 - place : (place + 1) % nodes_;
}

std::uint32_t DoubleBinaryTree::LeftOf(std::uint32_t place) const {
  const std::uint32_t half = LowestBit(place) / 2;
  return half == 0 ? kNone : place - half;
}

/// If the right half exceeds the end: the root of its largest remaining subtree.
std::uint32_t DoubleBinaryTree::RightOf(std::uint32_t place) const {
  std::uint32_t half = place == 0 ? 1U << 31 : LowestBit(place) / 2;
  while (half > 0 && half >= nodes_ - place) half /= 2;
  return half == 0 ? kNone : place + half;
}

std::uint32_t DoubleBinaryTree::Parent(std::uint32_t node) const {
  const std::uint32_t place = PlaceOf(node);
  if (place == 0) return kNone;
  const std::uint32_t bit = LowestBit(place);
  const std::uint32_t next = (place - bit) | (bit << 1);
  return NodeAt(next < nodes_ ? next : place - bit);
}

std::uint32_t DoubleBinaryTree::ChildCount(std::uint32_t node) const {
  const std::uint32_t place = PlaceOf(node);
  return (LeftOf(place) != kNone ? 1U : 0U) + (RightOf(place) != kNone ? 1U : 0U);
}

std::uint32_t DoubleBinaryTree::Child(std::uint32_t node, std::uint32_t i) const {
  HEDDLE_EXPECT(i < ChildCount(node));
  const std::uint32_t place = PlaceOf(node);
  const std::uint32_t left = LeftOf(place);
  return NodeAt(i == 0 && left != kNone ? left : RightOf(place));
}

}  // namespace heddle
