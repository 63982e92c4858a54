// SPDX-License-Identifier: GPL-2.0-only
/// How far the domains may run before they must hear from each other.
#ifndef HEDDLE_CORE_ENGINE_WINDOW_ENDS_H_
#define HEDDLE_CORE_ENGINE_WINDOW_ENDS_H_

#include <algorithm>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

/// End of the window for the domains of each side (PostOffice::Divide): events before it may run.
struct WindowEnds {
  Time of[2];

  /// Both sides, one lookahead from the first event on: no message can arrive within. Afterwards
  /// all events before one and the same time are done.
  static WindowEnds Level(const Time (&next)[2], Time lookahead) {
    const Time end = Later(std::min(next[0], next[1]), lookahead);
    return {{end, end}};
  }
  /// The side that is behind, alone. Where messages within a side take two lookaheads, what reaches
  /// it comes from the first event of the other side or from its own by way of the other; when
  /// traffic is dense that is two lookaheads away, so that each visit to a domain does twice as
  /// much as in a level window.
  static WindowEnds OneSide(const Time (&next)[2], Time lookahead) {
    const int side = next[0] <= next[1] ? 0 : 1;
    WindowEnds ends{{Time{0}, Time{0}}};
    ends.of[side] =
        std::min(Later(next[1 - side], lookahead), Later(Later(next[side], lookahead), lookahead));
    return ends;
  }
  void NotAfter(Time time) {
    for (Time& end : of) end = std::min(end, time);
  }

 private:
  static Time Later(Time time, Time by) {
    return time > Time::Max() - by ? Time::Max() : time + by;
  }
};

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_WINDOW_ENDS_H_
