// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/due_posts.h"

#include <algorithm>

namespace heddle {

bool DuePosts::TakeFlow(Time now, FlowPost* flow, MessageSlice* slice) {
  if (flows_.empty() || flows_.top().flow.asked > now) return false;
  *flow = flows_.top().flow;
  *slice = flows_.top().slice;
  flows_.pop();
  return true;
}

bool DuePosts::TakeWake(Time now) {
  if (wakes_.empty() || wakes_.top() > now) return false;
  wakes_.pop();
  return true;
}

Time DuePosts::next() const {
  const Time flow = flows_.empty() ? Time::Max() : flows_.top().flow.asked;
  return wakes_.empty() ? flow : std::min(flow, wakes_.top());
}

}  // namespace heddle
