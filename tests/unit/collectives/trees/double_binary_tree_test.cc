// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/trees/double_binary_tree.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

constexpr std::uint32_t kSizes = 300;

TEST(DoubleBinaryTree, ParentsAndChildrenAgreeAndTheRootIsAboveAll) {
  for (std::uint32_t nodes = 1; nodes <= kSizes; ++nodes) {
    for (std::uint32_t t = 0; t < 2; ++t) {
      const DoubleBinaryTree tree(nodes, t);
      std::uint32_t roots = 0, children = 0;
      for (std::uint32_t node = 0; node < nodes; ++node) {
        roots += tree.Parent(node) == DoubleBinaryTree::kNone ? 1 : 0;
        children += tree.ChildCount(node);
        ASSERT_LE(tree.ChildCount(node), 2U);
        for (std::uint32_t i = 0; i < tree.ChildCount(node); ++i) {
          ASSERT_LT(tree.Child(node, i), nodes);
          EXPECT_EQ(tree.Parent(tree.Child(node, i)), node) << nodes << " nodes, tree " << t;
        }
      }
      EXPECT_EQ(roots, 1U) << nodes;
      EXPECT_EQ(children, nodes - 1) << nodes;
    }
  }
}

TEST(DoubleBinaryTree, IsLogarithmicallyDeep) {
  for (std::uint32_t nodes = 1; nodes <= kSizes; ++nodes) {
    const double bound = std::floor(std::log2(nodes)) + 1;
    for (std::uint32_t t = 0; t < 2; ++t) {
      const DoubleBinaryTree tree(nodes, t);
      for (std::uint32_t node = 0; node < nodes; ++node) {
        int depth = 0;
        for (std::uint32_t at = node; tree.Parent(at) != DoubleBinaryTree::kNone;
             at = tree.Parent(at))
          ++depth;
        EXPECT_LE(depth, bound) << nodes << " nodes, tree " << t << ", node " << node;
      }
    }
  }
}

/// With an odd number of nodes each tree has (nodes + 1) / 2 inner nodes, so one has to be both.
TEST(DoubleBinaryTree, InnerNodesOfOneAreLeavesOfTheOther) {
  for (std::uint32_t nodes = 2; nodes <= kSizes; ++nodes) {
    const DoubleBinaryTree first(nodes, 0), second(nodes, 1);
    std::uint32_t both = 0, neither = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      both += first.ChildCount(node) > 0 && second.ChildCount(node) > 0 ? 1 : 0;
      neither += first.ChildCount(node) == 0 && second.ChildCount(node) == 0 ? 1 : 0;
    }
    EXPECT_LE(both, nodes % 2) << nodes;
    EXPECT_LE(neither, nodes % 2) << nodes;
  }
}

}  // namespace
}  // namespace heddle
