// SPDX-License-Identifier: GPL-2.0-only
/// A communication pattern as levels: sets of (source, destination) ranks that send at once, one
/// message each. Levels follow each other and do not meet.
///
/// Source: T. Schneider, T. Hoefler, A. Lumsdaine, "ORCS: An Oblivious Routing Congestion
/// Simulator", Indiana University TR 675 (2009). Not modelled: sizes of messages, and work between
/// levels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace heddle {

struct RankPair {
  std::uint32_t source = 0, destination = 0;
  bool operator==(const RankPair& other) const {
    return source == other.source && destination == other.destination;
  }
};

/// A pattern over `ranks` ranks; immutable, but for what a run draws.
class LevelPattern {
 public:
  virtual ~LevelPattern() = default;
  /// Draws what is random in the pattern, for all levels of one run.
  virtual void BeginRun(RandomStream* /*random*/) {}
  /// Sets `pairs` to those of a level, in the order in which the program lists them; empty: the
  /// pattern ended before it.
  virtual void Level(std::uint64_t level, std::vector<RankPair>* pairs) = 0;
  /// Whether a run begins where the run before ended, so that runs must be played in order.
  virtual bool GoesOnAcrossRuns() const { return false; }
};

}  // namespace heddle
