// SPDX-License-Identifier: GPL-2.0-only
/// How far domains may run before they must exchange messages.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

/// End of the window for the domains of each side (PostOffice::Divide): events before the end may
/// run.
struct WindowEnds {
  Time of[2];

  /// Returns a window of both sides, one lookahead long from the first event on: no message can
  /// arrive within it. Afterwards all events before a common time are done.
  static WindowEnds Level(const Time (&next)[2], Time lookahead) {
    const Time end = Later(std::min(next[0], next[1]), lookahead);
    return {{end, end}};
  }
  /// Returns a window of the side that lags. If messages within a side take two lookaheads, a
  /// message to this side stems from the other side's first event, or from its own events through
  /// the other side. With dense traffic that is two lookaheads away, so that each visit to a domain
  /// does twice as much as in a level window.
  static WindowEnds OneSide(const Time (&next)[2], Time lookahead) {
    const int side = next[0] <= next[1] ? 0 : 1;
    WindowEnds ends{{Time{0}, Time{0}}};
    ends.of[side] =
        std::min(Later(next[1 - side], lookahead), Later(Later(next[side], lookahead), lookahead));
    return ends;
  }
  /// Shortens both windows so that no event at `time` or later runs.
  void NotAfter(Time time) {
    for (Time& end : of) end = std::min(end, time);
  }

 private:
  /// Adds, up to Time::Max(), which stays as it is.
  static Time Later(Time time, Time by) {
    return time > Time::Max() - by ? Time::Max() : time + by;
  }
};

}  // namespace heddle
