// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

/// What a message carries to its destination.
struct MessageTag {
  /// Collectives have the kind of their connection here, a small number.
  static constexpr std::uint32_t kMark = ~0U;

  GoalTransfer transfer;
  std::uint32_t job = 0;
  std::uint32_t unused = 0;
  std::uint32_t mark = kMark;
};

}  // namespace

/// The ranks on one domain's GPUs.
class GoalDriver::Agent final : public FlowAgent {
 public:
  /// `ranks`: by job, ascending.
  Agent(const GoalDriver& driver, const std::vector<std::vector<std::uint32_t>>& ranks)
      : driver_(driver) {
    for (std::uint32_t job = 0; job < ranks.size(); ++job) {
      if (!ranks[job].empty()) plays_.push_back(std::make_unique<Play>(this, job, ranks[job]));
    }
  }

  /// Calls visit(job, machine) for each schedule that has ranks here.
  template <class Visit>
  void ForEachMachine(Visit visit) const {
    for (const auto& play : plays_) visit(play->job, play->machine);
  }

  void Begin(FlowPoster* port) override {
    port_ = port;
    for (const auto& play : plays_) play->machine.Begin(driver_.jobs_[play->job].start);
    WakeForNext();
  }

  void Woken() override {
    const Time now = wakes_.back();
    wakes_.pop_back();
    for (const auto& play : plays_) play->machine.RunUntil(now - Behind());
    WakeForNext();
  }

  void Sent(const FlowCookie& cookie, Time when) override {
    const MessageTag tag = cookie.As<MessageTag>();
    PlayOf(tag.job)->machine.Left(tag.transfer.source, tag.transfer.operation, when);
    WakeForNext();
  }

  void Received(const FlowCookie& cookie, Time when) override {
    const MessageTag tag = cookie.As<MessageTag>();
    PlayOf(tag.job)->machine.Arrived(tag.transfer, when);
    WakeForNext();
  }

  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    const MessageTag tag = cookie.As<MessageTag>();
    if (tag.mark != MessageTag::kMark || tag.job >= driver_.jobs_.size()) return false;
    const GoalTransfer& transfer = tag.transfer;
    const GoalJob& job = driver_.jobs_[tag.job];
    if (!job.schedule.Has(transfer.source, transfer.operation) ||
        transfer.destination >= job.schedule.rank_count())
      return false;
    const GoalOperation send = job.schedule.At(transfer.source, transfer.operation);
    const NodeId from = job.gpus[transfer.source], to = job.gpus[transfer.destination];
    return send.is_send() && send.peer == transfer.destination && send.tag == transfer.tag &&
           from != to && (source.valid() ? source == from : true) &&
           (destination.valid() ? destination == to : Has(tag.job, transfer.destination));
  }

  bool Awaits(const std::vector<Time>& wakes) const override {
    return std::equal(wakes.begin(), wakes.end(), wakes_.rbegin(), wakes_.rend());
  }

  void Save(StateWriter* to) const override {
    *to << wakes_;
    for (const auto& play : plays_) play->machine.Save(to);
  }

  void Load(StateReader* from) override {
    *from >> wakes_;
    for (std::size_t i = 1; i < wakes_.size(); ++i)
      ExpectState(wakes_[i] < wakes_[i - 1], "wakes of a schedule in another order");
    for (const auto& play : plays_) play->machine.Load(from);
    const Time first = next();
    const bool awake =
        first == Time::Max() || (!wakes_.empty() && wakes_.back() <= first + Behind());
    ExpectState(awake, "a schedule that is not woken for its next event");
  }

 private:
  /// The ranks of one schedule.
  struct Play final : GoalNetwork {
    Play(Agent* of_agent, std::uint32_t of_job, const std::vector<std::uint32_t>& ranks)
        : agent(of_agent),
          job(of_job),
          machine(of_agent->driver_.jobs_[of_job].schedule, ranks, this) {}
    void Send(const GoalTransfer& transfer, std::int64_t bytes, Time at) override {
      agent->Send(job, transfer, bytes, at);
    }

    Agent* agent;
    std::uint32_t job;
    GoalMachine machine;
  };

  /// The play of a job; null if it has no rank here.
  Play* FindPlay(std::uint32_t job) const {
    for (const auto& play : plays_) {
      if (play->job == job) return play.get();
    }
    return nullptr;
  }
  Play* PlayOf(std::uint32_t job) const {
    Play* play = FindPlay(job);
    HEDDLE_INVARIANT(play != nullptr, fmt::format("schedule {} has no rank here", job));
    return play;
  }
  bool Has(std::uint32_t job, std::uint32_t rank) const {
    const Play* play = FindPlay(job);
    return play != nullptr && play->machine.Has(rank);
  }

  /// How far the machines lag the domain's clock: later than any notice of their time.
  Time Behind() const { return driver_.notice_delay() + PicoSeconds(1); }

  /// The time of the first event of all machines.
  Time next() const {
    Time first = Time::Max();
    for (const auto& play : plays_) first = std::min(first, play->machine.next());
    return first;
  }

  void WakeForNext() {
    const Time first = next();
    if (first == Time::Max()) return;
    const Time wake = first + Behind();
    if (!wakes_.empty() && wakes_.back() <= wake) return;
    wakes_.push_back(wake);
    port_->WakeAt(wake);
  }

  void Send(std::uint32_t number, const GoalTransfer& transfer, std::int64_t bytes, Time at) {
    const GoalJob& job = driver_.jobs_[number];
    FlowPost post;
    post.asked = at;
    post.start = at + driver_.latency_;
    post.source = job.gpus[transfer.source];
    post.destination = job.gpus[transfer.destination];
    post.size = std::max<std::int64_t>(bytes, 1);  // a message without payload is a byte
    post.order = transfer.operation;
    post.priority = job.priority;
    MessageTag tag;
    tag.transfer = transfer;
    tag.job = number;
    post.cookie = FlowCookie::Of(tag);
    port_->Post(post);
  }

  const GoalDriver& driver_;
  std::vector<std::unique_ptr<Play>> plays_;
  FlowPoster* port_ = nullptr;
  std::vector<Time> wakes_;  ///< asked for and not yet come, descending
};

GoalDriver::GoalDriver(const std::vector<GoalJob>& jobs, Time send_latency)
    : jobs_(jobs), latency_(std::max(send_latency, kLeastLatency)) {
  std::uint32_t ranks = 0;
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    numbers_.push_back(ranks);
    ranks += static_cast<std::uint32_t>(jobs[job].gpus.size());
    for (std::uint32_t rank = 0; rank < jobs[job].gpus.size(); ++rank) {
      const std::uint32_t node = jobs[job].gpus[rank].value;
      if (node >= seats_.size()) seats_.resize(node + 1);
      seats_[node] = {job, rank};
    }
  }
}

GoalDriver::~GoalDriver() = default;

// What follows a completion at T starts at T + latency_, after the agent's wake.
Time GoalDriver::notice_delay() const { return latency_ - PicoSeconds(2); }

bool GoalDriver::Owns(const FlowCookie& cookie) {
  return cookie.As<MessageTag>().mark == MessageTag::kMark;
}

FlowAgent* GoalDriver::AgentOf(DomainId /*domain*/, const std::vector<NodeId>& nodes) {
  std::vector<std::vector<std::uint32_t>> ranks(jobs_.size());
  bool any = false;
  for (const NodeId node : nodes) {
    if (node.value >= seats_.size() || seats_[node.value].job == Seat::kNone) continue;
    ranks[seats_[node.value].job].push_back(seats_[node.value].rank);
    any = true;
  }
  if (!any) return nullptr;
  for (auto& of_job : ranks) std::sort(of_job.begin(), of_job.end());
  agents_.push_back(std::make_unique<Agent>(*this, ranks));
  return agents_.back().get();
}

std::uint64_t GoalDriver::operations() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_)
    agent->ForEachMachine(
        [&](std::uint32_t, const GoalMachine& machine) { sum += machine.operations(); });
  return sum;
}

std::uint64_t GoalDriver::ended() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_)
    agent->ForEachMachine(
        [&](std::uint32_t, const GoalMachine& machine) { sum += machine.ended(); });
  return sum;
}

std::vector<GoalDriver::Progress> GoalDriver::progress() const {
  std::vector<Progress> all;
  for (const auto& agent : agents_) {
    agent->ForEachMachine([&](std::uint32_t job, const GoalMachine& machine) {
      for (const GoalMachine::Progress& rank : machine.progress()) all.push_back({job, rank});
    });
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::string>> GoalDriver::Waiting(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (const auto& agent : agents_) {
    agent->ForEachMachine([&](std::uint32_t job, const GoalMachine& machine) {
      for (auto& [rank, line] : machine.Waiting(most))
        all.emplace_back(numbers_[job] + rank, std::move(line));
    });
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), most));
  return all;
}

void GoalDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(seats_);
  for (const auto& agent : agents_)
    agent->ForEachMachine(
        [&](std::uint32_t, const GoalMachine& machine) { sum += machine.memory(); });
  account->Add(Structure::kExecution, sum);
}

}  // namespace heddle
