// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/past.h"

#include <algorithm>
#include <utility>

namespace heddle {

void InPast(DomainState& state, Time begin, bool again, const std::function<void()>& body) {
  DomainClock& clock = state.clock();
  if (clock.reexecutes) {
    clock.now = begin;
    body();
    return;
  }
  EventQueue outside;
  std::swap(outside, state.queue());
  const DomainClock present = clock;
  clock.bounded = true;
  clock.reexecutes = again;
  clock.now = begin;
  clock.last = Time{0};
  body();
  const Time last = std::max(present.last, clock.last);
  clock = present;
  clock.last = last;
  std::swap(outside, state.queue());
  Event event;
  while (outside.PopBefore(Time::Max(), &event)) state.queue().Push(event);
}

}  // namespace heddle
