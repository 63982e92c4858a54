// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_prices.h"

#include <algorithm>
#include <cmath>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/nccl_latency.h"
#include "core/base/check.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

/// Numbers by first appearance.
class Renumbered {
 public:
  std::uint32_t Of(std::uint32_t value) {
    return numbers_.emplace(value, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

/// What tells the shapes of groups apart: of each rank its server, its place there, and the switch
/// of its first NIC. Servers and switches are numbered by first appearance.
std::vector<std::uint32_t> PlacesOf(const Graph& graph, const NodeId* members,
                                    std::uint32_t ranks) {
  constexpr std::uint32_t kNone = ~0U;
  const std::uint32_t per_server = std::max(graph.gpus_per_server(), 1U);
  Renumbered servers, edges;
  std::vector<std::uint32_t> places;
  places.reserve(3 * ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const NodeId gpu = members[rank];
    std::uint32_t edge = kNone;
    for (const Attachment& port : graph.ports(gpu)) {
      if (graph.kind(port.peer) != NodeKind::kSwitch) continue;
      edge = edges.Of(port.peer.value);
      break;
    }
    places.insert(places.end(), {servers.Of(gpu.value / per_server), gpu.value % per_server, edge});
  }
  return places;
}

/// The first rank of each server, at most so many.
std::vector<Participant> FirstRanks(const GroupShape& shape, std::uint32_t most) {
  std::vector<Participant> first;
  for (std::uint32_t server = 0; server < std::min(shape.servers(), most); ++server)
    first.push_back(shape.local(server, 0));
  return first;
}

}  // namespace

ClosedPrices::ClosedPrices(const Graph& graph, const CollectiveOptions& options,
                           const WireFigures& wire)
    : graph_(graph), options_(options), wire_(wire), delay_(options), routes_(graph) {}

std::string ClosedPrices::Describe() const {
  return "transport        analytical: every collective takes what a closed form gives it; no "
         "packets, queues or collisions\n";
}

std::uint32_t ClosedPrices::ShapeOf(const CollectiveCall& call) {
  const GroupKey key{call.name.job, call.group_type, call.name.group};
  const auto known = shape_of_group_.find(key);
  if (known != shape_of_group_.end()) return known->second;
  const auto [place, is_new] = shape_of_places_.emplace(PlacesOf(graph_, call.members, call.ranks),
                                                        static_cast<std::uint32_t>(shapes_.size()));
  if (is_new)
    shapes_.push_back(std::make_unique<GroupShape>(
        graph_, std::vector<NodeId>(call.members, call.members + call.ranks)));
  shape_of_group_.emplace(key, place->second);
  return place->second;
}

Time ClosedPrices::PriceOf(const CollectiveCall& call) {
  const std::uint32_t shape = ShapeOf(call);
  const auto [price, is_new] =
      prices_.emplace(PriceKey{shape, call.operation, call.bytes, call.root, call.peer}, Time{0});
  if (is_new) {
    CollectiveSpec spec;
    spec.operation = call.operation;
    spec.group = call.group_type;
    spec.bytes = call.bytes;
    spec.root = call.root;
    spec.peer = call.peer;
    price->second = Compute(spec, *shapes_[shape]);
  }
  return price->second;
}

double ClosedPrices::LatencyOf(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                               const GroupShape& shape, Participant from, Participant to) const {
  const bool one_server = shape.server_of(from) == shape.server_of(to);
  const PathKind kind = !one_server                    ? PathKind::kNet
                        : StaysInside(shape, from, to) ? PathKind::kNvLink
                                                       : PathKind::kPci;
  Time latency = delay_.Of(spec, choice, GroupFlow(), 2, kind, /*first=*/false);
  std::vector<Hop> path;
  if (!FollowFlow(graph_, routes_, {shape.node(from), shape.node(to), 10000, 100}, &path))
    throw UserError(DescribeNoWay(graph_, routes_, shape.node(from), shape.node(to)));
  const double packet = 8 * wire_.LargestPacket(spec.bytes / shape.ranks() + 1);
  double seconds = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Link& link = graph_.link(graph_.ports(path[i].node)[path[i].port.value].link);
    latency += link.delay;
    if (i > 0) seconds += packet / static_cast<double>(link.rate.bps);  // stored, then forwarded
  }
  return seconds + latency.seconds();
}

void ClosedPrices::SetPieces(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                             const GroupShape& shape, ClosedFormInput* input) const {
  const auto parts = std::int64_t{input->channels} * input->pieces;
  const std::int64_t piece = ProtocolBytes(choice.protocol, spec.bytes / parts + 1);
  // Channels beyond one for each GPU of a server share its ports, as the two trees of each pair do.
  const double share = std::max(1.0, static_cast<double>(input->channels) / shape.fewest_locals());
  const double bits = 8 * share * wire_.BytesOnWire(piece);
  const PortRates rates = RatesOf(graph_, shape.node(0));
  if (rates.inside > 0) input->piece_inside = bits / rates.inside;
  if (rates.nics > 0) input->piece_between = bits / rates.NetworkOf(1);
}

Time ClosedPrices::Compute(const CollectiveSpec& spec, const GroupShape& shape) const {
  const AlgorithmChoice choice = ChooseAlgorithm(spec, shape, graph_.gpu_type(), options_);
  const std::unique_ptr<Schedule> schedule = MakeSchedule(spec, choice, shape, options_);
  if (!schedule) return Time{1};
  const AlgorithmRow& row = RowOf(choice.algorithm);
  ClosedFormInput input;
  input.order = row.order(spec);
  input.load = LoadOf(graph_, shape, *schedule, choice.protocol, wire_);
  input.steps = row.steps(spec, shape);
  if (options_.latency != "send_lat")
    input.base = BaseLatency(choice.algorithm, choice.protocol).seconds();
  input.pieces = std::max(schedule->chunk_count(), 1U);
  input.in_flight = row.pieces_in_flight(options_);
  input.channels = std::max(schedule->channels(), 1U);
  SetPieces(spec, choice, shape, &input);
  if (IsBetweenTwo(spec)) {
    const double latency = LatencyOf(spec, choice, shape, spec.root, spec.peer);
    input.latency_inside = input.latency_between = latency;
  } else {
    if (shape.locals(0) > 1)
      input.latency_inside = LatencyOf(spec, choice, shape, shape.local(0, 0), shape.local(0, 1));
    constexpr std::uint32_t kMostServers = 17;
    const std::vector<Participant> first = FirstRanks(shape, kMostServers);
    for (std::size_t i = 1; i < first.size(); ++i)
      input.latency_between += LatencyOf(spec, choice, shape, first[i - 1], first[i]) /
                               static_cast<double>(first.size() - 1);
  }
  const double picoseconds = ClosedFormSeconds(input) * 1e12;
  return Time{std::max<std::int64_t>(std::llround(picoseconds), 1)};
}

}  // namespace heddle
