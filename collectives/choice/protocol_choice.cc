// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/protocol_choice.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/nccl_latency.h"
#include "collectives/tuner/tuner.h"
#include "collectives/tuner/tuner_bandwidth.h"
#include "collectives/tuner/tuner_latency.h"

namespace heddle {
namespace {

/// Fraction of the bytes on the wire that are data: 8 of 16, 120 of 128.
double Efficiency(Protocol protocol) {
  if (protocol == Protocol::kLl) return 0.5;
  return protocol == Protocol::kLl128 ? 120.0 / 128.0 : 1.0;
}

/// Time of the messages that follow one another [s].
double LatencySeconds(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                      Protocol protocol, Time send_latency) {
  const MessageSteps steps = RowOf(algorithm).steps(spec, shape);
  const auto seconds = [&](PathKind path) {
    return MessageLatency(path, algorithm, protocol, send_latency).seconds();
  };
  return BaseLatency(algorithm, protocol).seconds() + steps.inside * seconds(PathKind::kNvLink) +
         steps.between * seconds(PathKind::kNet);
}

double PredictedSeconds(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        Protocol protocol, Time send_latency, const NominalRates& rates,
                        double share = 1) {
  double rate = static_cast<double>(rates.nvlink.bps);
  if (shape.servers() > 1)
    rate = std::min(rate, static_cast<double>(rates.network.bps) * shape.fewest_locals());
  const double bits =
      8 * BusFactor(spec.operation, shape.ranks()) * static_cast<double>(spec.bytes);
  return LatencySeconds(spec, algorithm, shape, protocol, send_latency) +
         bits / (rate * Efficiency(protocol) * share);
}

/// Predicts an AllReduce by ring or tree, at the rates of NCCL's tuner.
double TunedSeconds(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                    const TunerGroup& group, Protocol protocol, Time send_latency) {
  const TunerAlgorithm tuned =
      algorithm == Algorithm::kTree ? TunerAlgorithm::kTree : TunerAlgorithm::kRing;
  return TunerLatencyFactor(spec.operation, tuned, protocol, spec.bytes, group) *
             LatencySeconds(spec, algorithm, shape, protocol, send_latency) +
         static_cast<double>(spec.bytes) /
             (1e9 * TunerBandwidth(spec.operation, tuned, protocol, spec.bytes, group));
}

/// The part of its bandwidth that a tree gets without NCCL's latencies, beside that of a ring whose
/// ranks each send 2(n-1)/n of the bytes: trees send 2, at 92 % of the rate, and with LL a 3.8th of
/// it instead of half.
double ShareOfBandwidth(Algorithm algorithm, Protocol protocol, std::uint32_t ranks) {
  if (algorithm != Algorithm::kTree) return 1;
  const double share = 0.92 * (ranks - 1) / ranks;
  return protocol == Protocol::kLl ? share * 2 / 3.8 : share;
}

/// Whether the table has this protocol for all kinds of links that the collective uses. Simple
/// always qualifies.
bool IsCandidate(Algorithm algorithm, Protocol protocol, bool leaves_server) {
  if (protocol == Protocol::kSimple) return true;
  const auto known = [&](PathKind path) {
    return HardwareLatency(path, algorithm, protocol).ps > 0;
  };
  return known(PathKind::kNvLink) && (!leaves_server || known(PathKind::kNet));
}

/// The protocols among which the options let the tuner choose: none alone, or some of NCCL's.
std::vector<Protocol> Candidates(Algorithm algorithm, const GroupShape& shape,
                                 const CollectiveOptions& options) {
  if (options.plain()) return {Protocol::kNone};
  std::vector<Protocol> candidates;
  for (const Protocol protocol : {Protocol::kSimple, Protocol::kLl128, Protocol::kLl}) {
    if (AllowsProtocol(options, protocol) && IsCandidate(algorithm, protocol, shape.servers() > 1))
      candidates.push_back(protocol);
  }
  return candidates.empty() ? std::vector<Protocol>{Protocol::kSimple} : candidates;
}

/// The protocols that NCCL leaves for AllToAll, send and receive over servers: LL for messages of
/// up to NCCL_P2P_LL_THRESHOLD bytes a channel, nothing else for these (NCCL, src/enqueue.cc).
void KeepDirectOnes(const CollectiveSpec& spec, const GroupShape& shape,
                    const CollectiveOptions& options, std::vector<Protocol>* candidates) {
  constexpr std::int64_t kLlThreshold = 16384;
  const std::int64_t message =
      spec.operation == Operation::kAllToAll ? spec.bytes / shape.ranks() : spec.bytes;
  const bool ll = message <= kLlThreshold * options.p2p_channels;
  const auto is_other = [&](Protocol protocol) { return (protocol == Protocol::kLl) != ll; };
  if (std::all_of(candidates->begin(), candidates->end(), is_other)) return;
  candidates->erase(std::remove_if(candidates->begin(), candidates->end(), is_other),
                    candidates->end());
}

}  // namespace

bool AllowsProtocol(const CollectiveOptions& options, Protocol protocol) {
  using Protocols = CollectiveOptions::Protocols;
  const bool ll = protocol == Protocol::kLl, ll128 = protocol == Protocol::kLl128;
  switch (options.protocol) {
    case Protocols::kAuto:
    case Protocols::kNone:
      return true;
    case Protocols::kLl:
      return ll;
    case Protocols::kLl128:
      return ll128;
    case Protocols::kSimple:
      return !ll && !ll128;
    case Protocols::kLlOrLl128:
      return ll || ll128;
    case Protocols::kLlOrSimple:
      return !ll128;
    case Protocols::kLl128OrSimple:
      return !ll;
  }
  return false;
}

Protocol ChooseProtocol(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        const CollectiveOptions& options, const NominalRates& rates) {
  std::vector<Protocol> candidates = Candidates(algorithm, shape, options);
  if (algorithm == Algorithm::kDirect && options.by_hardware() && shape.servers() > 1)
    KeepDirectOnes(spec, shape, options, &candidates);
  Protocol best = candidates.front();
  double fewest = std::numeric_limits<double>::infinity();
  for (const Protocol protocol : candidates) {
    const double seconds =
        PredictedSeconds(spec, algorithm, shape, protocol, options.send_latency, rates);
    if (seconds < fewest) best = protocol, fewest = seconds;
  }
  return best;
}

AllReducePrediction PredictedAllReduce(const CollectiveSpec& spec, Algorithm algorithm,
                                       const GroupShape& shape, const std::string& gpu_type,
                                       const CollectiveOptions& options) {
  const TunerGroup group = TunerGroupOf(shape, gpu_type, options.nic_rate());
  AllReducePrediction best;
  best.seconds = std::numeric_limits<double>::infinity();
  for (const Protocol protocol : Candidates(algorithm, shape, options)) {
    const bool tuned = !options.by_send_latency() && protocol != Protocol::kNone;
    const double seconds =
        tuned ? TunedSeconds(spec, algorithm, shape, group, protocol, options.send_latency)
              : PredictedSeconds(spec, algorithm, shape, protocol, options.send_latency, {},
                                 ShareOfBandwidth(algorithm, protocol, shape.ranks()));
    if (seconds < best.seconds) best = {protocol, seconds};
  }
  return best;
}

bool PatIsFaster(const CollectiveSpec& spec, const GroupShape& shape, const std::string& gpu_type,
                 const CollectiveOptions& options) {
  const TunerQuestion question = {spec.operation, spec.bytes,
                                  TunerGroupOf(shape, gpu_type, options.nic_rate())};
  const auto seconds = [&](Algorithm algorithm, Protocol protocol) {
    const bool pat = algorithm == Algorithm::kPat;
    if (!options.by_send_latency() && protocol != Protocol::kNone)
      return 1e-6 *
             Predict(question, pat ? TunerAlgorithm::kPat : TunerAlgorithm::kRing, protocol).time;
    return PredictedSeconds(spec, algorithm, shape, protocol, options.send_latency, {});
  };
  double ring = std::numeric_limits<double>::infinity(), pat = ring;
  for (const Protocol protocol : Candidates(Algorithm::kRing, shape, options)) {
    ring = std::min(ring, seconds(Algorithm::kRing, protocol));
    if (protocol == Protocol::kSimple || protocol == Protocol::kNone)
      pat = seconds(Algorithm::kPat, protocol);
  }
  return pat < ring;
}

}  // namespace heddle
