// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/trace_driver.h"

#include <algorithm>

#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"
#include "core/traffic/source_ports.h"

namespace heddle {
namespace {

/// Posted at a time: so rarely is an agent woken, and so little of a long trace waits in the
/// transport and its checkpoints.
constexpr std::size_t kBatch = 64;

}  // namespace

/// The flows from one domain's hosts.
class TraceDriver::Agent final : public FlowAgent {
 public:
  Agent(const TraceDriver& driver, const std::vector<NodeId>& nodes) : driver_(driver) {
    for (const NodeId node : nodes) AddSource(node);
    std::stable_sort(
        messages_.begin(), messages_.end(),
        [this](const Message& a, const Message& b) { return AskedAt(a) < AskedAt(b); });
  }

  std::size_t memory() const { return sizeof *this + MemoryOf(messages_); }

  void Begin(FlowPoster* port) override {
    port_ = port;
    PostBatch();
  }
  void Woken() override { PostBatch(); }
  void AddUnposted(std::vector<FlowPost>* flows) const override {
    for (std::size_t i = next_; i < messages_.size(); ++i) flows->push_back(PostOf(messages_[i]));
  }
  void Sent(const FlowCookie&, Time) override {}
  void Received(const FlowCookie&, Time) override {}
  void Save(StateWriter* to) const override { *to << next_; }
  void Load(StateReader* from) override {
    *from >> next_;
    ExpectState(next_ <= messages_.size(), "more flows posted than the trace has");
  }

 private:
  /// A message by its place in the file; what is not there.
  struct Message {
    std::uint32_t request = 0;  ///< of TraceDriver::flows_
    FlowNumbers numbers;
  };

  void AddSource(NodeId source) {
    SourcePorts ports;
    FlowNumbers numbers{0, 0, 0};
    for (std::size_t i = driver_.starts_[source.value]; i < driver_.starts_[source.value + 1];
         ++i) {
      const FlowRequest& request = driver_.flows_[driver_.of_source_[i]];
      numbers.source_port = ports.Next(request.destination);
      messages_.push_back({driver_.of_source_[i], numbers});
      const std::int64_t taken = driver_.split_.NumbersOf(request.size.count);
      for (std::int64_t k = 1; k < taken; ++k) ports.Next(request.destination);
      numbers.number += static_cast<std::uint32_t>(taken);
      ++numbers.message;
    }
  }

  Time AskedAt(const Message& message) const {
    return driver_.AskedAt(driver_.flows_[message.request]);
  }

  FlowPost PostOf(const Message& message) const {
    const FlowRequest& request = driver_.flows_[message.request];
    FlowPost post;
    post.start = request.start;
    post.asked = driver_.AskedAt(request);
    post.source = request.source;
    post.destination = request.destination;
    post.size = request.size.count;
    post.order = message.numbers.number;
    post.priority = request.priority;
    post.destination_port = request.destination_port;
    post.numbers = message.numbers;
    return post;
  }

  /// The next kBatch messages, and those of the same moment as the last of them.
  void PostBatch() {
    const std::size_t most = next_ + kBatch;
    for (; next_ < messages_.size(); ++next_) {
      if (next_ >= most && AskedAt(messages_[next_]) > AskedAt(messages_[next_ - 1])) break;
      const FlowPost post = PostOf(messages_[next_]);
      port_->PostSlice(post, TraceContents::SliceOf(messages_[next_].request, post.size));
    }
    // Just before anything can happen to the next one, a question to the controller included.
    if (next_ < messages_.size()) port_->WakeAt(AskedAt(messages_[next_]) - PicoSeconds(1));
  }

  const TraceDriver& driver_;
  FlowPoster* port_ = nullptr;
  std::vector<Message>
      messages_;          ///< by the time when they ask; in the file's order at equal times
  std::size_t next_ = 0;  ///< first that is not posted
};

TraceDriver::TraceDriver(const std::vector<FlowRequest>& flows, const MessageSplit& split,
                         Time send_latency)
    : flows_(flows), split_(split), send_latency_(send_latency) {
  SortBySource();
}

TraceDriver::~TraceDriver() = default;

void TraceDriver::SortBySource() {
  std::uint32_t nodes = 0;
  for (const FlowRequest& flow : flows_) nodes = std::max(nodes, flow.source.value + 1);
  starts_.assign(nodes + 1, 0);
  for (const FlowRequest& flow : flows_) ++starts_[flow.source.value + 1];
  for (std::uint32_t node = 0; node < nodes; ++node) starts_[node + 1] += starts_[node];
  std::vector<std::size_t> next(starts_);
  of_source_.resize(flows_.size());
  for (std::uint32_t i = 0; i < flows_.size(); ++i) of_source_[next[flows_[i].source.value]++] = i;
}

FlowAgent* TraceDriver::AgentOf(DomainId /*domain*/, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> sources;
  for (const NodeId node : nodes) {
    if (node.value + 1 < starts_.size() && starts_[node.value] < starts_[node.value + 1])
      sources.push_back(node);
  }
  if (sources.empty()) return nullptr;
  agents_.push_back(std::make_unique<Agent>(*this, sources));
  return agents_.back().get();
}

void TraceDriver::KeepContents(ResultChecks checks) {
  std::int64_t longest = 0;
  for (const FlowRequest& flow : flows_) longest = std::max(longest, flow.size.count);
  contents_ = std::make_unique<TraceContents>(longest, checks);
}

Time TraceDriver::AskedAt(const FlowRequest& flow) const {
  if (!flow.send_latency) return flow.start;
  return std::max(Time{0}, flow.start - send_latency_);
}

std::int64_t TraceDriver::flow_count() const {
  if (split_.by_requests) return static_cast<std::int64_t>(flows_.size());
  std::int64_t count = 0;
  for (const FlowRequest& flow : flows_) count += split_.FlowsOf(flow.size.count);
  return count;
}

void TraceDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(of_source_) + MemoryOf(starts_);
  for (const auto& agent : agents_) sum += agent->memory();
  account->Add(Structure::kFlowPlans, sum);
}

}  // namespace heddle
