// SPDX-License-Identifier: GPL-2.0-only
// How far a run has come.
#include <algorithm>

#include "core/app/run/execution/run.h"

namespace heddle {

ProgressState Run::StateNow() const {
  const DomainBooks books = backend_->CheckConservation(world_);
  ProgressState state{Time{world_.Max(backend_->now().ps)}, books.flows_finished,
                      traffic_->plan().flows, books.link_packets};
  state.events = world_.Sum(static_cast<std::int64_t>(backend_->events()));
  return state;
}

ProgressState Run::StateAt(const Cut& cut) const {
  const DomainBooks& books = figures_.books;
  // Timers and failures may come after the last flow; they are not simulated time that counts.
  const bool goes_on = Stalled();
  const Time now = goes_on ? cut.now : std::min(cut.now, EndOfWork());
  ProgressState state{now, books.flows_finished, traffic_->plan().flows, books.link_packets};
  state.finished = !goes_on;
  AddEngineFigures(world_, cut, backend_->events(), &state);
  const TrafficProgress progress =
      traffic_->ProgressAt({books, forecast_.estimate().packet_hops, goes_on});
  state.done = progress.done;
  state.expected = progress.expected;
  return state;
}

Time Run::EndOfWork() const {
  const Time fabric_end{world_.Max(backend_->now().ps)};
  return std::max(fabric_end, traffic_->EndOfWork(world_, fabric_end));
}

bool Run::Stalled() const { return traffic_->Unfinished(world_, figures_.books); }

}  // namespace heddle
