// SPDX-License-Identifier: GPL-2.0-only
/// An all-reduce on a line by a double binary tree: what a member sends, and when.
///
/// Source: ASTRA-SIM's code (double binary tree) for the steps; the trees are those of
/// collectives/trees/double_binary_tree.h, which equal its own for powers of two. A chunk uses one
/// of the two trees, even chunks tree 0. The whole chunk goes up, to a member once all its
/// children's have come, and down from the root; it is not cut into pieces.
/// Message 0 goes to the parent, messages 1 and 2 to the children.
#pragma once

#include <cstdint>

#include "collectives/trees/double_binary_tree.h"

namespace heddle {

/// Steps of one member of a line of `members` > 1, in the tree of a chunk.
class TreeSteps {
 public:
  static constexpr std::uint32_t kNumbers = 3;

  /// `member` < `members`: the coordinate on the line. The parity of `chunk` chooses the tree.
  TreeSteps(std::uint32_t members, std::uint32_t member, std::uint32_t chunk)
      : tree_(members, chunk & 1), member_(member) {}

  /// Whether it has no parent, so that its message 0 does not exist.
  bool is_root() const { return tree_.Parent(member_) == DoubleBinaryTree::kNone; }
  std::uint32_t children() const { return tree_.ChildCount(member_); }  ///< 0 to 2
  /// Counts the messages that it receives, and sends, in all.
  std::uint32_t messages() const { return children() + (is_root() ? 0 : 1); }
  /// Returns the step that it awaits after so many messages: 0, data from children; 1, the sum from
  /// above.
  std::uint32_t AwaitedStep(std::uint32_t received) const { return received < children() ? 0 : 1; }
  /// Returns the step of a message: 0 goes up, 1 and 2 go down.
  static std::uint32_t StepOf(std::uint32_t number) { return number == 0 ? 0 : 1; }

  /// Returns how many messages, from *begin on, it may send once so many have come, and not before.
  std::uint32_t After(std::uint32_t received, std::uint32_t* begin) const;
  /// Returns where a message goes; DoubleBinaryTree::kNone if it sends no such message.
  std::uint32_t PeerOf(std::uint32_t number) const;

 private:
  DoubleBinaryTree tree_;
  std::uint32_t member_;
};

}  // namespace heddle
