// SPDX-License-Identifier: GPL-2.0-only
/// The state on which ranks agree at the edge between two windows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

/// The state of one rank or, as the element-wise minimum, of all ranks.
struct EdgeState {
  std::int64_t next_time_ps[2] = {};   ///< earliest event in the domains of each side
  std::int64_t next_ns3_event_ps = 0;  ///< earliest of ns-3's own events
  /// -1 if a rank asks for a report, -2 if it asks for the end of the run, else 0.
  std::int64_t wants_report = 0;
  /// Minus the number of ranks for which a rank has messages; set by the exchange.
  std::int64_t minus_partners = 0;

  /// Takes the minimum with `other`, member by member.
  void Lower(const EdgeState& other) {
    for (int side = 0; side < 2; ++side)
      next_time_ps[side] = std::min(next_time_ps[side], other.next_time_ps[side]);
    next_ns3_event_ps = std::min(next_ns3_event_ps, other.next_ns3_event_ps);
    wants_report = std::min(wants_report, other.wants_report);
    minus_partners = std::min(minus_partners, other.minus_partners);
  }
};

}  // namespace heddle
