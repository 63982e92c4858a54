// SPDX-License-Identifier: GPL-2.0-only
/// Trees of tree algorithms and NVLS, one a channel: the code that their schedules share.
#pragma once

#include <cstdint>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// Every channel's tree contains all ranks and the NVSwitches that it uses. Computed in constant
/// time, except Toward.
class SpanningTrees {
 public:
  /// `shape` must outlive it.
  explicit SpanningTrees(const GroupShape& shape) : shape_(shape) {}
  virtual ~SpanningTrees() = default;

  const GroupShape& shape() const { return shape_; }  ///< of the group
  virtual std::uint32_t channels() const = 0;         ///< a tree each
  /// Whether `p` is in the tree of the channel, as all ranks are.
  virtual bool Contains(std::uint32_t channel, Participant p) const = 0;
  /// Returns the parent; GroupShape::kNone for the root. Like ChildCount() and Child(), for
  /// participants of the tree only.
  virtual Participant Parent(std::uint32_t channel, Participant p) const = 0;
  /// Counts the children; 0 for a leaf.
  virtual std::uint32_t ChildCount(std::uint32_t channel, Participant p) const = 0;
  /// Returns child i < ChildCount().
  virtual Participant Child(std::uint32_t channel, Participant p, std::uint32_t i) const = 0;

  /// Counts the neighbours in the tree: the children, and the parent if there is one.
  std::uint32_t Degree(std::uint32_t channel, Participant p) const;
  /// Returns neighbour i < Degree(): the children come first, then the parent.
  Participant Neighbour(std::uint32_t channel, Participant p, std::uint32_t i) const;
  /// Returns the neighbour of `p` on the path to `target`, another participant. Takes as many steps
  /// as the target's depth.
  Participant Toward(std::uint32_t channel, Participant p, Participant target) const;
  /// Returns kNvlsUp for an edge to an NVSwitch and kNvlsDown from one; for others kTreeUp or
  /// kTreeDown by direction.
  Connection ConnectionOf(std::uint32_t channel, Participant source, Participant destination) const;

 private:
  const GroupShape& shape_;
};

}  // namespace heddle
