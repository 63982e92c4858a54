// SPDX-License-Identifier: GPL-2.0-only
#include "partition/rank_traffic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle {

RankTraffic::RankTraffic(const RunProfile& profile, const std::vector<std::uint32_t>& rank_of,
                         std::uint32_t ranks)
    : ranks_(ranks), in_(ranks), out_(ranks) {
  const double windows = static_cast<double>(std::max<std::uint64_t>(1, profile.windows));
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  for (const RunProfile::Stream& stream : profile.streams) {
    const std::uint32_t from = rank_of[stream.from], to = rank_of[stream.to];
    if (from != to) sums[{from, to}] += stream.messages;
  }
  for (const auto& [ends, messages] : sums) {
    messages_ += messages;
    out_[ends.first] += messages / windows;
    in_[ends.second] += messages / windows;
    pairs_.push_back({ends.first, ends.second, messages / windows});
  }
}

const Partners& RankTraffic::PartnersAt(double scale) const {
  constexpr double kSteps = 4;  // steps an octave
  const long step = scale > 0 ? std::lround(kSteps * std::log2(scale)) : -1000;
  const auto [entry, is_new] = known_.try_emplace(step);
  Partners& partners = entry->second;
  if (!is_new) return partners;
  partners.out.assign(ranks_, 0);
  partners.in.assign(ranks_, 0);
  const double rounded = std::exp2(static_cast<double>(step) / kSteps);
  for (const Pair& pair : pairs_) {
    const double any = -std::expm1(-pair.messages * rounded);
    partners.out[pair.from] += any;
    partners.in[pair.to] += any;
  }
  partners.most =
      partners.out.empty() ? 0 : *std::max_element(partners.out.begin(), partners.out.end());
  return partners;
}

}  // namespace heddle
