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
  explicit SpanningTrees(const GroupShape& shape) : shape_(shape) {}
  virtual ~SpanningTrees() = default;

  const GroupShape& shape() const { return shape_; }
  virtual std::uint32_t channels() const = 0;
  virtual bool Contains(std::uint32_t channel, Participant p) const = 0;
  /// GroupShape::kNone for the root. Like ChildCount() and Child(), for participants of the tree
  /// only.
  virtual Participant Parent(std::uint32_t channel, Participant p) const = 0;
  virtual std::uint32_t ChildCount(std::uint32_t channel, Participant p) const = 0;
  virtual Participant Child(std::uint32_t channel, Participant p, std::uint32_t i) const = 0;

  /// Neighbours in the tree: the children, then the parent.
  std::uint32_t Degree(std::uint32_t channel, Participant p) const;
  Participant Neighbour(std::uint32_t channel, Participant p, std::uint32_t i) const;
  /// The neighbour of `p` on the way to `target`, another participant. Takes as many steps as the
  /// target's depth.
  Participant Toward(std::uint32_t channel, Participant p, Participant target) const;
  /// An edge to an NVSwitch is kNvlsUp or kNvlsDown, any other kTreeUp or kTreeDown by direction.
  Connection ConnectionOf(std::uint32_t channel, Participant source, Participant destination) const;

 private:
  const GroupShape& shape_;
};

}  // namespace heddle
