// SPDX-License-Identifier: GPL-2.0-only
/// A tree of switches that add: every member sends to the switch above it, every switch adds what
/// comes from below, and the root sends the sum down again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"

namespace heddle {

/// Immutable. Switches are numbered from 0, the root; a switch comes after the one above it.
struct AggregationTree {
  std::vector<NodeId> switches;
  std::vector<std::uint32_t> above;      ///< by switch: the number of the next towards the root
  std::vector<std::uint32_t> of_member;  ///< by member: the number of its switch

  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(switches) + MemoryOf(above) + MemoryOf(of_member); }
};

}  // namespace heddle
