// SPDX-License-Identifier: GPL-2.0-only
/// Recursive halving and doubling on a line of 2^L members: with whom a member exchanges in each
/// step, and how much.
///
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", IJHPCA 2005; the order of distances is that of ASTRA-sim 2's code. In a step of level l
/// a member exchanges with the one whose coordinate differs in bit l. Sums are halved at the levels
/// 0, 1, ..., L - 1: level 0 carries the half of what a member has. Gathers double at the levels
/// L - 1, ..., 0. An all-reduce does both.
#pragma once

#include <cstdint>

#include "core/traffic/workload.h"

namespace heddle {

struct HalvingSteps {
  std::uint32_t levels = 0;  ///< L, > 0
  bool halves = true;        ///< it begins with the levels 0, 1, ...
  bool doubles = true;       ///< it ends with the levels L - 1, ..., 0

  /// Whether a line of so many members may use it: a power of two, above 1.
  static bool Fits(std::uint32_t members) { return members > 1 && (members & (members - 1)) == 0; }
  /// Returns the steps of AllReduce, ReduceScatter or AllGather. Requires Fits().
  static HalvingSteps Of(Operation operation, std::uint32_t members);

  /// Counts the messages that a member sends, and receives, one after the other.
  std::uint32_t messages() const { return (halves && doubles ? 2 : 1) * levels; }
  /// Returns the level of a member's message `number`. It carries 1 / 2^level of what a message of
  /// level 0 carries.
  std::uint32_t LevelOf(std::uint32_t number) const {
    if (!doubles) return number;
    return halves && number < levels ? number : messages() - 1 - number;
  }
};

}  // namespace heddle
