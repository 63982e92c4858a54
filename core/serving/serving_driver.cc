// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_driver.h"

#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"
#include "core/serving/serving_messages.h"

namespace heddle {
namespace {

/// What a flow carries to its destination.
struct Parcel {
  enum class Step : std::uint8_t {
    kMessage,  ///< the message itself, from instance to instance
    kAsk,      ///< from the first GPU of its source: send this share
    kLeft,     ///< to the first GPU of its source: the share has left
    kHere      ///< to the first GPU of its destination: the share has come
  };
  ServingMessage message;
  Step step = Step::kMessage;
  std::uint8_t unused[11] = {};

  /// Its place among the messages of a GPU that start at one time.
  std::uint64_t order() const {
    constexpr int kShareBits = 24, kKindBits = 2;
    const auto kinds =
        static_cast<std::uint64_t>(step) << kKindBits | static_cast<std::uint64_t>(message.kind);
    return (std::uint64_t{message.request} << 4 | kinds) << kShareBits | message.share;
  }
};

}  // namespace

/// The instances, or parts of them, on one domain's GPUs.
class ServingDriver::Agent final : public FlowAgent, ServingNetwork {
 public:
  Agent(const ServingDriver& driver, const std::vector<std::uint32_t>& instances,
        std::vector<NodeId> gpus)
      : driver_(driver),
        gpus_(std::move(gpus)),
        machine_(driver.plan_, driver.requests_, instances, this) {}

  const ServingMachine& machine() const { return machine_; }
  std::int64_t sent() const { return sent_; }

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
    const Parcel parcel = cookie.As<Parcel>();
    const bool share =
        parcel.step == Parcel::Step::kMessage && parcel.message.kind == ServingMessage::Kind::kKv;
    if (!share) return;
    const NodeId first = FirstOf(parcel.message.from);
    if (!Near(SourceOf(parcel.message), first))
      return Post(parcel.message, Parcel::Step::kLeft, SourceOf(parcel.message), first, when);
    machine_.Left(parcel.message, when);
    WakeForNext();
  }

  void Received(const FlowCookie& cookie, Time when) override {
    const Parcel parcel = cookie.As<Parcel>();
    const ServingMessage& message = parcel.message;
    if (parcel.step == Parcel::Step::kAsk) return PostShare(message, when);
    const NodeId first = FirstOf(message.to);
    if (parcel.step == Parcel::Step::kLeft) {
      machine_.Left(message, when);
    } else if (IsFarShare(parcel, first)) {
      return Post(message, Parcel::Step::kHere, DestinationOf(message), first, when);
    } else {
      machine_.Arrived(message, when);
    }
    WakeForNext();
  }

  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    const Parcel parcel = cookie.As<Parcel>();
    const ServingMessage& message = parcel.message;
    const std::size_t instances = driver_.plan_.instances.size();
    const bool known = message.request < driver_.requests_.size() && message.from < instances &&
                       message.to < instances && message.kind <= ServingMessage::Kind::kKv &&
                       parcel.step <= Parcel::Step::kHere;
    if (!known || !CanSend(message)) return false;
    const auto [from, to] = EndsOf(parcel);
    return (source.valid() ? source == from : true) &&
           (destination.valid() ? destination == to : Has(to));
  }

  bool Awaits(const std::vector<Time>& wakes) const override {
    return std::equal(wakes.begin(), wakes.end(), wakes_.rbegin(), wakes_.rend());
  }

  void Save(StateWriter* to) const override {
    *to << wakes_ << sent_;
    machine_.Save(to);
  }

  void Load(StateReader* from) override {
    *from >> wakes_ >> sent_;
    for (std::size_t i = 1; i < wakes_.size(); ++i)
      ExpectState(wakes_[i] < wakes_[i - 1], "wakes of instances in another order");
    machine_.Load(from);
    const bool awake = machine_.next() == Time::Max() ||
                       (!wakes_.empty() && wakes_.back() <= machine_.next() + Behind());
    ExpectState(awake, "an instance that is not woken for its next event");
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

  bool Near(NodeId a, NodeId b) const { return driver_.Near(a, b); }
  /// Whether a share has come to a GPU away from the first one of its instance.
  bool IsFarShare(const Parcel& parcel, NodeId first) const {
    return parcel.step == Parcel::Step::kMessage &&
           parcel.message.kind == ServingMessage::Kind::kKv &&
           !Near(DestinationOf(parcel.message), first);
  }
  bool Has(NodeId gpu) const {
    return std::binary_search(gpus_.begin(), gpus_.end(), gpu,
                              [](NodeId a, NodeId b) { return a.value < b.value; });
  }
  NodeId FirstOf(std::uint32_t instance) const { return driver_.plan_.instances[instance].gpus[0]; }
  NodeId SourceOf(const ServingMessage& message) const {
    return driver_.plan_.instances[message.from].gpus[driver_.ShareOf(message).from];
  }
  NodeId DestinationOf(const ServingMessage& message) const {
    return driver_.plan_.instances[message.to].gpus[driver_.ShareOf(message).to];
  }
  /// Whether the roles of the instances fit the message, and its share exists.
  bool CanSend(const ServingMessage& message) const {
    const bool back = message.kind == ServingMessage::Kind::kGrant;
    const std::uint32_t prefill = back ? message.to : message.from;
    const std::uint32_t decoder = back ? message.from : message.to;
    const std::vector<InstancePlan>& instances = driver_.plan_.instances;
    const bool roles = instances[prefill].role == InstanceRole::kPrefill &&
                       instances[decoder].role == InstanceRole::kDecode;
    const std::size_t shares = message.kind == ServingMessage::Kind::kKv && roles
                                   ? driver_.plan_.SharesOf(prefill, decoder).size()
                                   : 1;
    return roles && message.share < shares;
  }
  std::pair<NodeId, NodeId> EndsOf(const Parcel& parcel) const {
    const ServingMessage& message = parcel.message;
    const NodeId from = FirstOf(message.from), to = FirstOf(message.to);
    if (message.kind != ServingMessage::Kind::kKv) return {from, to};
    switch (parcel.step) {
      case Parcel::Step::kMessage:
        return {SourceOf(message), DestinationOf(message)};
      case Parcel::Step::kAsk:
        return {from, SourceOf(message)};
      case Parcel::Step::kLeft:
        return {SourceOf(message), from};
      case Parcel::Step::kHere:
        break;
    }
    return {DestinationOf(message), to};
  }

  void Send(const ServingMessage& message, Time at) override {
    const NodeId from = FirstOf(message.from);
    if (message.kind != ServingMessage::Kind::kKv)
      return Post(message, Parcel::Step::kMessage, from, FirstOf(message.to), at);
    const NodeId source = SourceOf(message);
    if (Near(source, from)) return PostShare(message, at);
    Post(message, Parcel::Step::kAsk, from, source, at);
  }

  void PostShare(const ServingMessage& message, Time at) {
    const std::int64_t bytes = driver_.plan_.ShareBytes(driver_.ShareOf(message),
                                                        driver_.requests_[message.request].input);
    sent_ += bytes;
    Post(message, Parcel::Step::kMessage, SourceOf(message), DestinationOf(message), at, bytes);
  }

  void Post(const ServingMessage& message, Parcel::Step step, NodeId from, NodeId to, Time at,
            std::int64_t bytes = kServingControlBytes) {
    Parcel parcel;
    parcel.message = message;
    parcel.step = step;
    FlowPost post;
    post.asked = at;
    post.start = at + driver_.latency_;
    post.source = from;
    post.destination = to;
    post.size = bytes;
    post.order = parcel.order();
    post.cookie = FlowCookie::Of(parcel);
    port_->Post(post);
  }

  const ServingDriver& driver_;
  std::vector<NodeId> gpus_;  ///< of instances, in this domain, ascending
  ServingMachine machine_;
  FlowPoster* port_ = nullptr;
  std::vector<Time> wakes_;  ///< asked for and not yet come, descending
  std::int64_t sent_ = 0;
};

ServingDriver::ServingDriver(const ServingPlan& plan, const ServingRequests& requests,
                             Time send_latency, std::vector<std::uint32_t> groups)
    : plan_(plan),
      requests_(requests),
      latency_(std::max(send_latency, kLeastLatency)),
      group_of_(std::move(groups)) {
  for (std::uint32_t i = 0; i < plan.instances.size(); ++i) {
    for (const NodeId gpu : plan.instances[i].gpus) {
      if (gpu.value >= instance_of_.size()) instance_of_.resize(gpu.value + 1, kNoInstance);
      instance_of_[gpu.value] = i;
    }
  }
}

ServingDriver::~ServingDriver() = default;

// What follows a completion at T starts at T + latency_, after the agent's wake.
Time ServingDriver::notice_delay() const { return latency_ - PicoSeconds(2); }

NodeId ServingDriver::FindDivided(const std::vector<DomainId>& domain_of) const {
  for (const InstancePlan& instance : plan_.instances) {
    for (const NodeId gpu : instance.gpus) {
      const bool divided = domain_of[gpu.value] != domain_of[instance.gpus[0].value];
      if (Near(gpu, instance.gpus[0]) && divided) return gpu;
    }
  }
  return {};
}

KvShare ServingDriver::ShareOf(const ServingMessage& message) const {
  return plan_.SharesOf(message.from, message.to)[message.share];
}

FlowAgent* ServingDriver::AgentOf(DomainId /*domain*/, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> gpus;
  std::vector<std::uint32_t> instances;
  for (const NodeId node : nodes) {
    const std::uint32_t instance = InstanceOf(node);
    if (instance == kNoInstance) continue;
    gpus.push_back(node);
    if (plan_.instances[instance].gpus[0] == node) instances.push_back(instance);
  }
  if (gpus.empty()) return nullptr;
  std::sort(gpus.begin(), gpus.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
  std::sort(instances.begin(), instances.end());
  agents_.push_back(std::make_unique<Agent>(*this, instances, std::move(gpus)));
  return agents_.back().get();
}

std::uint64_t ServingDriver::open() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_) {
    sum += agent->machine().not_arrived();
    for (const ServingInstance& instance : agent->machine().instances()) sum += instance.open();
  }
  return sum;
}

Time ServingDriver::end() const {
  Time end;
  for (const auto& agent : agents_) end = std::max(end, agent->machine().now());
  return end;
}

std::int64_t ServingDriver::sent_bytes() const {
  std::int64_t sum = 0;
  for (const auto& agent : agents_) sum += agent->sent();
  return sum;
}

std::vector<ServingRecord> ServingDriver::records() const {
  std::vector<ServingRecord> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) instance.AddRecords(&all);
  }
  return all;
}

std::vector<InstanceTotals> ServingDriver::totals() const {
  std::vector<InstanceTotals> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances())
      all.push_back(instance.totals());
  }
  return all;
}

TokenGaps ServingDriver::gaps() const {
  TokenGaps all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) {
      for (const auto& [gap, count] : instance.gaps()) all[gap] += count;
    }
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::string>> ServingDriver::Waiting(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) {
      if (instance.open() == 0) continue;
      const std::uint32_t first = instance.first_open();
      all.emplace_back(instance.number(), "instance " + std::to_string(instance.number()) +
                                              ": request " + std::to_string(first) + " waits " +
                                              instance.WaitsFor(first));
    }
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), most));
  return all;
}

void ServingDriver::CheckBlocks() const {
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) instance.CheckBlocks();
  }
}

void ServingDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(instance_of_);
  for (const auto& agent : agents_) sum += agent->machine().memory();
  account->Add(Structure::kExecution, sum);
}

}  // namespace heddle
