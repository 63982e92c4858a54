// SPDX-License-Identifier: GPL-2.0-only
/// How much links were used while they were busy, by whom, and at one moment: the findings of
/// `heddle analyze links`.
///
/// A link is busy while a flow whose path it is on is under way. Paths are those of
/// io/collisions/flow_paths.h. Without rows of all flows, or with packets that take several paths,
/// busy times and users are not known. Links are ordered by their use over the run, times that
/// while they were busy, if it is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "io/analysis/port_totals.h"
#include "io/collisions/link_users.h"

namespace heddle {

struct LinkWish {
  std::size_t top = 10;    ///< links that are described, at least 1
  std::string tier;        ///< of these links; empty: all but NVLinks, if others were used
  std::optional<Time> at;  ///< only flows that are under way then
  static constexpr std::size_t kUsers = 3;
};

struct StudiedLink {
  PortTotals totals;
  std::string name, tier;  ///< "leaf 5 -> spine 2", "leaf to spine"
  double rate_bps = 0;
  double over_run = 0;       ///< share of the run during which it sent, 0 to 1
  std::int64_t busy_ps = 0;  ///< 0: not known
  double while_busy = 0;     ///< share of `busy_ps` during which it sent, 0 to 1
  std::int64_t flows = 0;    ///< on it, or at LinkWish::at
  std::int64_t at_once = 0;  ///< most of them under way together
  std::size_t alike = 1;     ///< links of its tier that sent as much and were busy as long; itself
  LinkUse use;               ///< its users; empty if they are not known
};

struct LinkStudy {
  std::int64_t end_ps = 0;
  std::size_t links = 0;           ///< that sent anything, of the links that were asked for
  std::string unknown;             ///< why busy times and users are not known; empty: they are
  std::vector<StudiedLink> shown;  ///< busiest first; one for all that are alike
};

/// Returns the busiest links, at most `most` different ones, the first of those that are alike for
/// all of them. `by_flows`: the links with most flows come first, instead of the busiest.
std::vector<StudiedLink> BusiestOf(std::vector<StudiedLink> links, std::size_t most, bool by_flows);

/// Throws UserError with the file's name if it is no result, has no such tier (and says which there
/// are), or, with `at`, if flows are not known or `at` is after the end.
LinkStudy StudyLinks(const std::string& file, const LinkWish& wish);

}  // namespace heddle
