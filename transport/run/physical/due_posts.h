// SPDX-License-Identifier: GPL-2.0-only
/// What agents have asked for and whose time has not come: messages to send, and calls of Woken().
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "core/base/units.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// A message is due when its software hands it over (FlowPost::asked): the latencies after that are
/// the machine's own.
class DuePosts final : public FlowPoster {
 public:
  /// Queues a message of no slice (FlowPoster).
  void Post(const FlowPost& flow) override { PostSlice(flow, {}); }
  /// Queues a message that carries a part of its operation's data.
  void PostSlice(const FlowPost& flow, const MessageSlice& slice) override {
    flows_.push({flow, slice, count_++});
  }
  /// Asks for a call of Woken() at `when`, by the run's clock.
  void WakeAt(Time when) override { wakes_.push(when); }

  /// Takes the first message that is due at `now`: by time, then order, then number. Returns false
  /// if there is none.
  bool TakeFlow(Time now, FlowPost* flow, MessageSlice* slice);
  /// Whether Woken() is due at `now`; then it counts as called.
  bool TakeWake(Time now);
  /// Returns when something is due next; Time::Max() if nothing is.
  Time next() const;
  /// Returns the bytes of the messages that wait.
  std::size_t memory() const { return flows_.size() * sizeof(Posted); }

 private:
  struct Posted {
    FlowPost flow;
    MessageSlice slice;
    std::uint64_t number = 0;  ///< in the order of posting

    /// Whether it is sent after another one.
    bool operator<(const Posted& other) const {
      if (flow.asked != other.flow.asked) return flow.asked > other.flow.asked;
      if (flow.order != other.flow.order) return flow.order > other.flow.order;
      return number > other.number;
    }
  };

  std::priority_queue<Posted> flows_;
  std::priority_queue<Time, std::vector<Time>, bool (*)(Time, Time)> wakes_{
      [](Time a, Time b) { return a > b; }};
  std::uint64_t count_ = 0;
};

}  // namespace heddle
