// SPDX-License-Identifier: GPL-2.0-only
/// What failed in a run, and when: table `failures` of a result as a list of outages.
///
/// An outage is one thing with all times at which it was down, or slow. A link that goes down ten
/// times is one outage of ten spells, because the packets lost at its ports are counted together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "io/analysis/result_view.h"
#include "topology/routes/failures.h"

namespace heddle {

/// From one event to the one that ended it.
struct OutageSpell {
  std::int64_t from_ps = 0;
  std::int64_t until_ps = -1;  ///< -1: nothing ended it
  std::int64_t rate_bps = 0;   ///< of a link that became slow; 0: down

  /// Whether it lasted at any time from `from` up to `until`, the latter exclusive.
  bool Overlaps(std::int64_t from, std::int64_t until) const {
    return from_ps < until && (until_ps < 0 || until_ps > from);
  }
};

struct Outage {
  enum class Kind : std::uint8_t { kLinkDown, kNodeDown, kSlowLink };
  Kind kind = Kind::kLinkDown;
  std::string name;                 ///< "leaf 5 - spine 2", "leaf 5 - spine 2 (cable 1)", "spine 3"
  std::vector<LinkId> links;        ///< that it took away or slowed down, ascending
  std::vector<OutageSpell> spells;  ///< by time, up to the end of the run

  bool is_down() const { return kind != Kind::kSlowLink; }  ///< nothing passed; false: it was slow
};

struct Outages {
  std::vector<FailureEvent> events;  ///< all rows of the table
  std::vector<Outage> all;           ///< by time of their first spell
  std::size_t after_end = 0;         ///< events after the end of the run, in no outage
};

/// Returns the outages that events make, in any order, in a run that ended at `end_ps`. Throws
/// UserError as ExpandFailures() does.
Outages FindOutages(const Graph& graph, std::vector<FailureEvent> events, std::int64_t end_ps);

/// Reads the outages of table `failures`. Throws UserError with the file's name for an unknown
/// word, or a node, link or cable that the result's topology does not have.
Outages ReadOutages(const ReportSource& source);

/// Returns for each link, by its number, the outages that took it away or slowed it down.
std::vector<std::vector<std::uint32_t>> OutagesOfLinks(const std::vector<Outage>& outages,
                                                       std::size_t links);

}  // namespace heddle
