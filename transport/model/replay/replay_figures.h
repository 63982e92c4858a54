// SPDX-License-Identifier: GPL-2.0-only
/// What replays have saved.
#pragma once

#include <cstdint>

namespace heddle {

struct ReplayFigures {
  std::int64_t recorded = 0;  ///< episodes that became records
  std::int64_t replayed = 0;  ///< episodes of which nothing was simulated
  std::int64_t whole = 0;    ///< collectives of which no message started; their episodes count, too
  std::int64_t relived = 0;  ///< collectives that began to be replayed whole and left their record
  std::int64_t rebuilt = 0;  ///< episodes that were simulated again, up to some event
  std::int64_t refused = 0;  ///< episodes that could not become records
  std::int64_t hops = 0;     ///< packet-hops that were not simulated
  std::int64_t skipped = 0;  ///< the part of them in cycles that were skipped
  std::int64_t written = 0;  ///< packet-hops that were simulated and written down

  /// Adds the figures of another domain or rank.
  void Add(const ReplayFigures& other) {
    recorded += other.recorded;
    replayed += other.replayed;
    whole += other.whole;
    relived += other.relived;
    rebuilt += other.rebuilt;
    refused += other.refused;
    hops += other.hops;
    skipped += other.skipped;
    written += other.written;
  }
};

}  // namespace heddle
