// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/trace_driver.h"

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
    std::stable_sort(flows_.begin(), flows_.end(),
                     [this](const Flow& a, const Flow& b) { return AskedAt(a) < AskedAt(b); });
  }

  std::size_t memory() const { return sizeof *this + MemoryOf(flows_); }

  void Begin(FlowPoster* port) override {
    port_ = port;
    PostBatch();
  }
  void Woken() override { PostBatch(); }
  void AddUnposted(std::vector<FlowPost>* flows) const override {
    for (std::size_t i = next_; i < flows_.size(); ++i) flows->push_back(PostOf(flows_[i]));
  }
  void Sent(const FlowCookie&, Time) override {}
  void Received(const FlowCookie&, Time) override {}
  void Save(StateWriter* to) const override { *to << next_; }
  void Load(StateReader* from) override {
    *from >> next_;
    ExpectState(next_ <= flows_.size(), "more flows posted than the trace has");
  }

 private:
  /// A flow by its place in the file; what is not there.
  struct Flow {
    std::uint32_t request = 0;  ///< of TraceDriver::flows_
    std::uint32_t number = 0, message = 0;
    std::uint16_t source_port = 0;
    std::uint16_t part = 0;  ///< of the message
  };

  void AddSource(NodeId source) {
    SourcePorts ports;
    std::uint32_t number = 0, message = 0;
    for (std::size_t i = driver_.starts_[source.value]; i < driver_.starts_[source.value + 1];
         ++i) {
      const FlowRequest& request = driver_.flows_[driver_.of_source_[i]];
      const std::int64_t part = driver_.PartOf(request);
      std::uint16_t parts = 0;
      for (std::int64_t sent = 0; sent < request.size.count; sent += part)
        flows_.push_back(
            {driver_.of_source_[i], number++, message, ports.Next(request.destination), parts++});
      for (std::int64_t k = 1; driver_.whole_ && k < driver_.queue_pairs_; ++k, ++number)
        ports.Next(request.destination);
      ++message;
    }
  }

  Time AskedAt(const Flow& flow) const { return driver_.AskedAt(driver_.flows_[flow.request]); }

  FlowPost PostOf(const Flow& flow) const {
    const FlowRequest& request = driver_.flows_[flow.request];
    const std::int64_t part = driver_.PartOf(request);
    FlowPost post;
    post.start = request.start;
    post.asked = driver_.AskedAt(request);
    post.source = request.source;
    post.destination = request.destination;
    post.size = std::min(part, request.size.count - flow.part * part);
    post.order = flow.number;
    post.priority = request.priority;
    post.destination_port = request.destination_port;
    post.numbers = {flow.number, flow.message, flow.source_port};
    return post;
  }

  /// The next kBatch flows, and those of the same moment as the last of them.
  void PostBatch() {
    const std::size_t most = next_ + kBatch;
    for (; next_ < flows_.size(); ++next_) {
      if (next_ >= most && AskedAt(flows_[next_]) > AskedAt(flows_[next_ - 1])) break;
      port_->Post(PostOf(flows_[next_]));
    }
    // Just before anything can happen to the next one, a question to the controller included.
    if (next_ < flows_.size()) port_->WakeAt(AskedAt(flows_[next_]) - PicoSeconds(1));
  }

  const TraceDriver& driver_;
  FlowPoster* port_ = nullptr;
  std::vector<Flow> flows_;  ///< by the time when they ask; in the file's order at equal times
  std::size_t next_ = 0;     ///< first that is not posted
};

TraceDriver::TraceDriver(const std::vector<FlowRequest>& flows, std::int64_t queue_pairs,
                         Time send_latency, bool whole)
    : flows_(flows), queue_pairs_(queue_pairs), whole_(whole), send_latency_(send_latency) {
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

Time TraceDriver::AskedAt(const FlowRequest& flow) const {
  if (!flow.send_latency) return flow.start;
  return std::max(Time{0}, flow.start - send_latency_);
}

std::int64_t TraceDriver::flow_count() const {
  std::int64_t count = 0;
  for (const FlowRequest& flow : flows_) {
    const std::int64_t part = PartOf(flow);
    count += (flow.size.count + part - 1) / part;
  }
  return count;
}

void TraceDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(of_source_) + MemoryOf(starts_);
  for (const auto& agent : agents_) sum += agent->memory();
  account->Add(Structure::kFlowPlans, sum);
}

}  // namespace heddle
