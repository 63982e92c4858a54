// SPDX-License-Identifier: GPL-2.0-only
/// Which flows an outage met, and what they lost by it.
///
/// A flow is on an outage if its data or their acknowledgements were to cross a link of it while it
/// lasted, or if it had no path then. Its recovery (table `recovery`) counts for the first outage
/// that it was on. A flow that only took another path than it would have, or changed its path, is
/// counted apart: where a set of next hops changes, flows move that were not on what failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "io/failures/outages.h"
#include "io/failures/paths_over_time.h"

namespace heddle {

inline constexpr std::size_t kNoFlow = ~std::size_t{0};

/// What flows lost to recovery.
struct Recovery {
  std::int64_t timeouts = 0, waited_ps = 0, nacks = 0, resent_bytes = 0;
};

/// The flows of one outage.
struct OutageFlows {
  std::int64_t on_it = 0;
  std::int64_t timed_out = 0;     ///< of them: with timeouts
  std::int64_t sent_again = 0;    ///< of them: that sent bytes again
  std::int64_t rerouted = 0;      ///< of them: that went on over another path
  std::int64_t no_way = 0;        ///< of them: that had no path for a time
  std::int64_t unfinished = 0;    ///< of them
  std::int64_t unharmed = 0;      ///< of them: finished, sent nothing again and always had a path
  Recovery recovery;              ///< sum of those on it
  std::size_t longest = kNoFlow;  ///< row of the flow on it that waited longest
  std::int64_t longest_ps = 0;    ///< for its timeouts, or without a path
  std::int64_t moved = 0;         ///< not on it, but changed their path when routes did
  std::int64_t detours = 0;       ///< began later on another path than the healthy fabric's
  Recovery of_moved;              ///< sum of both: a packet that others overtake counts as lost
};

/// How an outage met one flow.
struct FlowFate {
  enum class Kind : std::uint8_t { kOnIt, kMoved, kDetour };
  static constexpr std::uint32_t kNoOutage = ~0U;
  std::uint32_t outage = kNoOutage;  ///< kNoOutage: none met it
  Kind kind = Kind::kOnIt;
  std::int64_t no_way_ps = 0;
};

class FlowLosses {
 public:
  /// Studies all flows. Requires a result with all flows, each on one path. `outages` must outlive
  /// it.
  FlowLosses(const ReportSource& source, const Outages& outages);

  /// Returns the flows of an outage, an index into Outages::all.
  const OutageFlows& of(std::size_t outage) const { return flows_of_[outage]; }
  /// Returns fates by row of `flows`.
  const std::vector<FlowFate>& fates() const { return fates_; }
  const Table& flows() const { return flows_; }  ///< table `flows`, read whole
  /// Recovery of flows that no outage met.
  const Recovery& others() const { return others_; }
  /// Returns how many flows recovered from something although no outage met them.
  std::int64_t flows_of_others() const { return flows_of_others_; }
  /// Returns what table `recovery` has of a row; zeros if it lost nothing.
  Recovery RecoveryOf(std::size_t row) const;

 private:
  /// Fills recovery_ from table `recovery`, by source and number of the flow.
  void ReadRecovery(const ReportSource& source);
  /// Finds the fate of a row, and adds the row to the sums of its outage or to others_.
  void Study(std::size_t row);
  /// Returns the first outage that met a flow on its path, or left it none; kNoOutage if there is
  /// none.
  std::uint32_t FirstOnPath(std::size_t row, const std::vector<PathStretch>& stretches) const;
  /// Returns the outage of these links that met a stretch first; kNoOutage if none did.
  /// `down_only`: slow links do not count.
  std::uint32_t FirstOf(const std::vector<LinkId>& links, const PathStretch& stretch,
                        bool down_only) const;
  /// Returns the outage because of which there is no path, or another one, at a time [ps].
  std::uint32_t BlamedAt(std::size_t row, std::int64_t time) const;
  /// Counts a row that was on an outage, with what it lost and how long it had no path.
  void AddOnIt(std::size_t row, std::uint32_t outage, const std::vector<PathStretch>& stretches);
  /// Counts a row whose path differs from the healthy one at its start, or changed later.
  void AddOnOtherPaths(std::size_t row, const std::vector<PathStretch>& stretches);

  const Outages& outages_;
  const Table flows_;
  const std::int64_t end_ps_;
  const PathsOverTime ways_;
  std::vector<std::vector<std::uint32_t>> of_link_;
  std::vector<std::int64_t> failed_at_;  ///< beginnings of all spells of what was down, ascending
  std::vector<OutageFlows> flows_of_;
  std::vector<FlowFate> fates_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Recovery> recovery_;
  Recovery others_;
  std::int64_t flows_of_others_ = 0;
};

}  // namespace heddle
