// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/packet_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "topology/paths/packet_hops.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/model/nic/posted_flows.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/reliability/reliability_schemes.h"
#include "transport/model/requests/request_schemes.h"
#include "transport/model/requests/request_split.h"

namespace heddle {
namespace {

/// Events of a packet-hop (an arrival, and a wake-up if packets wait) and of a flow (posted,
/// started, its end reported); measured, docs/performance.md.
constexpr double kEventsPerHop = 1.4, kEventsPerFlow = 3;

/// Rates of one core on the machine of docs/performance.md: packet-hops a second by number of
/// nodes, and the cost of a flow.
constexpr double kSmallNodes = 512, kSmallRate = 9.6e6;
constexpr double kLargeNodes = 17'000, kLargeRate = 2.9e6;
constexpr double kSecondsPerFlow = 1.0e-6;

/// Reserved over used memory of arrays: they double when they are full.
constexpr double kReserve = 1.5;
/// Sum of the domains' peaks over the peak of their sum: domains do not peak at the same time.
constexpr double kSpread = 2;
/// Windows of data that the flows of one GPU have in flight together.
constexpr double kWindowsTogether = 4;
/// Memory of an inbox that was used [byte].
constexpr double kBusyInbox = 2048;
/// Memory of a domain's event queue (core/events/event_queue.h), measured [byte].
constexpr double kCalendar = 8 << 10;
/// Memory of an entry of a FlatMap, which is at most half full [byte].
constexpr double kMapEntry = 16 * 3;
/// Memory of a posted flow at its source: first in the heap of starts, then as a message [byte].
constexpr double kPosted = sizeof(FlowHeap::Item) + sizeof(PostedMessage);

double RateOf(std::uint32_t nodes) {
  const double position = std::log(nodes / kSmallNodes) / std::log(kLargeNodes / kSmallNodes);
  return kSmallRate * std::pow(kLargeRate / kSmallRate, std::clamp(position, 0.0, 1.0));
}

/// Returns the packets in flight for `flows` flows of `message` bytes from one GPU: full windows,
/// but at most kWindowsTogether of them, as they share the GPU's links.
double PacketsOf(double flows, double message, const FabricContext& context) {
  const auto payload = static_cast<double>(context.options.payload);
  const auto window = static_cast<double>(context.metrics->max_bdp().count);
  const double of_one = context.options.has_window ? std::min(message, window + payload) : message;
  return std::max(flows,
                  std::min(flows * of_one, kWindowsTogether * window + flows * payload) / payload);
}

/// Returns how messages become packets.
Packeting PacketingOf(const TransportOptions& options, std::int64_t ack_interval) {
  const std::int64_t queue_pairs = options.nic.qps_per_connection;
  Packeting packeting{options.payload, queue_pairs, ack_interval};
  const RequestOptions& requests = options.requests;
  if (!requests.divides()) return packeting;
  const RequestSchemeTraits traits = TraitsOfScheme(requests.scheduler);
  const bool splits =
      traits.splits &&
      (!traits.measures ||
       IsSplit(requests.size, static_cast<std::uint32_t>(queue_pairs), requests.split_min));
  packeting.request = requests.size;
  packeting.sharing = splits ? queue_pairs : 1;
  packeting.alternate = traits.alternates ? queue_pairs : 1;
  return packeting;
}

/// Counts pairs of GPUs of different servers that have messages: each has a connection, or one a
/// channel. Beyond kMost it counts pairs that differ from the one before.
class PairCounter {
 public:
  explicit PairCounter(const Graph& graph) : graph_(graph) {}

  void Add(NodeId source, NodeId destination) {
    if (source == source_ && destination == destination_) return;
    source_ = source;
    destination_ = destination;
    if (graph_.SameServer(source, destination)) return;
    if (known_.size() >= kMost) {
      count_ += 1;
    } else if (known_.insert(std::uint64_t{source.value} << 32 | destination.value).second) {
      count_ += 1;
    }
  }
  double count() const { return count_; }

 private:
  static constexpr std::size_t kMost = 1 << 20;

  const Graph& graph_;
  NodeId source_, destination_;
  std::unordered_set<std::uint64_t> known_;
  double count_ = 0;
};

void Grow(MemoryAccount* account, Structure structure, double bytes) {
  account->Add(structure, static_cast<std::size_t>(std::max(bytes, 0.0)));
}

}  // namespace

TrafficCost CostOfPackets(const Graph& graph, const Routes& routes, const TransportOptions& options,
                          const TrafficWalk& traffic) {
  // By SimAI's rule each packet after the first interval is acknowledged.
  const std::int64_t ack_interval =
      options.reliability.simai_acks ? 1 : options.reliability.ack_interval;
  Packeting packeting = PacketingOf(options, ack_interval);
  packeting.train =
      PacketTrains(graph, options.payload, kHeaderBytes, options.train_packets()).packets();
  PacketHops hops(graph, routes, packeting);
  PairCounter pairs(graph);
  traffic([&](NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count) {
    hops.Add(source, destination, bytes, count);
    if (options.divides()) pairs.Add(source, destination);
  });
  TrafficCost cost;
  cost.connections = pairs.count();
  cost.flows = hops.flows();
  cost.bytes = hops.bytes();
  cost.packet_hops = hops.packet_hops();
  cost.events = kEventsPerHop * cost.packet_hops + kEventsPerFlow * cost.flows;
  cost.seconds = cost.packet_hops / RateOf(graph.node_count()) + cost.flows * kSecondsPerFlow;
  return cost;
}

MemoryAccount GrowthOfPackets(const Fabric& fabric, const OpenTraffic& open) {
  MemoryAccount growth;
  const FabricContext& context = fabric.context();
  const auto domains = static_cast<double>(fabric.domains().size());
  double under_way = 0;
  for (const double of_gpu : open.flows) under_way += PacketsOf(of_gpu, open.message, context);
  const double flows = kReserve * open.all_flows(), packets = kReserve * kSpread * under_way;
  Grow(&growth, Structure::kSenders,
       flows * (sizeof(QueuePair) + (TraitsOf(context.options.reliability).keeps ? 96 : 0)));
  Grow(&growth, Structure::kReceivers, flows * (sizeof(ReceiveQueuePair) + kMapEntry));
  if (context.control.mode() != 0)
    Grow(&growth, Structure::kRateControl, kReserve * flows * sizeof(CongestionControl::State));
  if (open.posted) Grow(&growth, Structure::kPostedFlows, flows * kPosted);
  if (context.requests.active()) {
    const auto pairs = static_cast<double>(context.options.nic.qps_per_connection);
    Grow(&growth, Structure::kPostedFlows,
         RequestDesk::EstimateMemory(context.options, {open.connections, flows / pairs, flows}));
  }
  Grow(&growth, Structure::kPackets, packets * sizeof(Cargo));
  if (context.tails) Grow(&growth, Structure::kTelemetry, packets * sizeof(MessageTail));
  Grow(&growth, Structure::kEvents, packets * sizeof(Event) + domains * kCalendar);
  const double message = sizeof(Message) * (context.tails ? 1 + kTailRecords : 1);
  Grow(&growth, Structure::kInboxes, packets * message + domains * kBusyInbox);
  Grow(&growth, Structure::kExchange, 2 * open.boundary * packets * (message + sizeof(DomainId)));
  return growth;
}

}  // namespace heddle
