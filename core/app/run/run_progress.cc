// SPDX-License-Identifier: GPL-2.0-only
// How far a run has come.
#include <algorithm>

#include "core/app/run/run.h"

namespace heddle {

ProgressState Run::StateNow() const {
  const DomainBooks books = backend_->CheckConservation(world_);
  ProgressState state{Time{world_.Max(backend_->now().ps)}, books.flows_finished, planned_,
                      books.link_packets};
  state.events = world_.Sum(static_cast<std::int64_t>(backend_->events()));
  return state;
}

ProgressState Run::StateAt(const Cut& cut) const {
  const DomainBooks& books = figures_.books;
  // Timers and failures may come after the last flow; they are not simulated time that counts.
  const bool goes_on = Stalled();
  const Time now = goes_on ? cut.now : std::min(cut.now, EndOfWork());
  ProgressState state{now, books.flows_finished, planned_, books.link_packets};
  state.finished = !goes_on;
  AddEngineFigures(world_, cut, backend_->events(), &state);
  const double hops = forecast_.estimate().packet_hops;
  if (coordinator_ && hops > 0) {
    // What is sent again may exceed the estimate.
    constexpr double kMostBeforeEnd = 0.999;
    state.expected = static_cast<std::int64_t>(hops);
    state.done =
        goes_on ? std::min(books.link_packets, static_cast<std::int64_t>(hops * kMostBeforeEnd))
                : state.expected;
  } else {
    state.done = coordinator_ ? books.flows_finished : books.received_bytes;
    state.expected = coordinator_ ? planned_ : backend_->ReceivedBytesOf(Bytes{expected_bytes_});
  }
  return state;
}

Time Run::EndOfWork() const {
  const Time fabric_end{world_.Max(backend_->now().ps)};
  if (!coordinator_) return fabric_end;
  return std::max(fabric_end, Time{world_.Max(coordinator_->end().ps)});
}

bool Run::Stalled() const {
  return coordinator_
             ? world_.Sum(coordinator_->finished()) < world_.Sum(coordinator_->gpus())
             : figures_.books.flows_finished < std::max(planned_, figures_.books.flows_started);
}

}  // namespace heddle
