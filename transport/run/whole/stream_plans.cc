// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/whole/stream_plans.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNoGpu = ~0U;

/// Sum of the rates of a GPU's NVLinks.
BitRate NvLinksOf(const Graph& graph, NodeId gpu) {
  BitRate sum;
  for (const Attachment& port : graph.ports(gpu)) {
    if (graph.kind(port.peer) == NodeKind::kNvSwitch) sum.bps += graph.link(port.link).rate.bps;
  }
  return sum;
}

/// The number of a channel's connection among those of its two nodes. Groups of one type have the
/// same numbers, as a GPU is in one of them; listed groups have theirs.
std::uint32_t ConnectionOf(const CollectiveCall& call, std::uint32_t channel) {
  constexpr std::uint32_t kTypeBits = 20, kListBits = 6;
  std::uint32_t number = channel;
  if (call.group_type == GroupType::kListed) number += call.name.group << kListBits;
  return (static_cast<std::uint32_t>(call.group_type) << kTypeBits | (number & 0xfffff)) %
         FlowPost::kMaxConnections;
}

}  // namespace

StreamPlans::StreamPlans(const FluidRun* run, CollectiveLoads* loads)
    : run_(*run),
      loads_(loads),
      paths_(run),
      inside_(run->graph->node_count(), kNoGpu),
      ports_(run->graph->node_count()) {
  const Graph& graph = *run_.graph;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    if (NvLinksOf(graph, NodeId(gpu)).bps == 0) continue;
    inside_[gpu] = static_cast<std::uint32_t>(gpus_.size());
    gpus_.emplace_back(gpu);
  }
  bytes_.resize(paths_.links() + 2 * gpus_.size());
}

std::vector<FluidNetwork::Direction> StreamPlans::Directions() const {
  std::vector<FluidNetwork::Direction> directions = paths_.Directions();
  for (const NodeId gpu : gpus_) {
    const FluidRate rate = FluidRateOf(NvLinksOf(*run_.graph, gpu));
    const auto out = static_cast<std::uint32_t>(directions.size());
    directions.push_back({rate, out + 1});
    directions.push_back({rate, out});
  }
  return directions;
}

std::size_t StreamPlans::Hash::operator()(const Kind& kind) const {
  return XXH3_64bits(&kind, sizeof kind);
}

StreamPlans::Kind StreamPlans::KindOf(const CollectiveCall& call) {
  constexpr int kWord = 32, kByte = 8;
  Kind kind;
  kind.group = static_cast<std::uint64_t>(call.name.group) << kWord |
               static_cast<std::uint64_t>(call.name.job) << kByte |
               static_cast<std::uint64_t>(call.group_type);
  kind.spec = static_cast<std::uint64_t>(call.root) << kWord | (call.peer + 1);
  kind.bytes =
      static_cast<std::uint64_t>(call.bytes) << kByte | static_cast<std::uint64_t>(call.operation);
  kind.sizes = reinterpret_cast<std::uintptr_t>(call.sizes);
  return kind;
}

const StreamPlan& StreamPlans::PlanOf(const CollectiveCall& call) {
  const Kind kind = KindOf(call);
  const auto known = plans_.find(kind);
  if (known != plans_.end()) return known->second;
  return plans_.emplace(kind, Make(call)).first->second;
}

void StreamPlans::AddBytes(std::uint32_t link, std::int64_t bytes) {
  if (bytes_[link] == 0 && bytes > 0) used_.push_back(link);
  bytes_[link] += bytes;
}

void StreamPlans::AddInside(const ConnectionLoad& load) {
  const auto add = [&](NodeId gpu, std::uint32_t direction) {
    if (!gpu.valid() || inside_[gpu.value] == kNoGpu) return;
    AddBytes(paths_.links() + 2 * inside_[gpu.value] + direction, load.bytes);
  };
  add(load.from, 0);
  add(load.to, 1);
}

/// The bytes of a connection are shared evenly by its queue pairs.
void StreamPlans::AddBetween(const CollectiveCall& call, const ConnectionLoad& load) {
  FlowPost post;
  post.source = load.from;
  post.destination = load.to;
  post.connection = ConnectionOf(call, load.channel);
  const auto queue_pairs = static_cast<std::uint32_t>(run_.split.queue_pairs);
  const std::uint32_t slot = connections_.FindOrMake(post, queue_pairs, &ports_[load.from.value]);
  for (std::uint32_t pair = 0; pair < queue_pairs; ++pair) {
    auto port = static_cast<std::uint16_t>(connections_.first_port(slot) + pair);
    if (run_.draws_ports) port = RandomSourcePort(run_.seed, load.from, load.to, port);
    path_.clear();
    if (!paths_.FindLinks(load.from, load.to, port, post.destination_port, &path_))
      throw UserError(DescribeNoPath(*run_.graph, *run_.routes, load.from, load.to));
    const std::int64_t bytes =
        load.bytes * (pair + 1) / queue_pairs - load.bytes * pair / queue_pairs;
    for (const FluidHop& hop : path_) AddBytes(hop.link, PartOf(bytes, hop.weight));
  }
}

StreamPlan StreamPlans::Make(const CollectiveCall& call) {
  ConnectionLoad sum;  // of one connection
  const auto add = [&] {
    if (sum.bytes > 0) sum.inside ? AddInside(sum) : AddBetween(call, sum);
    sum.bytes = 0;
  };
  loads_->ForEachConnection(call, [&](const ConnectionLoad& load) {
    const bool same = load.from == sum.from && load.to == sum.to && load.channel == sum.channel &&
                      load.inside == sum.inside;
    if (!same) add();
    const std::int64_t before = sum.bytes;
    sum = load;
    sum.bytes += before;
  });
  add();
  StreamPlan plan;
  std::int64_t most = 0;
  for (const std::uint32_t link : used_) most = std::max(most, bytes_[link]);
  std::sort(used_.begin(), used_.end());
  plan.hops.reserve(used_.size());
  for (const std::uint32_t link : used_) {
    const auto whole = static_cast<WideUnsigned>(bytes_[link]) << kWeightBits;
    const auto divisor = static_cast<WideUnsigned>(most);
    plan.hops.push_back({link, static_cast<FluidWeight>((whole + divisor - 1) / divisor)});
    bytes_[link] = 0;
  }
  used_.clear();
  plan.volume = FluidVolumeOf(most);
  return plan;
}

std::size_t StreamPlans::memory() const {
  std::size_t sum = paths_.memory() + connections_.memory() + MemoryOf(bytes_) +
                    plans_.size() * (sizeof(Kind) + sizeof(StreamPlan) + 2 * sizeof(void*));
  for (const auto& [kind, plan] : plans_) sum += MemoryOf(plan.hops);
  for (const SourcePorts& ports : ports_) sum += sizeof ports + ports.memory();
  return sum;
}

}  // namespace heddle
