// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/schedule_replay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace heddle {
namespace {

/// Messages in the order in which they can leave.
class ScheduleReplay {
 public:
  ScheduleReplay(const Schedule& schedule, const GroupShape& shape,
                 const std::function<ReplayedMessage(const GroupFlow&)>& price)
      : schedule_(schedule),
        shape_(shape),
        price_(price),
        out_(2 * std::size_t{shape.participants()}),
        in_(out_.size()) {
    std::vector<GroupFlow> first;
    for (Participant p = 0; p < shape.participants(); ++p) schedule_.Begin(p, &first);
    for (const GroupFlow& flow : first) ready_.push({0, number_++, flow});
  }

  double Run() {
    double last = 0;
    while (!ready_.empty()) {
      const Ready next = ready_.top();
      ready_.pop();
      const ReplayedMessage message = price_(next.flow);
      const double arrives = Send(next, message);
      last = std::max(last, arrives);
      if (const auto follower = schedule_.NextInTurn(next.flow)) CountDown(*follower, next.time);
      others_.clear();
      schedule_.After(next.flow, &others_);
      for (const GroupFlow& child : others_) CountDown(child, arrives);
      others_.clear();
      schedule_.AfterSent(next.flow, &others_);
      for (const GroupFlow& other : others_)
        ready_.push({arrives + message.back, number_++, other});
    }
    return last;
  }

 private:
  struct Ready {
    double time = 0;
    std::uint64_t number = 0;
    GroupFlow flow;
    bool operator<(const Ready& other) const {
      return std::tie(other.time, other.number) < std::tie(time, number);
    }
  };
  struct Waiting {
    std::uint32_t count = 0;
    double time = 0;  ///< of the latest of what it waited for
  };
  using Name = std::tuple<Participant, Participant, std::uint32_t, std::uint32_t, Connection>;

  /// Takes the ports of the ranks at its ends; returns when it arrives.
  double Send(const Ready& next, const ReplayedMessage& message) {
    const std::size_t kind = message.inside ? 0 : 1;
    double& out = out_[2 * std::size_t{next.flow.source} + kind];
    double& in = in_[2 * std::size_t{next.flow.destination} + kind];
    double leaves = next.time;
    if (shape_.is_rank(next.flow.source)) leaves = std::max(leaves, out);
    if (shape_.is_rank(next.flow.destination)) leaves = std::max(leaves, in - message.latency);
    out = leaves + message.seconds;
    return in = out + message.latency;
  }

  void CountDown(const GroupFlow& flow, double time) {
    const Name name(flow.source, flow.destination, flow.channel, flow.chunk, flow.connection);
    const auto [at, is_new] = waiting_.try_emplace(name);
    if (is_new) at->second.count = schedule_.WaitCount(flow);
    at->second.time = std::max(at->second.time, time);
    if (--at->second.count > 0) return;
    ready_.push({at->second.time, number_++, flow});
    waiting_.erase(at);
  }

  const Schedule& schedule_;
  const GroupShape& shape_;
  const std::function<ReplayedMessage(const GroupFlow&)>& price_;
  std::vector<double> out_, in_;  ///< when a port is free, by participant: inside, between
  std::priority_queue<Ready> ready_;
  std::map<Name, Waiting> waiting_;
  std::vector<GroupFlow> others_;
  std::uint64_t number_ = 0;
};

}  // namespace

double ScheduleSeconds(const Schedule& schedule, const GroupShape& shape,
                       const std::function<ReplayedMessage(const GroupFlow&)>& price) {
  return ScheduleReplay(schedule, shape, price).Run();
}

}  // namespace heddle
