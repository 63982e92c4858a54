// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/worst_cables.h"

#include <algorithm>
#include <tuple>

namespace heddle {
namespace {

std::vector<HostPair> SharersOf(const StaticPaths& paths, const CongestionRequest& request,
                                std::uint32_t cable, const CablePeak& peak) {
  const RunSetup run = SetUpRun(request, peak.run);
  std::vector<RankPair> pairs;
  run.pattern->Level(peak.level, &pairs);
  std::vector<HostPair> sharers;
  std::vector<std::uint32_t> way;
  for (const RankPair& pair : pairs) {
    const HostPair hosts{run.mapping[pair.source], run.mapping[pair.destination]};
    const WalkEnd end = paths.Walk(hosts.source, hosts.destination, &way);
    if (end != WalkEnd::kArrived && !request.load.rules->CountsBroken()) continue;
    if (std::find(way.begin(), way.end(), cable) != way.end()) sharers.push_back(hosts);
  }
  return sharers;
}

}  // namespace

std::vector<WorstCable> FindWorstCables(const StaticPaths& paths, const CongestionRequest& request,
                                        const CongestionStudy& study, std::size_t most) {
  const std::vector<CablePeak>& peaks = study.totals.peaks;
  const auto key = [&](std::uint32_t cable) {
    const auto rate = static_cast<double>(paths.RateOf(cable));
    const double share = request.load.unit_links || rate == 0 ? 1 : 1 / rate;
    return std::make_tuple(-share * peaks[cable].messages, ~study.totals.cables[cable], cable);
  };
  std::vector<std::uint32_t> shared;
  for (std::uint32_t cable = 0; cable < peaks.size(); ++cable) {
    if (peaks[cable].messages > 1) shared.push_back(cable);
  }
  const std::size_t kept = std::min(most, shared.size());
  std::partial_sort(shared.begin(), shared.begin() + static_cast<std::ptrdiff_t>(kept),
                    shared.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<WorstCable> worst;
  for (std::size_t i = 0; i < kept; ++i)
    worst.push_back(
        {shared[i], peaks[shared[i]], SharersOf(paths, request, shared[i], peaks[shared[i]])});
  return worst;
}

}  // namespace heddle
