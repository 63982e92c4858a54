// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/ring_replay.h"

#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Replay {
 public:
  Replay(const RingThroughServer& ring, std::uint64_t steps)
      : ring_(ring), steps_(steps), edges_(ring.inside + 1) {}

  /// The end of the last message.
  double Run() {
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      if (!(ring_.relayed && e == between())) ready_.push({LatencyOf(e), e});
    }
    while (Step()) {
    }
    return now_;
  }

 private:
  struct Edge {
    std::uint64_t sent = 0, waiting = 0;
    bool busy = false;
  };
  using Ready = std::pair<double, std::uint32_t>;  ///< time, edge

  std::uint32_t between() const { return ring_.inside; }
  double LatencyOf(std::uint32_t edge) const {
    if (edge == between()) return ring_.latency_between;
    return ring_.latency_inside + 2 * (ring_.inside - 1.0) * ring_.packet_inside;
  }

  /// The next message that is ready or has ended; false if there is none.
  bool Step() {
    const auto sharing = static_cast<double>(running_.size());
    const double inside =
        running_.empty() ? kNever : now_ + (running_.front().first - served_) * sharing;
    const double next_ready = ready_.empty() ? kNever : ready_.top().first;
    const double ended = std::min(inside, between_end_);
    if (next_ready == kNever && ended == kNever) return false;
    const double then = std::min(next_ready, ended);
    if (!running_.empty()) served_ += (then - now_) / sharing;
    now_ = then;
    if (next_ready <= ended) {
      const std::uint32_t edge = ready_.top().second;
      ready_.pop();
      ++edges_[edge].waiting;
      Start(edge);
    } else if (inside <= between_end_) {
      const std::uint32_t edge = running_.front().second;
      running_.pop_front();
      End(edge);
    } else {
      between_end_ = kNever;
      End(between());
    }
    return true;
  }

  void Start(std::uint32_t edge) {
    Edge& at = edges_[edge];
    if (at.busy || at.waiting == 0) return;
    --at.waiting;
    at.busy = true;
    if (edge == between()) {
      between_end_ = now_ + ring_.message_between;
    } else {
      running_.emplace_back(served_ + ring_.message_inside, edge);
    }
  }

  void End(std::uint32_t edge) {
    Edge& at = edges_[edge];
    at.busy = false;
    const std::uint64_t step = at.sent++;
    Start(edge);
    const std::uint32_t next = (edge + 1) % static_cast<std::uint32_t>(edges_.size());
    const bool same_step = ring_.relayed && next == between();
    if (same_step || step + 1 < steps_) ready_.push({now_ + LatencyOf(next), next});
  }

  const RingThroughServer& ring_;
  std::uint64_t steps_;
  std::vector<Edge> edges_;
  double now_ = 0;
  double served_ = 0;  ///< seconds that each message inside has had of the NVLinks alone so far
  /// Messages under way inside, by what `served_` is at their ends, which is their order.
  std::deque<std::pair<double, std::uint32_t>> running_;
  double between_end_ = kNever;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace

double RingSeconds(const RingThroughServer& ring) {
  HEDDLE_EXPECT(ring.inside > 0 && ring.steps > 0);
  HEDDLE_EXPECT(ring.message_inside > 0 && ring.message_between > 0);
  constexpr std::uint64_t kMostSteps = 2048;
  if (ring.steps <= kMostSteps) return Replay(ring, ring.steps).Run();
  const double half = Replay(ring, kMostSteps / 2).Run();
  const double whole = Replay(ring, kMostSteps).Run();
  const double each = (whole - half) / static_cast<double>(kMostSteps / 2);
  return whole + each * static_cast<double>(ring.steps - kMostSteps);
}

}  // namespace heddle
