// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/schedule_replay.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle {
namespace {

/// A port that serves its messages by turns: each of n gets an n-th of it. The port's own clock
/// goes on by a second of service of each.
class SharedPort {
 public:
  bool idle() const { return active_.empty(); }
  /// At `now` message `number` asks for `seconds` of the port.
  void Add(double now, std::uint64_t number, double seconds) {
    Advance(now);
    active_.emplace(served_ + seconds, number);
  }
  /// When the first of its messages is through, if none comes until then.
  double NextEnd() const {
    return now_ + (active_.begin()->first - served_) * static_cast<double>(active_.size());
  }
  /// Takes that message out, at NextEnd().
  std::uint64_t TakeFirst() {
    const double end = NextEnd();
    const auto [at, number] = *active_.begin();
    active_.erase(active_.begin());
    now_ = end;
    served_ = at;
    return number;
  }

 private:
  void Advance(double now) {
    if (!active_.empty()) served_ += (now - now_) / static_cast<double>(active_.size());
    now_ = now;
  }

  double now_ = 0, served_ = 0;
  std::set<std::pair<double, std::uint64_t>> active_;  ///< by when they are through
};

/// Messages in the order of time.
class ScheduleReplay {
 public:
  ScheduleReplay(const Schedule& schedule, const GroupShape& shape, const MessagePrice& price)
      : schedule_(schedule),
        shape_(shape),
        price_(price),
        ports_(2 * std::size_t{shape.participants()}),
        in_(ports_.size()) {
    std::vector<GroupFlow> first;
    for (Participant p = 0; p < shape.participants(); ++p) schedule_.Begin(p, &first);
    for (const GroupFlow& flow : first) Post(0, flow);
  }

  double Run() {
    double last = 0;
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      switch (event.kind) {
        case Event::Kind::kReady:
          Ready(event.time, event.flow);
          break;
        case Event::Kind::kPort:
          LeavePort(event);
          break;
        case Event::Kind::kArrived:
          last = std::max(last, event.time);
          Arrive(event.time, event.flow);
          break;
        case Event::Kind::kAcknowledged:
          others_.clear();
          schedule_.AfterSent(event.flow, &others_);
          for (const GroupFlow& other : std::vector<GroupFlow>(others_)) Post(event.time, other);
          break;
      }
    }
    return last;
  }

 private:
  struct Event {
    enum class Kind : std::uint8_t { kReady, kPort, kArrived, kAcknowledged };
    double time = 0;
    std::uint64_t number = 0;
    Kind kind = Kind::kReady;
    std::size_t port = 0;  ///< of kPort
    GroupFlow flow;        ///< of others
    bool operator<(const Event& other) const {
      return std::tie(other.time, other.number) < std::tie(time, number);
    }
  };
  struct Waiting {
    std::uint32_t count = 0;
    double time = 0;  ///< of the latest of what it waited for
  };
  using Name = std::tuple<Participant, Participant, std::uint32_t, Connection, std::uint32_t>;
  using Stream = std::tuple<Participant, Participant, std::uint32_t, Connection>;

  static Name NameOf(const GroupFlow& flow) {
    return {flow.source, flow.destination, flow.channel, flow.connection, flow.chunk};
  }
  static Stream StreamOf(const GroupFlow& flow) {
    return {flow.source, flow.destination, flow.channel, flow.connection};
  }

  void Push(Event::Kind kind, double time, const GroupFlow& flow, std::size_t port = 0) {
    events_.push({time, number_++, kind, port, flow});
  }

  /// A message may leave: by the port of its source, if that is a rank, when its turn has come.
  void Ready(double now, const GroupFlow& flow) {
    if (!shape_.is_rank(flow.source)) return Leave(now, now, flow);
    if (price_(flow).in_turn && !streams_[StreamOf(flow)].empty()) {
      streams_[StreamOf(flow)].push_back(flow);
      return;
    }
    if (price_(flow).in_turn) streams_[StreamOf(flow)].push_back(flow);
    Start(now, flow);
  }
  void Start(double now, const GroupFlow& flow) {
    const ReplayedMessage message = price_(flow);
    const std::size_t port = 2 * std::size_t{flow.source} + (message.inside ? 0 : 1);
    const std::uint64_t id = started_.size();
    started_.push_back({now, flow});
    ports_[port].Add(now, id, message.seconds);
    Push(Event::Kind::kPort, ports_[port].NextEnd(), flow, port);
  }

  void LeavePort(const Event& event) {
    SharedPort& port = ports_[event.port];
    // Messages that came since have put it off: they have pushed an event of their own.
    constexpr double kSame = 1e-15;
    if (port.idle() || port.NextEnd() > event.time + kSame) return;
    const auto [began, flow] = started_[port.TakeFirst()];
    if (!port.idle()) Push(Event::Kind::kPort, port.NextEnd(), flow, event.port);
    Leave(began, event.time, flow);
    const auto stream = streams_.find(StreamOf(flow));
    if (stream == streams_.end() || stream->second.empty()) return;
    stream->second.pop_front();
    if (!stream->second.empty()) Start(event.time, GroupFlow(stream->second.front()));
  }

  /// Its last byte has left; its first one left at `began`. It arrives a latency later, or when the
  /// destination's port has had all that began to arrive before. What a switch passes on has come
  /// through that port meanwhile.
  void Leave(double began, double now, const GroupFlow& flow) {
    const ReplayedMessage message = price_(flow);
    double arrives = now + message.latency;
    if (shape_.is_rank(flow.destination)) {
      double& in = in_[2 * std::size_t{flow.destination} + (message.inside ? 0 : 1)];
      if (shape_.is_rank(flow.source)) in = std::max(in, began + message.latency) + message.seconds;
      arrives = std::max(arrives, in);
    }
    Push(Event::Kind::kArrived, arrives + message.told, flow);
    Push(Event::Kind::kAcknowledged, arrives + message.back, flow);
  }

  void Arrive(double now, const GroupFlow& flow) {
    others_.clear();
    schedule_.After(flow, &others_);
    for (const GroupFlow& child : std::vector<GroupFlow>(others_)) PostIfLast(now, child);
  }

  /// Posts a message at `time`, and those after it in turn that waited for nothing else.
  void Post(double time, GroupFlow flow) {
    for (;;) {
      Push(Event::Kind::kReady, time + price_(flow).wait, flow);
      const auto follower = schedule_.NextInTurn(flow);
      if (!follower || !IsLast(*follower, &time)) return;
      flow = *follower;
    }
  }
  void PostIfLast(double time, const GroupFlow& flow) {
    if (IsLast(flow, &time)) Post(time, flow);
  }
  /// Counts one of the things that a message waits for, at `time`. Returns whether it was the last;
  /// then sets `time` to that of the latest.
  bool IsLast(const GroupFlow& flow, double* time) {
    const auto [at, is_new] = waiting_.try_emplace(NameOf(flow));
    if (is_new) at->second.count = schedule_.WaitCount(flow);
    at->second.time = *time = std::max(at->second.time, *time);
    if (--at->second.count > 0) return false;
    waiting_.erase(at);
    return true;
  }

  const Schedule& schedule_;
  const GroupShape& shape_;
  const MessagePrice& price_;
  std::vector<SharedPort> ports_;  ///< by participant: inside, between
  std::vector<double> in_;         ///< when the last message had come, likewise
  std::priority_queue<Event> events_;
  std::map<Name, Waiting> waiting_;
  std::map<Stream, std::deque<GroupFlow>> streams_;    ///< the first one sends, others wait
  std::vector<std::pair<double, GroupFlow>> started_;  ///< and when
  std::vector<GroupFlow> others_;
  std::uint64_t number_ = 0;
};

}  // namespace

double ScheduleSeconds(const Schedule& schedule, const GroupShape& shape,
                       const MessagePrice& price) {
  return ScheduleReplay(schedule, shape, price).Run();
}

}  // namespace heddle
