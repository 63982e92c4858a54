// SPDX-License-Identifier: GPL-2.0-only
#include "topology/leaf_spine/leaf_spine_ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

const double kTolerance = std::log(1.1);

/// Leaves and uplinks that may have the ratio.
struct Candidate {
  std::uint32_t nics_per_leaf = 1;
  BitRate uplink;
  std::uint32_t uplinks = 1;  ///< of a leaf
  double full_ratio = 0;      ///< of a leaf whose NIC ports are all in use
  double ratio = 0;           ///< of all leaves

  double Miss(double wanted) const {
    return std::max(std::abs(std::log(full_ratio / wanted)), std::abs(std::log(ratio / wanted)));
  }
};

bool IsGiven(const FlagSet& flags, const char* name) {
  const FlagSet::Flag* flag = flags.Find(name);
  return flag != nullptr && flag->is_given;
}

std::uint32_t NicsOfServer(const LeafSpineTemplate& t, const LeafSpineOptions& o) {
  return o.gpus_per_server * t.leaves_of_gpu / t.leaves_per_segment(o);
}

/// The numbers of NICs per leaf that are tried, the best first. Segments are made even: with S of
/// them every leaf has ceil(servers / S) servers.
std::vector<std::uint32_t> LeafSizes(const LeafSpineTemplate& t, const LeafSpineOptions& o,
                                     bool is_given) {
  if (is_given) return {o.nics_per_leaf};
  const std::uint32_t servers = o.gpus / o.gpus_per_server;
  const std::uint32_t nics_of_server = NicsOfServer(t, o);
  const std::uint32_t most = std::max(1U, o.nics_per_leaf / nics_of_server);
  const std::uint32_t fewest_segments = DivideUp(servers, most);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t segments = fewest_segments; segments <= std::min(2 * fewest_segments, servers);
       ++segments) {
    const std::uint32_t size = DivideUp(servers, segments) * nics_of_server;
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  return sizes;
}

/// The template's rate first, if the NIC does not exceed it.
std::vector<BitRate> UplinkRates(const LeafSpineOptions& o, bool is_given) {
  const BitRate nic = ParseBitRate(o.bandwidth), uplink = ParseBitRate(o.leaf_spine_bandwidth);
  if (is_given || uplink == nic) return {uplink};
  return uplink < nic ? std::vector<BitRate>{nic} : std::vector<BitRate>{uplink, nic};
}

/// The better of the two whole numbers of uplinks next to the exact one.
Candidate WithUplinks(const LeafSpineTemplate& t, LeafSpineOptions o, std::uint32_t nics_per_leaf,
                      BitRate uplink, double wanted) {
  o.nics_per_leaf = nics_per_leaf;
  const double rates =
      static_cast<double>(ParseBitRate(o.bandwidth).bps) / static_cast<double>(uplink.bps);
  const double all_nics = static_cast<double>(o.gpus) * t.leaves_of_gpu;
  const double leaves = static_cast<double>(t.segments(o)) * t.leaves_per_segment(o);
  const std::int64_t servers = o.gpus / o.gpus_per_server;
  const double full =
      std::min<double>(nics_per_leaf, static_cast<double>(servers) * NicsOfServer(t, o));
  const double exact = std::clamp(full * rates / wanted, 1.0, static_cast<double>(kMaxNodes));
  Candidate best;
  for (const double uplinks : {std::floor(exact), std::ceil(exact)}) {
    const Candidate one{nics_per_leaf, uplink, static_cast<std::uint32_t>(uplinks),
                        full * rates / uplinks, all_nics * rates / (leaves * uplinks)};
    if (best.ratio <= 0 || one.Miss(wanted) < best.Miss(wanted)) best = one;
  }
  return best;
}

Candidate FindBest(const LeafSpineTemplate& t, const LeafSpineOptions& o, const FlagSet& flags,
                   double wanted) {
  constexpr double kBetter = 1e-9;  // more than rounding
  Candidate best;
  for (const BitRate uplink : UplinkRates(o, IsGiven(flags, "apbw"))) {
    for (const std::uint32_t nics_per_leaf : LeafSizes(t, o, IsGiven(flags, "npa"))) {
      const Candidate one = WithUplinks(t, o, nics_per_leaf, uplink, wanted);
      if (best.ratio <= 0 || one.Miss(wanted) < best.Miss(wanted) - kBetter) best = one;
    }
  }
  return best;
}

}  // namespace

LeafSpineOptions DeriveFromRatio(const LeafSpineTemplate& t, const LeafSpineOptions& given,
                                 const FlagSet& flags) {
  const std::optional<double> wanted = ReadRatio(given.oversubscription);
  if (!wanted) return given;
  if (IsGiven(flags, "psn")) {
    throw UsageError(
        fmt::format("{}: --oversubscription and -psn were both given, and each sets the number of "
                    "spines. Expected: one of them",
                    t.name));
  }
  const Candidate best = FindBest(t, given, flags, *wanted);
  if (best.Miss(*wanted) > kTolerance) {
    RefuseFabric(t.name,
                 fmt::format("{} : 1 (--oversubscription) with {} NIC ports of {} a leaf and "
                             "uplinks of {}; the nearest that whole uplinks reach is {:.4g} : 1",
                             given.oversubscription, best.nics_per_leaf, given.bandwidth,
                             ToText(best.uplink), best.ratio),
                 "that ratio, or another -npa, -bw or -apbw");
  }
  LeafSpineOptions derived = given;
  derived.nics_per_leaf = best.nics_per_leaf;
  derived.spine_switches = best.uplinks * t.planes;
  if (!(best.uplink == ParseBitRate(given.leaf_spine_bandwidth)))
    derived.leaf_spine_bandwidth = given.bandwidth;
  const std::uint32_t leaves = t.segments(derived) * t.leaves_per_segment(derived);
  if (!IsGiven(flags, "app")) derived.leaves_per_spine = leaves / t.planes;
  if (!IsGiven(flags, "asn")) derived.leaf_switches = leaves;
  return derived;
}

}  // namespace heddle
