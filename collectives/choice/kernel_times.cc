// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/kernel_times.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e6;  // bytes of a GB, us of a second

Time MicroTime(double us) {
  constexpr double kPicoOfMicro = 1e6;
  return PicoSeconds(static_cast<std::int64_t>(std::llround(us * kPicoOfMicro)));
}

/// Its place among the protocols' figures; plain messages are as those of Simple.
std::size_t ColumnOf(Protocol protocol) {
  return static_cast<std::size_t>(protocol == Protocol::kNone ? Protocol::kSimple : protocol);
}

Figure OfProtocol(Figure of_ll, Protocol protocol) {
  return static_cast<Figure>(static_cast<std::size_t>(of_ll) + ColumnOf(protocol));
}

bool IsNvls(Algorithm algorithm) {
  const Algorithm tabled = TabledAs(algorithm);
  return tabled == Algorithm::kNvls || tabled == Algorithm::kNvlsTree;
}

bool IsCollNet(Algorithm algorithm) {
  return algorithm == Algorithm::kCollNetDirect || algorithm == Algorithm::kCollNetChain;
}

/// Time of `messages` at once with so many bytes of data and on the wire, beyond what links need
/// [us]; rates in byte/s.
double Beyond(double messages, double data, double wire, double rate, double links) {
  if (links <= 0) return 0;
  return std::max(0.0, kMicro * messages * (data / rate - wire / links));
}

/// How many messages its source sends before one by the same links: in its server from its own
/// place on; to other servers server by server, and by place.
std::uint32_t PeersBefore(const GroupShape& shape, const GroupFlow& flow) {
  const std::uint32_t servers = shape.servers(), locals = shape.fewest_locals();
  if (!shape.is_rank(flow.destination)) return 0;
  const std::uint32_t apart =
      (shape.server_of(flow.destination) + servers - shape.server_of(flow.source)) % servers;
  const std::uint32_t to = shape.local_of(flow.destination);
  if (apart > 0) return (apart - 1) * locals + to;
  return (to + locals - shape.local_of(flow.source)) % locals - 1;
}

}  // namespace

MessagePlace PlaceOf(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                     const GroupShape& shape, const GroupFlow& flow, std::uint32_t channels,
                     PathKind path, bool first) {
  MessagePlace place{path, first, channels, 1, 1, spec.bytes, 0};
  const std::uint32_t locals = shape.fewest_locals();
  if (choice.algorithm != Algorithm::kDirect) {
    place.inside = channels;
    // NCCL's trees with LL128 get less of a channel over more than two servers.
    constexpr double kOfMoreServers = 29 / 36.7;
    const bool slower = choice.algorithm == Algorithm::kTree &&
                        choice.protocol == Protocol::kLl128 && shape.servers() > 2;
    if (slower) place.inside /= kOfMoreServers;
    place.between = std::max(1.0, static_cast<double>(channels) / locals);
  } else if (spec.operation == Operation::kAllToAll) {
    const bool relayed = flow.connection == Connection::kPxnNet;
    place.inside = std::max(1U, locals - 1);
    place.between = std::max(1U, relayed ? shape.servers() - 1 : shape.ranks() - locals);
    if (flow.connection == Connection::kDirect) place.peer = PeersBefore(shape, flow);
    // It carries what a whole server sends to a GPU.
    if (relayed) place.peer = PeersBefore(shape, flow) / locals * locals + locals - 1;
  }
  return place;
}

Time KernelTimes::Base(const AlgorithmChoice& choice, std::uint32_t heads) const {
  if (IsCollNet(choice.algorithm)) return BaseLatency(choice.algorithm, choice.protocol);
  if (choice.algorithm == Algorithm::kDirect) return MicroTime(figures_[Figure::kBaseDirect]);
  if (IsNvls(choice.algorithm))
    return MicroTime(figures_[Figure::kBaseNvls] + heads * figures_[Figure::kNvlsHead]);
  return MicroTime(figures_[OfProtocol(Figure::kBaseLl, choice.protocol)]);
}

double KernelTimes::Latency(const AlgorithmChoice& choice, PathKind path) const {
  if (IsCollNet(choice.algorithm)) {
    const Time latency = HardwareLatency(path, choice.algorithm, Protocol::kSimple);
    return latency.seconds() * kMicro;
  }
  if (path != PathKind::kNet) return figures_[OfProtocol(Figure::kNvlinkLl, choice.protocol)];
  const bool tree = choice.algorithm == Algorithm::kTree || IsNvls(choice.algorithm);
  return figures_[OfProtocol(tree ? Figure::kTreeNetLl : Figure::kNetLl, choice.protocol)];
}

double KernelTimes::Growth(const AlgorithmChoice& choice, const MessagePlace& place) const {
  if (choice.protocol != Protocol::kLl) return 0;
  constexpr double kFirstInside = 16, kLastInside = 65536, kFirstBetween = 512;  // bytes
  const auto buffer = static_cast<double>(place.buffer);
  if (place.path != PathKind::kNet)
    return figures_[Figure::kNvlinkDoublingLl] *
           std::log2(1 + std::min(buffer, kLastInside) / kFirstInside);
  if (choice.algorithm != Algorithm::kTree) return 0;
  return figures_[Figure::kTreeDoublingLl] * std::log2(1 + buffer / kFirstBetween);
}

double KernelTimes::Rest(const AlgorithmChoice& choice, const GroupFlow& flow,
                         const MessagePlace& place) const {
  const auto data = static_cast<double>(flow.bytes);
  const auto wire = static_cast<double>(ProtocolBytes(choice.protocol, flow.bytes));
  if (place.path == PathKind::kNet) {
    double rate = figures_.nics * figures_[Figure::kShare];
    const bool relayed =
        choice.algorithm == Algorithm::kDirect && flow.connection == Connection::kPxnNet;
    if (relayed) rate = std::min(rate, RelayedRate());
    return Beyond(InTurn(choice, flow, place) ? 1 : place.between, wire, wire, rate, figures_.nics);
  }
  if (choice.algorithm == Algorithm::kTree) return 0;  // the first ranks send no faster
  const bool direct = choice.algorithm == Algorithm::kDirect && choice.protocol != Protocol::kLl;
  const Figure rate = direct ? Figure::kRateDirect : OfProtocol(Figure::kRateLl, choice.protocol);
  const double together = InTurn(choice, flow, place) ? 1 : place.inside;
  return Beyond(together, data, wire, figures_[rate] * kGiga, figures_.nvlinks);
}

bool KernelTimes::InTurn(const AlgorithmChoice& choice, const GroupFlow& flow,
                         const MessagePlace& place) const {
  constexpr std::int64_t kChunkInside = std::int64_t{512} * 1024;  // NCCL_P2P_NVL_CHUNKSIZE
  const bool direct =
      choice.algorithm == Algorithm::kDirect && flow.connection == Connection::kDirect;
  return direct && choice.protocol != Protocol::kLl &&
         flow.bytes > (place.path == PathKind::kNet ? chunks_.p2p_chunk : kChunkInside / 2);
}

double KernelTimes::OfTurns(const AlgorithmChoice& choice, const GroupFlow& flow,
                            const MessagePlace& place) const {
  if (!InTurn(choice, flow, place)) return 0;
  const bool between = place.path == PathKind::kNet;
  const double rate = between ? std::min(figures_.nics * figures_[Figure::kShare], figures_.nics)
                              : std::min(figures_[Figure::kRateDirect] * kGiga, figures_.nvlinks);
  if (rate <= 0) return 0;
  return kMicro * place.peer * static_cast<double>(flow.bytes) / rate;
}

double KernelTimes::RelayedRate() const {
  const double posted = static_cast<double>(chunks_.p2p_chunk * chunks_.p2p_channels);
  constexpr auto kUsual = static_cast<double>(ChunkOptions::kP2pChunk * ChunkOptions::kP2pChannels);
  return figures_[Figure::kRelayedRate] * kGiga * posted / kUsual;
}

double KernelTimes::OfPiece(const AlgorithmChoice& choice, std::int64_t bytes) const {
  const bool tree = choice.algorithm != Algorithm::kNvlsMultimem;
  const double rate = figures_[tree ? Figure::kNvlsTreeRate : Figure::kNvlsChannelRate] * kGiga;
  return figures_[Figure::kNvlsPiece] + kMicro * static_cast<double>(bytes) / rate;
}

double KernelTimes::BetweenPieces(const AlgorithmChoice& choice, std::int64_t bytes,
                                  const MessagePlace& place) const {
  const double channels = place.channels * static_cast<double>(chunks_.multimem_channels);
  const double shared =
      kMicro * static_cast<double>(bytes) * channels / (kGiga * figures_[Figure::kNvlsRate]);
  return std::max(OfPiece(choice, bytes), shared);
}

Time KernelTimes::Of(const AlgorithmChoice& choice, const GroupFlow& flow,
                     const MessagePlace& place) const {
  const Time base = place.first ? Base(choice, place.channels) : Time{};
  if (flow.connection == Connection::kNvlsRequest)
    return base + MicroTime(BetweenPieces(choice, flow.asked, place));
  if (flow.connection == Connection::kNvlsStore)
    return base + MicroTime(BetweenPieces(choice, flow.bytes, place));
  return base + MicroTime(Latency(choice, place.path) + Growth(choice, place) +
                          Rest(choice, flow, place) + OfProxy(choice, flow, place));
}

double KernelTimes::OfProxy(const AlgorithmChoice& choice, const GroupFlow& flow,
                            const MessagePlace& place) const {
  constexpr double kKib = 1024;
  const bool ll = choice.protocol == Protocol::kLl;
  // Each message up and down a tree of servers takes a piece's time at a head.
  if (IsNvls(choice.algorithm)) return BetweenPieces(choice, flow.bytes, place);
  if (place.path != PathKind::kNet)
    return ll ? 0.0 : place.peer * figures_[Figure::kPeerInside] + OfTurns(choice, flow, place);
  if (!ll) return place.peer * figures_[Figure::kPeerSimple] + OfTurns(choice, flow, place);
  const bool polls = choice.algorithm != Algorithm::kDirect;
  const double lines = polls ? static_cast<double>(flow.bytes) / kKib * figures_[Figure::kLine] : 0;
  return place.peer * figures_[Figure::kPeerLl] + lines;
}

Time KernelTimes::PieceStart(const AlgorithmChoice& choice, const GroupFlow& flow,
                             const MessagePlace& place) const {
  if (choice.algorithm == Algorithm::kTree) {
    const Figure rate = OfProtocol(Figure::kTreeRateLl, choice.protocol);
    const double piece = static_cast<double>(flow.bytes) * place.inside;
    return Base(choice, place.channels) +
           MicroTime(kMicro * flow.chunk * piece / (kGiga * figures_[rate]));
  }
  const std::int64_t turn = flow.chunk / chunks_.multimem_channels;
  return Base(choice, place.channels) +
         MicroTime(static_cast<double>(turn) * BetweenPieces(choice, flow.asked, place));
}

Time KernelTimes::least() const {
  double least = figures_[Figure::kNvlsPiece];
  for (std::size_t protocol = 0; protocol < NcclLatencies::kProtocols; ++protocol) {
    for (const Figure first : {Figure::kNvlinkLl, Figure::kNetLl, Figure::kTreeNetLl})
      least = std::min(least, figures_[OfProtocol(first, static_cast<Protocol>(protocol))]);
  }
  return std::min(MicroTime(least), LeastHardwareLatency());
}

}  // namespace heddle
