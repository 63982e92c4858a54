// SPDX-License-Identifier: GPL-2.0-only
/// Which flows an outage met, and what they lost by it.
///
/// A flow is on an outage if its data or their acknowledgements were to cross a link of it while it
/// lasted, or if it had no way then. Its recovery (table `recovery`) counts for the first outage
/// that it was on. A flow that only took another way than it would have, or changed its way, is
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
  std::int64_t rerouted = 0;      ///< of them: that went on over another way
  std::int64_t no_way = 0;        ///< of them: that had no way for a time
  std::int64_t unfinished = 0;    ///< of them
  std::int64_t unharmed = 0;      ///< of them: finished, sent nothing again and always had a way
  Recovery recovery;              ///< sum of those on it
  std::size_t longest = kNoFlow;  ///< row of the flow on it that waited longest
  std::int64_t longest_ps = 0;    ///< for its timeouts, or without a way
  std::int64_t moved = 0;         ///< not on it, but changed their way when routes did
  std::int64_t detours = 0;       ///< began later on another way than the healthy fabric's
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
  /// Of a result with all flows, each on one way.
  FlowLosses(const ReportSource& source, const Outages& outages);

  const OutageFlows& of(std::size_t outage) const { return flows_of_[outage]; }
  /// By row of `flows`.
  const std::vector<FlowFate>& fates() const { return fates_; }
  const Table& flows() const { return flows_; }
  /// Recovery of flows that no outage met.
  const Recovery& others() const { return others_; }
  std::int64_t flows_of_others() const { return flows_of_others_; }
  /// Of a row; zeros if it lost nothing.
  Recovery RecoveryOf(std::size_t row) const;

 private:
  void ReadRecovery(const ReportSource& source);
  void Study(std::size_t row);
  /// The first outage that met a flow on its way, or took every way; kNoOutage if there is none.
  std::uint32_t FirstOnPath(std::size_t row, const std::vector<PathStretch>& stretches) const;
  std::uint32_t FirstOf(const std::vector<LinkId>& links, const PathStretch& stretch,
                        bool down_only) const;
  /// The outage because of which there is no way, or another one, at a time.
  std::uint32_t BlamedAt(std::size_t row, std::int64_t time) const;
  void AddOnIt(std::size_t row, std::uint32_t outage, const std::vector<PathStretch>& stretches);
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
