// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/collective_price.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "collectives/closed_form/message_latency.h"
#include "collectives/closed_form/size_calibration.h"
#include "collectives/schedule/collective_spec.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNvlsGpus = 8;  ///< of a server, as SimAI has it

BusBandwidth Slower(double nvlink, double network) {
  if (nvlink < network) return {nvlink, Bottleneck::kNvlink};
  return {network, Bottleneck::kNic};
}

/// NVLinks of which a ring or tree uses those inside a server for g - 1 of g steps; none for one
/// GPU.
double NvlinkShare(const GroupSpread& spread, const GpuRates& rates) {
  const double locals = spread.fewest;
  if (spread.fewest == 1) return std::numeric_limits<double>::infinity();
  return rates.nvlink * locals / (locals - 1);
}

double ServerNetwork(const GroupSpread& spread, const GpuRates& rates) {
  return rates.network * spread.fewest;
}

BusBandwidth Ring(const GroupSpread& spread, const GpuRates& rates) {
  if (spread.servers == 1) return {rates.nvlink, Bottleneck::kNvlink};
  return Slower(NvlinkShare(spread, rates), ServerNetwork(spread, rates));
}

/// Network of a tree between servers, of which few let more of it be used at once.
double TreeNetwork(const GroupSpread& spread, const GpuRates& rates) {
  const double network = ServerNetwork(spread, rates);
  if (spread.servers == 2) return network * 2;
  if (spread.servers == 3) return network * 4 / 3;
  return network;
}

double OthersOf(double ranks) { return (ranks - 1) / ranks; }

BusBandwidth Tree(const GroupSpread& spread, const GpuRates& rates) {
  if (spread.servers == 1) return {rates.nvlink * OthersOf(spread.ranks), Bottleneck::kNvlink};
  BusBandwidth found = Slower(NvlinkShare(spread, rates), TreeNetwork(spread, rates));
  found.rate *= OthersOf(spread.ranks);
  return found;
}

BusBandwidth Nvls(const GroupSpread& spread, const GpuRates& rates) {
  if (rates.nvls <= 0 || spread.fewest != kNvlsGpus || spread.most != kNvlsGpus) return {};
  const double inside = rates.nvls / OthersOf(kNvlsGpus);
  BusBandwidth found{inside, Bottleneck::kNvlink};
  if (spread.servers > 1) found = Slower(inside, TreeNetwork(spread, rates));
  found.rate *= OthersOf(spread.ranks);
  return found;
}

BusBandwidth Direct(const GroupSpread& spread, const GpuRates& rates) {
  const double others = spread.ranks - 1.0;
  if (spread.servers == 1) return {rates.nvlink, Bottleneck::kNvlink};
  const double inside = spread.most == 1 ? std::numeric_limits<double>::infinity()
                                         : rates.nvlink * others / (spread.most - 1.0);
  return Slower(inside, rates.network * others / (spread.ranks - spread.fewest));
}

BusBandwidth Pat(const GroupSpread& spread, const GpuRates& rates) {
  if (spread.servers == 1) return {rates.nvlink, Bottleneck::kNvlink};
  return {rates.network, Bottleneck::kNic};
}

/// A slice of the buffer crosses each NIC once, and the others of a server's slices each GPU's
/// NVLinks twice, each way.
BusBandwidth CollNet(const GroupSpread& spread, const GpuRates& rates) {
  if (spread.servers == 1 || spread.fewest != spread.most) return {};
  BusBandwidth found = Slower(NvlinkShare(spread, rates) / 2, ServerNetwork(spread, rates));
  found.rate *= 2 * OthersOf(spread.ranks);
  return found;
}

/// B + B / g on each GPU's NVLinks, each way, for B of the buffer, and a slice at each NIC.
BusBandwidth NvlsCollNet(const GroupSpread& spread, const GpuRates& rates) {
  if (spread.servers == 1 || spread.fewest != spread.most || spread.fewest < 2) return {};
  const double locals = spread.fewest;
  BusBandwidth found = Slower(rates.nvlink * locals / (locals + 1), ServerNetwork(spread, rates));
  found.rate *= 2 * OthersOf(spread.ranks);
  return found;
}

double DataShare(Protocol protocol) {
  if (protocol == Protocol::kLl) return 0.5;
  return protocol == Protocol::kLl128 ? 120.0 / 128.0 : 1.0;
}

/// Named ones, and NVLS between servers as trees of it.
std::vector<Algorithm> Candidates(Operation operation, const GroupSpread& spread,
                                  const PriceRules& rules) {
  if (operation == Operation::kAllToAll || operation == Operation::kSendRecv)
    return {Algorithm::kDirect};
  if (operation != Operation::kAllReduce) return {Algorithm::kRing};
  const Algorithm nvls = spread.servers > 1 ? Algorithm::kNvlsTree : Algorithm::kNvls;
  if (rules.given) return {Algorithm::kRing};
  if (!rules.algorithm) return {Algorithm::kRing, Algorithm::kTree, nvls};
  return {*rules.algorithm == Algorithm::kNvls ? nvls : *rules.algorithm};
}

SimaiRatioTable TableOf(Algorithm algorithm, Bottleneck bottleneck) {
  if (algorithm == Algorithm::kDirect) return SimaiRatioTable::kAllToAll;
  return bottleneck == Bottleneck::kNvlink ? SimaiRatioTable::kNvlink : SimaiRatioTable::kNic;
}

/// One collective and one algorithm for it.
struct Offer {
  Operation operation;
  double bytes;
  const GroupSpread& spread;
  Algorithm algorithm;
  BusBandwidth bus;
};

void Improve(const Offer& offer, Protocol protocol, double seconds, CollectivePrice* best) {
  if (seconds >= best->seconds) return;
  *best = {seconds, offer.algorithm, protocol, offer.bus.bottleneck, 0};
}

void TryCalibrated(const Offer& offer, double factor, CollectivePrice* best) {
  const double part = CalibratedPart(TableOf(offer.algorithm, offer.bus.bottleneck), offer.bytes,
                                     offer.spread.servers);
  Improve(offer, Protocol::kNone,
          std::max(CalibratedLeastTime(offer.spread.ranks),
                   offer.bytes * factor / (offer.bus.rate * part)),
          best);
}

/// The closed form of an offer with a protocol [s].
double ClosedFormOf(const Offer& offer, Protocol protocol) {
  const double latency = HasLatency(offer.algorithm, protocol)
                             ? LatencyOf(offer.operation, offer.algorithm, protocol, offer.spread)
                             : 0;
  return latency + offer.bytes * BusFactor(offer.operation, offer.spread.ranks) /
                       (offer.bus.rate * DataShare(protocol));
}

/// Kinds that the calibration has, by closed forms of a bus at its sizes and at this one.
void TryMeasured(const Offer& offer, const PriceRules& rules, CollectivePrice* best) {
  const auto of_row = [&](const CalibrationRow& row) {
    GroupSpread spread = offer.spread;
    spread.ranks = row.kind.ranks;
    spread.servers = row.kind.servers;
    spread.fewest = std::max(row.kind.ranks / row.kind.servers, 1U);
    spread.most = (row.kind.ranks + row.kind.servers - 1) / row.kind.servers;
    const BusBandwidth bus = BusBandwidthOf(row.kind.algorithm, spread, rules.rates);
    if (bus.rate <= 0 && !rules.given) return row.closed_form;
    return ClosedFormOf({row.kind.operation, static_cast<double>(row.bytes), spread,
                         row.kind.algorithm, rules.given ? offer.bus : bus},
                        row.kind.protocol);
  };
  for (const Protocol protocol :
       {Protocol::kSimple, Protocol::kLl128, Protocol::kLl, Protocol::kNone}) {
    const CalibratedKind kind{offer.operation, offer.algorithm, protocol, offer.spread.ranks,
                              offer.spread.servers};
    if (!rules.measured->Has(kind)) continue;
    const auto factor = rules.measured->Factor(kind, offer.bytes, of_row);
    Improve(offer, protocol, ClosedFormOf(offer, protocol) * factor.value(), best);
  }
}

void TryProtocols(const Offer& offer, CollectivePrice* best) {
  for (const Protocol protocol : {Protocol::kSimple, Protocol::kLl128, Protocol::kLl}) {
    if (HasLatency(offer.algorithm, protocol))
      Improve(offer, protocol, ClosedFormOf(offer, protocol), best);
  }
}

}  // namespace

const char* ToText(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::kNvlink:
      return "NVLink";
    case Bottleneck::kNic:
      return "NIC";
    case Bottleneck::kFabric:
      return "fabric";
    case Bottleneck::kGiven:
      return "given";
    case Bottleneck::kNone:
      break;
  }
  return "-";
}

BusBandwidth BusBandwidthOf(Algorithm algorithm, const GroupSpread& spread, const GpuRates& rates) {
  switch (algorithm) {
    case Algorithm::kTree:
      return Tree(spread, rates);
    case Algorithm::kNvls:
    case Algorithm::kNvlsMultimem:
      return spread.servers == 1 ? Nvls(spread, rates) : BusBandwidth{};
    case Algorithm::kNvlsCollNet:
      return NvlsCollNet(spread, rates);
    case Algorithm::kNvlsTree:
    case Algorithm::kNvlsTreeMultimem:
      return spread.servers > 1 ? Nvls(spread, rates) : BusBandwidth{};
    case Algorithm::kDirect:
      return Direct(spread, rates);
    case Algorithm::kPat:
      return Pat(spread, rates);
    case Algorithm::kCollNetDirect:
    case Algorithm::kCollNetChain:
      return CollNet(spread, rates);
    case Algorithm::kRing:
    case Algorithm::kCustom:
    case Algorithm::kPhases:
      break;
  }
  return Ring(spread, rates);
}

CollectivePrice PriceOf(Operation operation, std::int64_t bytes, const GroupSpread& spread,
                        const PriceRules& rules) {
  if (operation == Operation::kNone || bytes <= 0 || spread.ranks < 2) return {};
  const double factor = BusFactor(operation, spread.ranks);
  CollectivePrice best;
  best.seconds = std::numeric_limits<double>::infinity();
  const auto try_all = [&](const auto& attempt) {
    for (const Algorithm algorithm : Candidates(operation, spread, rules)) {
      Offer offer{operation, static_cast<double>(bytes), spread, algorithm,
                  BusBandwidthOf(algorithm, spread, rules.rates)};
      if (rules.given) offer.bus = {*rules.given, Bottleneck::kGiven};
      if (offer.bus.rate > 0) attempt(offer);
    }
  };
  if (rules.measured != nullptr)
    try_all([&](const Offer& offer) { TryMeasured(offer, rules, &best); });
  if (best.seconds == std::numeric_limits<double>::infinity())
    try_all([&](const Offer& offer) {
      rules.calibrated ? TryCalibrated(offer, factor, &best) : TryProtocols(offer, &best);
    });
  best.bus_bandwidth = static_cast<double>(bytes) * factor / best.seconds;
  return best;
}

}  // namespace heddle
