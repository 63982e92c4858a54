// SPDX-License-Identifier: GPL-2.0-only
/// The links of a group's tree of switches, between participants of its collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/base/memory_account.h"

namespace heddle {

/// Whether a message goes towards the root of a tree, of GPUs or of switches.
constexpr bool IsUp(Connection connection) {
  return connection == Connection::kTreeUp || connection == Connection::kCollNetUp;
}

/// Links of one tree; O(members) memory. Switches are participants from first() on.
class TreeLinks {
 public:
  /// `shape` has this tree, and outlives it.
  TreeLinks(const GroupShape& shape, std::uint32_t tree)
      : tree_(&shape.tree(tree)), first_(shape.in_tree(tree, 0)) {
    const auto switches = static_cast<std::uint32_t>(tree_->switches.size());
    // Counted, then sorted by the switch above: switches first, then members by server.
    begin_.assign(switches + 1, 0);
    for (std::uint32_t k = 1; k < switches; ++k) ++begin_[tree_->above[k] + 1];
    for (const std::uint32_t k : tree_->of_member) ++begin_[k + 1];
    for (std::uint32_t k = 0; k < switches; ++k) begin_[k + 1] += begin_[k];
    below_.resize(begin_[switches]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t k = 1; k < switches; ++k) below_[next[tree_->above[k]]++] = first_ + k;
    for (std::uint32_t server = 0; server < tree_->of_member.size(); ++server)
      below_[next[tree_->of_member[server]]++] = shape.local(server, tree);
  }

  Participant first() const { return first_; }  ///< the root
  /// Number of switches of this tree, at least one.
  std::uint32_t switches() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// Whether `p` is a switch of this tree.
  bool Has(Participant p) const { return p >= first_ && p - first_ < switches(); }
  bool IsRoot(Participant p) const { return p == first_; }  ///< where sums are complete
  // A switch of another tree has nothing below or above it.
  /// Returns the switch above a switch that is not the root; else `p` itself.
  Participant Above(Participant p) const { return Has(p) ? first_ + tree_->above[p - first_] : p; }
  /// Returns the switch above the member in a server.
  Participant AboveMember(std::uint32_t server) const { return first_ + tree_->of_member[server]; }
  /// Points to the first of the switches and members below a switch of this tree: at least one.
  const Participant* begin(Participant p) const {
    return below_.data() + (Has(p) ? begin_[p - first_] : 0);
  }
  /// Ends what begin() begins; equals it for others than switches of this tree.
  const Participant* end(Participant p) const { return begin(p) + CountBelow(p); }
  /// Counts the switches and members below a switch of this tree; 0 for others.
  std::uint32_t CountBelow(Participant p) const {
    return Has(p) ? begin_[p - first_ + 1] - begin_[p - first_] : 0;
  }
  /// Memory of the lists [byte].
  std::size_t memory() const { return MemoryOf(begin_) + MemoryOf(below_); }

 private:
  const AggregationTree* tree_;
  Participant first_;
  std::vector<std::uint32_t> begin_;  ///< by switch, and the end of the last
  std::vector<Participant> below_;
};

}  // namespace heddle
