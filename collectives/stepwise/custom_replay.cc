// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/custom_replay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace heddle {
namespace {

/// Messages in the order in which they can leave.
class CustomReplay {
 public:
  CustomReplay(const Schedule& schedule, const GroupShape& shape,
               const std::function<ReplayedMessage(const GroupFlow&)>& price)
      : schedule_(schedule),
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
      double& out = out_[2 * std::size_t{next.flow.source} + (message.inside ? 0 : 1)];
      double& in = in_[2 * std::size_t{next.flow.destination} + (message.inside ? 0 : 1)];
      const double leaves = std::max({next.time, out, in - message.latency});
      out = leaves + message.seconds;
      const double arrives = in = out + message.latency;
      last = std::max(last, arrives);
      if (const auto follower = schedule_.NextInTurn(next.flow)) CountDown(*follower, next.time);
      children_.clear();
      schedule_.After(next.flow, &children_);
      for (const GroupFlow& child : children_) CountDown(child, arrives);
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
  using Name = std::tuple<Participant, Participant, std::uint32_t, std::uint32_t>;

  void CountDown(const GroupFlow& flow, double time) {
    const Name name(flow.source, flow.destination, flow.channel, flow.chunk);
    const auto [at, is_new] = waiting_.try_emplace(name);
    if (is_new) at->second.count = schedule_.WaitCount(flow);
    at->second.time = std::max(at->second.time, time);
    if (--at->second.count > 0) return;
    ready_.push({at->second.time, number_++, flow});
    waiting_.erase(at);
  }

  const Schedule& schedule_;
  const std::function<ReplayedMessage(const GroupFlow&)>& price_;
  std::vector<double> out_, in_;  ///< when a port is free, by participant: inside, between
  std::priority_queue<Ready> ready_;
  std::map<Name, Waiting> waiting_;
  std::vector<GroupFlow> children_;
  std::uint64_t number_ = 0;
};

}  // namespace

double CustomSeconds(const Schedule& schedule, const GroupShape& shape,
                     const std::function<ReplayedMessage(const GroupFlow&)>& price) {
  return CustomReplay(schedule, shape, price).Run();
}

}  // namespace heddle
