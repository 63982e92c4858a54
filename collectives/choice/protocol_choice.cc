// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/protocol_choice.h"

#include <algorithm>
#include <limits>
#include <string>

#include "collectives/choice/nccl_latency.h"

namespace heddle {
namespace {

/// Messages that follow one another, by where they go.
struct Steps {
  double inside = 0;   ///< a server
  double between = 0;  ///< servers
};

double LogTwo(std::uint32_t n) {
  int log = 0;
  while ((1U << log) < n) ++log;
  return log;
}

Steps StepsOf(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape) {
  const double ranks = shape.ranks(), servers = shape.servers();
  if (algorithm == Algorithm::kDirect) return servers > 1 ? Steps{0, 1} : Steps{1, 0};
  if (algorithm == Algorithm::kTree)
    return {2 * (ranks / servers - 1), 2 * LogTwo(shape.servers())};
  const double rounds = spec.operation == Operation::kAllReduce ? 2 : 1;
  const double all = rounds * (ranks - 1),
               between = servers > 1 ? std::min(all, rounds * servers) : 0;
  return {all - between, between};
}

/// Part of the wire's bytes that are data: 8 of 16, 120 of 128.
double Efficiency(Protocol protocol) {
  if (protocol == Protocol::kLl) return 0.5;
  return protocol == Protocol::kLl128 ? 120.0 / 128.0 : 1.0;
}

/// What one message costs there [s]; where the table has none the send latency stands in, as in
/// IssueDelay.
double MessageLatency(PathKind path, Algorithm algorithm, Protocol protocol, Time send_latency) {
  const Time latency = HardwareLatency(path, algorithm, protocol);
  return (latency.ps > 0 ? latency : send_latency).seconds();
}

double PredictedSeconds(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        Protocol protocol, Time send_latency, const NominalRates& rates) {
  const Steps steps = StepsOf(spec, algorithm, shape);
  double rate = static_cast<double>(rates.nvlink.bps);
  if (shape.servers() > 1)
    rate = std::min(rate, static_cast<double>(rates.network.bps) * shape.fewest_locals());
  const double bits =
      8 * BusFactor(spec.operation, shape.ranks()) * static_cast<double>(spec.bytes);
  return BaseLatency(algorithm, protocol).seconds() +
         steps.inside * MessageLatency(PathKind::kNvLink, algorithm, protocol, send_latency) +
         steps.between * MessageLatency(PathKind::kNet, algorithm, protocol, send_latency) +
         bits / (rate * Efficiency(protocol));
}

/// Whether the table knows this protocol everywhere the collective goes. Simple always works.
bool IsCandidate(Algorithm algorithm, Protocol protocol, bool leaves_server) {
  if (protocol == Protocol::kSimple) return true;
  const auto known = [&](PathKind path) {
    return HardwareLatency(path, algorithm, protocol).ps > 0;
  };
  return known(PathKind::kNvLink) && (!leaves_server || known(PathKind::kNet));
}

/// Whether the options leave this protocol to choose: "auto", or a list such as "ll+simple".
bool IsAllowed(const std::string& names, Protocol protocol) {
  const char* const name = protocol == Protocol::kLl      ? "ll"
                           : protocol == Protocol::kLl128 ? "ll128"
                                                          : "simple";
  return names == "auto" ||
         ("+" + names + "+").find(std::string("+") + name + "+") != std::string::npos;
}

}  // namespace

Protocol ChooseProtocol(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        const CollectiveOptions& options, const NominalRates& rates) {
  if (options.protocol == "none" || (options.protocol == "auto" && options.latency == "send_lat"))
    return Protocol::kNone;
  if (algorithm == Algorithm::kNvls || algorithm == Algorithm::kNvlsTree) return Protocol::kSimple;
  Protocol best = Protocol::kSimple;
  double fewest = std::numeric_limits<double>::infinity();
  for (const Protocol protocol : {Protocol::kSimple, Protocol::kLl128, Protocol::kLl}) {
    if (!IsAllowed(options.protocol, protocol) ||
        !IsCandidate(algorithm, protocol, shape.servers() > 1))
      continue;
    const double seconds =
        PredictedSeconds(spec, algorithm, shape, protocol, options.send_latency, rates);
    if (seconds < fewest) best = protocol, fewest = seconds;
  }
  return best;
}

}  // namespace heddle
