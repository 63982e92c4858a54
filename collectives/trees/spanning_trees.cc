// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/trees/spanning_trees.h"

namespace heddle {

std::uint32_t SpanningTrees::Degree(std::uint32_t channel, Participant p) const {
  return ChildCount(channel, p) + (Parent(channel, p) != GroupShape::kNone ? 1 : 0);
}

Participant SpanningTrees::Neighbour(std::uint32_t channel, Participant p, std::uint32_t i) const {
  return i < ChildCount(channel, p) ? Child(channel, p, i) : Parent(channel, p);
}

Participant SpanningTrees::Toward(std::uint32_t channel, Participant p, Participant target) const {
  for (Participant below = target;;) {
    const Participant above = Parent(channel, below);
    if (above == p) return below;
    if (above == GroupShape::kNone) return Parent(channel, p);
    below = above;
  }
}

Connection SpanningTrees::ConnectionOf(std::uint32_t channel, Participant source,
                                       Participant destination) const {
  if (!shape_.is_rank(destination)) return Connection::kNvlsUp;
  if (!shape_.is_rank(source)) return Connection::kNvlsDown;
  return Parent(channel, source) == destination ? Connection::kTreeUp : Connection::kTreeDown;
}

}  // namespace heddle
