// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/fabric_price.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/algorithms/pat_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/nccl_latency.h"
#include "collectives/stepwise/pat_replay.h"
#include "collectives/stepwise/schedule_replay.h"
#include "core/base/check.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

/// The first rank of each server, at most so many.
std::vector<Participant> FirstRanks(const GroupShape& shape, std::uint32_t most) {
  std::vector<Participant> first;
  for (std::uint32_t server = 0; server < std::min(shape.servers(), most); ++server)
    first.push_back(shape.local(server, 0));
  return first;
}

bool IsOfATree(const GroupFlow& flow) {
  return flow.connection == Connection::kCollNetUp || flow.connection == Connection::kCollNetDown;
}

/// Messages of a collective by trees of switches that are replayed one by one: a second of work.
constexpr std::uint64_t kMostReplayed = 300'000;

Bottleneck BottleneckOf(const PortLoad& load) {
  if (load.largest() <= 0) return Bottleneck::kNone;
  if (load.fabric >= load.largest()) return Bottleneck::kFabric;
  return load.network >= load.inside ? Bottleneck::kNic : Bottleneck::kNvlink;
}

/// Counts the messages that share a NIC with the first piece of a collective. Of trees over two
/// servers the two of a pair have their roots on different ones, so that their first pieces go in
/// opposite directions; over more they meet for a part of the time, which was found by packets.
double NicShareOf(const GroupShape& shape, const ClosedFormInput& input) {
  constexpr double kMeet = 1.65;  // of 2
  if (!input.up_and_down) return input.share;
  return shape.servers() == 2 ? 1 : std::min(input.share, kMeet);
}

/// Data bytes of each of the messages that follow one another, or of each of those sent at once.
std::int64_t PieceOf(const CollectiveSpec& spec, const GroupShape& shape,
                     const ClosedFormInput& input) {
  std::int64_t parts = std::int64_t{input.channels} * input.pieces;
  if (input.order == MessageOrder::kSteps) parts = std::int64_t{input.channels} * shape.ranks();
  if (spec.operation == Operation::kAllToAll) parts = shape.ranks();
  if (spec.operation == Operation::kSendRecv) parts = 1;
  return spec.bytes / parts;
}

/// A message from one rank to another, of the size that most have.
GroupFlow LikeOthers(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                     const GroupShape& shape, const ClosedFormInput& input, Participant from,
                     Participant to) {
  GroupFlow flow;
  flow.source = from;
  flow.destination = to;
  flow.bytes = flow.asked = PieceOf(spec, shape, input);
  if (choice.algorithm == Algorithm::kDirect) flow.connection = Connection::kDirect;
  if (RowOf(choice.algorithm).by_nvswitches && shape.server_of(from) == shape.server_of(to))
    flow.connection = Connection::kNvlsRequest;
  return flow;
}

/// Waits of messages that leave at once by the same ports.
struct Waits {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;  ///< [s]
  double number = 0;

  void Add(double wait) {
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
    ++number;
  }
  /// What is to be added to the ports' time `load` [s]: all bytes follow the first message, and
  /// those of the last one follow that. `ranks` that sent them.
  double Latency(double ranks, double load) const {
    const double others = load * std::max(0.0, 1 - ranks / number);
    return std::max(shortest, longest - others);
  }
};

CalibratedKind KindOf(const CollectiveSpec& spec, const GroupShape& shape,
                      const AlgorithmChoice& choice) {
  CalibratedKind kind{spec.operation, choice.algorithm, choice.protocol, shape.ranks(),
                      shape.servers()};
  if (!IsBetweenTwo(spec)) return kind;
  kind.ranks = 2;
  kind.servers = shape.server_of(spec.root) == shape.server_of(spec.peer) ? 1 : 2;
  return kind;
}

}  // namespace

FabricPrices::FabricPrices(const Graph& graph, const CollectiveOptions& options,
                           const WireFigures& wire, const Calibration* calibration)
    : graph_(graph),
      options_(options),
      wire_(wire),
      calibration_(calibration),
      delay_(options),
      routes_(graph) {}

double FabricPrices::WaitOf(const Chosen& chosen, const ClosedFormInput& input,
                            const GroupFlow& flow) const {
  const GroupShape& shape = chosen.shape;
  const bool one_server = shape.server_of(flow.source) == shape.server_of(flow.destination);
  const PathKind kind = !one_server                                         ? PathKind::kNet
                        : StaysInside(shape, flow.source, flow.destination) ? PathKind::kNvLink
                                                                            : PathKind::kPci;
  const MessagePlace place =
      PlaceOf(chosen.spec, chosen.choice, shape, flow, input.channels, kind, /*first=*/false);
  return delay_.Of(chosen.spec, chosen.choice, flow, place).seconds();
}

double FabricPrices::PathOf(const Chosen& chosen, Participant from, Participant to) const {
  const GroupShape& shape = chosen.shape;
  std::vector<Hop> path;
  if (!FollowFlow(graph_, routes_, {shape.node(from), shape.node(to), 10000, 100}, &path))
    throw UserError(DescribeNoPath(graph_, routes_, shape.node(from), shape.node(to)));
  const double packet = 8 * wire_.LargestPacket(chosen.spec.bytes / shape.ranks() + 1);
  double seconds = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Link& link = graph_.link(graph_.ports(path[i].node)[path[i].port.value].link);
    seconds += link.delay.seconds();
    if (i > 0) seconds += packet / static_cast<double>(link.rate.bps);  // stored, then forwarded
  }
  return seconds;
}

double FabricPrices::BackOf(const Chosen& chosen, Participant from, Participant to) const {
  if (!wire_.acked) return 0;
  std::vector<Hop> path;
  const GroupShape& shape = chosen.shape;
  if (!FollowFlow(graph_, routes_, {shape.node(to), shape.node(from), 100, 10000}, &path)) return 0;
  double seconds = 0;
  for (const Hop& hop : path) {
    const Link& link = graph_.link(graph_.ports(hop.node)[hop.port.value].link);
    seconds += link.delay.seconds() +
               8 * static_cast<double>(wire_.ack) / static_cast<double>(link.rate.bps);
  }
  return seconds;
}

double FabricPrices::LatencyOf(const Chosen& chosen, const ClosedFormInput& input, Participant from,
                               Participant to) const {
  const GroupFlow flow = LikeOthers(chosen.spec, chosen.choice, chosen.shape, input, from, to);
  const double latency = WaitOf(chosen, input, flow) + PathOf(chosen, from, to);
  // In rings with longer messages other channels' fill the time of an answer.
  const bool waits = input.order != MessageOrder::kSteps || chosen.choice.protocol == Protocol::kLl;
  return waits && !input.heard_on_arrival ? latency + BackOf(chosen, from, to) : latency;
}

void FabricPrices::SetWaits(const Chosen& chosen, const Schedule& schedule,
                            ClosedFormInput* input) const {
  const GroupShape& shape = chosen.shape;
  Waits inside, between;
  bool relays = false;
  const auto count = [&](const GroupFlow& flow) {
    relays = relays || flow.connection == Connection::kPxnInit;
    const bool one_server = shape.server_of(flow.source) == shape.server_of(flow.destination);
    (one_server ? inside : between).Add(WaitOf(chosen, *input, flow));
  };
  // Ranks of a server are alike, but that the last one's next neighbour is in another.
  const Participant ranks[] = {shape.local(0, 0), shape.local(0, shape.locals(0) - 1)};
  std::vector<GroupFlow> flows, relayed;
  for (const Participant rank : ranks) {
    flows.clear();
    schedule.Begin(rank, &flows);
    for (const GroupFlow& flow : flows) {
      count(flow);
      relayed.clear();
      schedule.After(flow, &relayed);
      for (const GroupFlow& next : relayed) count(next);
    }
  }
  const bool two_hops = input->steps.inside > 0 && input->steps.between > 0;
  // What the last rank sends to the next server crosses an NVLink first.
  if (relays && chosen.spec.operation == Operation::kSendRecv) input->steps.inside = 1;
  if (inside.number > 0)
    input->latency_inside = inside.Latency(std::size(ranks), input->load.inside) +
                            PathOf(chosen, shape.local(0, 0), shape.local(0, 1)) +
                            BackOf(chosen, shape.local(0, 0), shape.local(0, 1));
  if (between.number > 0)
    input->latency_between = between.Latency(std::size(ranks), input->load.network) +
                             PathOf(chosen, shape.local(0, 0), shape.local(1, 0)) +
                             BackOf(chosen, shape.local(0, 0), shape.local(1, 0));
  // The busier hop waits for the first piece of the other, or the other ends a piece after it.
  const double beyond = std::max(input->load.network, input->load.fabric);
  if (two_hops) input->latency_inside += std::min(input->load.inside, beyond) / input->pieces;
}

void FabricPrices::SetPieces(const Chosen& chosen, ClosedFormInput* input) const {
  const GroupShape& shape = chosen.shape;
  const bool in_steps = input->order == MessageOrder::kSteps;
  const auto parts = std::int64_t{input->channels} * (in_steps ? shape.ranks() : input->pieces);
  const std::int64_t piece = ProtocolBytes(chosen.choice.protocol, chosen.spec.bytes / parts + 1);
  // Channels beyond one for each GPU of a server share its ports, as the two trees of each pair do.
  input->share = std::max(1.0, static_cast<double>(input->channels) / shape.fewest_locals());
  const double bits = 8 * (in_steps ? wire_.BytesBothWays(piece) : wire_.BytesOnWire(piece));
  const PortRates rates = RatesOf(graph_, shape.node(0));
  if (rates.inside > 0) {
    input->piece_inside = bits * input->share / rates.inside;
    input->packet_inside = 8 * wire_.LargestPacket(piece) / rates.inside;
  }
  if (rates.nics > 0) input->piece_between = bits * NicShareOf(shape, *input) / rates.NetworkOf(1);
  if (shape.fewest_locals() * shape.servers() == shape.ranks())
    input->ranks_per_server = shape.fewest_locals();
}

void FabricPrices::SetLatencies(const Chosen& chosen, ClosedFormInput* input) const {
  const GroupShape& shape = chosen.shape;
  if (IsBetweenTwo(chosen.spec)) {
    const double latency = LatencyOf(chosen, *input, chosen.spec.root, chosen.spec.peer);
    input->latency_inside = input->latency_between = latency;
    return;
  }
  if (shape.locals(0) > 1)
    input->latency_inside = LatencyOf(chosen, *input, shape.local(0, 0), shape.local(0, 1));
  constexpr std::uint32_t kMostServers = 17;
  const std::vector<Participant> first = FirstRanks(shape, kMostServers);
  for (std::size_t i = 1; i < first.size(); ++i)
    input->latency_between +=
        LatencyOf(chosen, *input, first[i - 1], first[i]) / static_cast<double>(first.size() - 1);
}

void FabricPrices::SetReplay(const Chosen& chosen, ClosedFormInput* input) const {
  const std::uint32_t ranks = chosen.shape.ranks();
  const PatPlan plan = PatPlanOf(chosen.spec, ranks, options_);
  const bool reduces = chosen.spec.operation == Operation::kReduceScatter;
  const double blocks = (ranks - 1.0) * plan.pieces;
  input->replayed = PatSeconds(PatRounds(ranks, plan.factors, reduces), plan.pieces,
                               input->load.largest() / blocks,
                               std::max(input->latency_inside, input->latency_between));
}

void FabricPrices::SetScheduleReplay(const Chosen& chosen, const Schedule& schedule,
                                     ClosedFormInput* input) const {
  const GroupShape& shape = chosen.shape;
  const PortRates rates = RatesOf(graph_, shape.node(0));
  double path_inside = 0, path_between = 0;  // of the first message of each kind
  double back_inside = 0, back_between = 0;
  input->replayed = ScheduleSeconds(schedule, shape, [&](const GroupFlow& flow) {
    ReplayedMessage message;
    message.inside = StaysInside(shape, flow.source, flow.destination);
    double& path = message.inside ? path_inside : path_between;
    double& back = message.inside ? back_inside : back_between;
    if (path == 0) {
      path = PathOf(chosen, flow.source, flow.destination);
      back = BackOf(chosen, flow.source, flow.destination);
    }
    message.wait = WaitOf(chosen, *input, flow);
    message.latency = message.back = path;
    if (!schedule.IsHeardOnArrival(flow)) message.told = back;
    message.in_turn = options_.lasting() && !IsOfATree(flow);
    const double bits =
        8 * wire_.BytesOnWire(ProtocolBytes(chosen.choice.protocol, flow.wire_bytes()));
    const double rate = message.inside ? rates.inside : rates.network;
    if (rate > 0) message.seconds = bits / rate;
    return message;
  });
}

double FabricPrices::PacedSeconds(const Chosen& chosen, const ClosedFormInput& input) const {
  if (input.order != MessageOrder::kPieces || input.pieces < 2) return 0;
  GroupFlow last = LikeOthers(chosen.spec, chosen.choice, chosen.shape, input, 0, 1);
  last.chunk = input.pieces - 1;
  if (last.connection != Connection::kNvlsRequest) last.connection = Connection::kTreeUp;
  const MessagePlace place = PlaceOf(chosen.spec, chosen.choice, chosen.shape, last, input.channels,
                                     PathKind::kNvLink, /*first=*/false);
  const double begins = delay_.Earliest(chosen.choice, last, place).seconds();
  if (begins <= 0) return 0;
  ClosedFormInput alone = input;
  alone.base = 0;
  alone.pieces = 1;
  for (double* load : {&alone.load.inside, &alone.load.network, &alone.load.fabric})
    *load /= input.pieces;
  return begins + ClosedFormSeconds(alone);
}

ClosedFormInput FabricPrices::InputOf(const Chosen& chosen, const Schedule& schedule) const {
  const AlgorithmRow& row = RowOf(chosen.choice.algorithm);
  ClosedFormInput input;
  const bool replays = row.uses_trees && schedule.flow_count() <= kMostReplayed;
  input.order = replays ? MessageOrder::kByTable : row.order(chosen.spec);
  input.load = LoadOf(graph_, chosen.shape, schedule, chosen.choice.protocol, wire_);
  input.steps = row.steps(chosen.spec, chosen.shape);
  input.pieces = std::max(schedule.piece_count(), 1U);
  input.in_flight = row.pieces_in_flight(options_);
  input.up_and_down = row.up_and_down;
  input.channels = std::max(schedule.channels(), 1U);
  input.base = delay_.Base(chosen.choice, input.channels).seconds();
  std::vector<GroupFlow> first;
  schedule.Begin(0, &first);
  input.heard_on_arrival = !first.empty() && schedule.IsHeardOnArrival(first.front());
  SetPieces(chosen, &input);
  SetLatencies(chosen, &input);
  if (input.order == MessageOrder::kAtOnce && !IsBetweenTwo(chosen.spec))
    SetWaits(chosen, schedule, &input);
  if (input.order == MessageOrder::kInOrder) SetReplay(chosen, &input);
  if (input.order == MessageOrder::kByTable) SetScheduleReplay(chosen, schedule, &input);
  return input;
}

PriceParts FabricPrices::PartsOf(const CollectiveSpec& spec, const GroupShape& shape) const {
  const Chosen chosen{spec, shape, ChooseAlgorithm(spec, shape, graph_.gpu_type(), options_)};
  PriceParts parts;
  parts.kind = KindOf(spec, shape, chosen.choice);
  const std::unique_ptr<Schedule> schedule = MakeSchedule(spec, chosen.choice, shape, options_);
  if (!schedule) return parts;
  const ClosedFormInput input = InputOf(chosen, *schedule);
  parts.bottleneck = BottleneckOf(input.load);
  parts.ports = input.load.largest();
  parts.closed_form = std::max(ClosedFormSeconds(input), PacedSeconds(chosen, input));
  return parts;
}

void FabricPrices::ForEachBundle(
    const CollectiveSpec& spec, const GroupShape& shape,
    const std::function<void(const FlowBundle& bundle, std::int64_t bytes)>& visit) const {
  const AlgorithmChoice choice = ChooseAlgorithm(spec, shape, graph_.gpu_type(), options_);
  const std::unique_ptr<Schedule> schedule = MakeSchedule(spec, choice, shape, options_);
  if (!schedule) return;
  schedule->ForEachBundle([&](const FlowBundle& bundle) {
    const double bytes =
        wire_.BytesOnWire(ProtocolBytes(choice.protocol, std::max<std::int64_t>(bundle.bytes, 1)));
    visit(bundle, static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(bundle.count));
  });
}

CollectivePrice FabricPrices::PriceOf(const CollectiveSpec& spec, const GroupShape& shape,
                                      const PriceParts& parts) const {
  CollectivePrice price{parts.closed_form, parts.kind.algorithm, parts.kind.protocol,
                        parts.bottleneck, 0};
  if (calibration_ != nullptr && parts.ports > 0) {
    const auto factor = calibration_->Factor(parts.kind, static_cast<double>(spec.bytes));
    if (factor) price.seconds *= *factor;
  }
  if (price.seconds > 0)
    price.bus_bandwidth =
        static_cast<double>(spec.bytes) * BusFactor(spec.operation, shape.ranks()) / price.seconds;
  return price;
}

}  // namespace heddle
