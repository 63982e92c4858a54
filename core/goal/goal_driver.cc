// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_driver.h"

#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNoRank = ~0U;

/// What a message carries to its destination.
struct MessageTag {
  GoalTransfer transfer;
  std::uint32_t unused[3] = {0, 0, 0};
};

}  // namespace

/// The ranks on one domain's GPUs.
class GoalDriver::Agent final : public FlowAgent, GoalNetwork {
 public:
  Agent(const GoalDriver& driver, const std::vector<std::uint32_t>& ranks)
      : driver_(driver), machine_(driver.schedule_, ranks, this) {}

  const GoalMachine& machine() const { return machine_; }

  void Begin(FlowPoster* port) override {
    port_ = port;
    machine_.Begin();
    WakeForNext();
  }

  void Woken() override {
    const Time now = wakes_.back();
    wakes_.pop_back();
    machine_.RunUntil(now - Behind());
    WakeForNext();
  }

  void Sent(const FlowCookie& cookie, Time when) override {
    const GoalTransfer transfer = cookie.As<MessageTag>().transfer;
    machine_.Left(transfer.source, transfer.operation, when);
    WakeForNext();
  }

  void Received(const FlowCookie& cookie, Time when) override {
    machine_.Arrived(cookie.As<MessageTag>().transfer, when);
    WakeForNext();
  }

  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    const GoalTransfer transfer = cookie.As<MessageTag>().transfer;
    const std::vector<GoalRank>& ranks = driver_.schedule_.ranks;
    if (transfer.source >= ranks.size() || transfer.destination >= ranks.size()) return false;
    const std::vector<GoalOperation>& operations = ranks[transfer.source].operations;
    if (transfer.operation >= operations.size()) return false;
    const GoalOperation& send = operations[transfer.operation];
    const NodeId from = driver_.gpus_[transfer.source], to = driver_.gpus_[transfer.destination];
    return send.is_send() && send.peer == transfer.destination && send.tag == transfer.tag &&
           from != to && (source.valid() ? source == from : true) &&
           (destination.valid() ? destination == to : machine_.Has(transfer.destination));
  }

  bool Awaits(const std::vector<Time>& wakes) const override {
    return std::equal(wakes.begin(), wakes.end(), wakes_.rbegin(), wakes_.rend());
  }

  void Save(StateWriter* to) const override {
    *to << wakes_;
    machine_.Save(to);
  }

  void Load(StateReader* from) override {
    *from >> wakes_;
    for (std::size_t i = 1; i < wakes_.size(); ++i)
      ExpectState(wakes_[i] < wakes_[i - 1], "wakes of a schedule in another order");
    machine_.Load(from);
    const bool awake = machine_.next() == Time::Max() ||
                       (!wakes_.empty() && wakes_.back() <= machine_.next() + Behind());
    ExpectState(awake, "a schedule that is not woken for its next event");
  }

 private:
  /// How far the machine lags the domain's clock: later than any notice of its time.
  Time Behind() const { return driver_.notice_delay() + PicoSeconds(1); }

  void WakeForNext() {
    const Time next = machine_.next();
    if (next == Time::Max()) return;
    const Time wake = next + Behind();
    if (!wakes_.empty() && wakes_.back() <= wake) return;
    wakes_.push_back(wake);
    port_->WakeAt(wake);
  }

  void Send(const GoalTransfer& transfer, Time at) override {
    const GoalOperation& send =
        driver_.schedule_.ranks[transfer.source].operations[transfer.operation];
    FlowPost post;
    post.asked = at;
    post.start = at + driver_.latency_;
    post.source = driver_.gpus_[transfer.source];
    post.destination = driver_.gpus_[transfer.destination];
    post.size = std::max<std::int64_t>(send.amount, 1);  // a message without payload is a byte
    post.order = transfer.operation;
    post.cookie = FlowCookie::Of(MessageTag{transfer});
    port_->Post(post);
  }

  const GoalDriver& driver_;
  GoalMachine machine_;
  FlowPoster* port_ = nullptr;
  std::vector<Time> wakes_;  ///< asked for and not yet come, descending
};

GoalDriver::GoalDriver(const GoalSchedule& schedule, const std::vector<NodeId>& gpus,
                       Time send_latency)
    : schedule_(schedule), gpus_(gpus), latency_(std::max(send_latency, kLeastLatency)) {
  for (std::uint32_t rank = 0; rank < gpus.size(); ++rank) {
    const std::uint32_t node = gpus[rank].value;
    if (node >= rank_of_.size()) rank_of_.resize(node + 1, kNoRank);
    rank_of_[node] = rank;
  }
}

GoalDriver::~GoalDriver() = default;

// What follows a completion at T starts at T + latency_, after the agent's wake.
Time GoalDriver::notice_delay() const { return latency_ - PicoSeconds(2); }

FlowAgent* GoalDriver::AgentOf(DomainId /*domain*/, const std::vector<NodeId>& nodes) {
  std::vector<std::uint32_t> ranks;
  for (const NodeId node : nodes) {
    if (node.value < rank_of_.size() && rank_of_[node.value] != kNoRank)
      ranks.push_back(rank_of_[node.value]);
  }
  if (ranks.empty()) return nullptr;
  std::sort(ranks.begin(), ranks.end());
  agents_.push_back(std::make_unique<Agent>(*this, ranks));
  return agents_.back().get();
}

std::uint64_t GoalDriver::operations() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_) sum += agent->machine().operations();
  return sum;
}

std::uint64_t GoalDriver::ended() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_) sum += agent->machine().ended();
  return sum;
}

std::vector<GoalMachine::Progress> GoalDriver::progress() const {
  std::vector<GoalMachine::Progress> all;
  for (const auto& agent : agents_) {
    const std::vector<GoalMachine::Progress> here = agent->machine().progress();
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::string>> GoalDriver::Waiting(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (const auto& agent : agents_) {
    for (auto& line : agent->machine().Waiting(most)) all.push_back(std::move(line));
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), most));
  return all;
}

void GoalDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(rank_of_);
  for (const auto& agent : agents_) sum += agent->machine().memory();
  account->Add(Structure::kExecution, sum);
}

}  // namespace heddle
