// SPDX-License-Identifier: GPL-2.0-only
/// What is kept of an island's cycles (island_cycle.h): states that are compared, and the cycles
/// that are being skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// What a port has sent.
struct SentTotal {
  std::uint32_t packets = 0;
  std::int64_t bytes = 0;
};

/// An island at a time.
struct IslandState {
  Time at;
  /// All that its future depends on: times after `at`, bytes of flows after those acknowledged.
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> acked;  ///< by flow under way, ascending by slot [byte]
  std::vector<SentTotal> sent;      ///< by label
};

/// What happens from a state to an equal one.
struct IslandCycle {
  Time length;
  std::vector<std::int64_t> acked;
  std::vector<SentTotal> sent;
  std::int64_t hops = 0;
};

/// The search for a cycle.
struct CycleSearch {
  bool is_on = false;
  Time length;                       ///< of a cycle of what is sent: the state's is a multiple
  std::uint32_t looks = 0;           ///< since `first`
  std::uint32_t failures = 0;        ///< with this length, in a row
  std::optional<IslandState> first;  ///< none: look for the first time
};

/// Cycles that are skipped: the island's state is that at `end` already.
struct IslandJump {
  Time from, end;  ///< equal: there is none
  IslandCycle cycle;
  std::int64_t times = 0;
  /// By slot of TierLoad: bytes sent until the end, those of them that have been counted, and how
  /// many cycles of the load curve one of the island is; 0: nothing was sent.
  std::vector<std::int64_t> totals, loaded, cycles;

  /// Whether cycles are being skipped; the island's clock may be past `end` already.
  bool is_on() const { return end > from; }
};

}  // namespace heddle
