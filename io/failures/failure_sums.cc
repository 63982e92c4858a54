// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_sums.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle {

OutageCounts CountOutages(const std::vector<StudiedOutage>& outages) {
  OutageCounts counts;
  for (const StudiedOutage& one : outages) {
    counts.links += one.outage.kind == Outage::Kind::kLinkDown;
    counts.nodes += one.outage.kind == Outage::Kind::kNodeDown;
    counts.slow_links += one.outage.kind == Outage::Kind::kSlowLink;
  }
  return counts;
}

std::vector<std::size_t> OutagesByHarm(const std::vector<StudiedOutage>& outages) {
  std::vector<std::size_t> order(outages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const StudiedOutage& one = outages[i];
    return std::tuple(-one.flows.unfinished, -one.flows.longest_ps, -one.flows.on_it,
                      -one.lost_packets);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

std::int64_t TimeOut(const Outage& outage, std::int64_t end_ps) {
  std::int64_t time = 0;
  for (const OutageSpell& spell : outage.spells) {
    const bool open = spell.until_ps < 0 || spell.until_ps > end_ps;
    time += (open ? end_ps : spell.until_ps) - spell.from_ps;
  }
  return time;
}

bool NobodyNoticed(const FailureStudy& study) {
  return study.unknown.empty() && !study.outages.empty() &&
         std::all_of(study.outages.begin(), study.outages.end(),
                     [](const StudiedOutage& one) { return one.is_unnoticed(); });
}

}  // namespace heddle
