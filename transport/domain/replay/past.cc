// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/past.h"

#include <algorithm>
#include <utility>

namespace heddle {

void InPast(DomainState& state, Time begin, bool again, const std::function<void()>& body) {
  if (state.past_) {
    state.now_ = begin;
    body();
    return;
  }
  EventQueue outside;
  std::swap(outside, state.queue_);
  const Time now = state.now_, last = state.last_;
  const std::uint64_t order = state.order_, reached_now = state.reached_;
  const bool was_limited = std::exchange(state.limited_, true);
  const Event limit = state.past_limit_;
  state.past_ = again;
  state.now_ = begin;
  state.last_ = Time{0};
  body();
  state.past_ = false;
  state.limited_ = was_limited;
  state.past_limit_ = limit;
  state.now_ = now;
  state.last_ = std::max(last, state.last_);
  state.order_ = order;
  state.reached_ = reached_now;
  std::swap(outside, state.queue_);
  Event event;
  while (outside.PopBefore(Time::Max(), &event)) state.queue_.Push(event);
}

}  // namespace heddle
