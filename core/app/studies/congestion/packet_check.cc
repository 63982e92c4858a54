// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/packet_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/app/run/setup/all_options.h"
#include "core/engine/engine.h"
#include "core/traffic/trace_driver.h"
#include "partition/partition.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

/// One simulation: all flows start at once.
class Simulation {
 public:
  Simulation(const Graph& graph, const TransportOptions& options, std::uint64_t seed,
             const std::vector<FlowRequest>& flows, const Communicator& world)
      : world_(world) {
    DomainOptions grouping;
    grouping.grain = DomainOptions::kAutoGrain;
    grouping.ranks = world.size();
    domains_ = MakeDomains(graph, grouping);
    assignment_ = AssignDomains(graph, domains_, world.size(), "block", seed, {});
    backend_ = MakeBackend(BackendKind::kPacket,
                           {graph, options, domains_.domain_of, domains_.nodes, assignment_,
                            world.rank(), world.size(), seed, failures_});
    backend_->CheckFlows(flows);
    driver_ = std::make_unique<TraceDriver>(flows, backend_->split(), options.send_latency);
    backend_->Drive(driver_.get());
  }

  /// The table "flows", at the root.
  Table Run(PacketCheck* check) {
    EngineSetup setup;
    setup.on_cut = [this](const Cut&) { backend_->CheckConservation(world_); };
    backend_->Run(EngineKind::kDomain, world_, setup);
    backend_->CheckEnd(world_);
    const DomainBooks books = backend_->CheckConservation(world_);
    check->pauses += books.pauses;
    check->timeouts += books.timeouts;
    check->marked += books.marked;
    check->dropped += books.dropped_packets;
    FlowRecords mine;
    for (const FlowLists& list : backend_->NewFlows()) mine.Append(list);
    return backend_->GatherFlows(world_, mine);
  }

 private:
  const Communicator& world_;
  Domains domains_;
  Assignment assignment_;
  std::vector<LinkEvent> failures_;
  std::unique_ptr<TraceDriver> driver_;
  std::unique_ptr<Backend> backend_;
};

/// A message, over its flows: one a queue pair.
struct Carried {
  std::int64_t bytes = 0, largest = 0;  ///< of all, and of the flow with the most
  std::int64_t ideal = 0;               ///< time of that flow alone [ps]
  std::int64_t end = 0;                 ///< of the flow that ends last, from the start [ps]
  bool finished = true;
};

/// Rate of a GPU's first link to a switch, or of its first link.
double RateOf(const Graph& graph, NodeId gpu) {
  for (const Attachment& port : graph.ports(gpu)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch)
      return static_cast<double>(graph.link(port.link).rate.bps);
  }
  return static_cast<double>(graph.link(graph.ports(gpu)[0].link).rate.bps);
}

/// Shares by (source, number of its message): the time of the message alone, over its own.
std::map<std::pair<std::uint32_t, std::uint32_t>, double> SharesOf(const Graph& graph,
                                                                   const Table& flows) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& message = GetColumn<std::uint32_t>(flows, "message");
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  const auto& time = GetColumn<std::int64_t>(flows, "fct_ps");
  const auto& start = GetColumn<std::int64_t>(flows, "start_ps");
  const auto& ideal = GetColumn<std::int64_t>(flows, "ideal_ps");
  std::map<std::pair<std::uint32_t, std::uint32_t>, Carried> messages;
  for (std::size_t row = 0; row < source.size(); ++row) {
    Carried& of = messages[{source[row], message[row]}];
    of.bytes += size[row];
    of.finished = of.finished && time[row] > 0;
    of.end = std::max(of.end, start[row] + time[row]);
    if (size[row] <= of.largest) continue;
    of.largest = size[row];
    of.ideal = ideal[row];
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> shares;
  for (const auto& [name, of] : messages) {
    // What the other queue pairs carry takes its time at the host's rate besides.
    const double others =
        8e12 * static_cast<double>(of.bytes - of.largest) / RateOf(graph, NodeId(name.first));
    shares[name] =
        of.finished ? (static_cast<double>(of.ideal) + others) / static_cast<double>(of.end) : 0;
  }
  return shares;
}

}  // namespace

PacketCheck CheckWithPackets(const Graph& graph, const StaticPaths& paths,
                             const CongestionRequest& request, const PacketCheckOptions& options,
                             const Communicator& world) {
  PacketCheck check;
  AllOptions all;
  RunSetup run;
  AgreeOnErrors(world, [&] {
    all.options.SetAll(options.settings);
    run = SetUpRun(request, 0);
  });
  std::vector<RankPair> pairs;
  for (std::uint64_t level = 0;; ++level) {
    run.pattern->Level(level, &pairs);
    if (pairs.empty()) break;
    if (level >= kMostCheckedLevels) {
      ++check.levels_left_out;
      continue;
    }
    ++check.levels;
    const std::vector<WeighedPair> weighed = RunLoad(paths, request.load).Weigh(pairs, run.mapping);
    std::vector<FlowRequest> flows;
    for (const WeighedPair& pair : weighed) {
      FlowRequest flow;
      flow.source = NodeId(run.mapping[pair.ranks.source]);
      flow.destination = NodeId(run.mapping[pair.ranks.destination]);
      flow.size = options.size;
      flow.send_latency = false;
      flows.push_back(flow);
    }
    if (flows.empty()) continue;
    std::unique_ptr<Simulation> simulation;
    AgreeOnErrors(world, [&] {
      simulation = std::make_unique<Simulation>(graph, all.transport, request.seed, flows, world);
    });
    const Table table = simulation->Run(&check);
    if (!world.is_root()) continue;
    const auto shares = SharesOf(graph, table);
    std::map<std::uint32_t, std::uint32_t> sent;  // messages of a source so far
    for (std::size_t i = 0; i < weighed.size(); ++i) {
      const std::uint32_t source = flows[i].source.value;
      const auto found = shares.find({source, sent[source]++});
      check.messages.push_back({level, source, flows[i].destination.value, weighed[i].weight,
                                found == shares.end() ? 0 : found->second});
    }
  }
  return check;
}

}  // namespace heddle
