// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/route_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle {
namespace {

template <class Visit>
void ForEachInnerPath(const StaticPaths& paths, Visit visit) {
  std::vector<std::uint32_t> way;
  for (std::uint32_t a = 0; a < paths.host_count(); ++a) {
    for (std::uint32_t b = 0; b < paths.host_count(); ++b) {
      paths.Walk(a, b, &way);
      if (way.size() > 2) visit(way);
    }
  }
}

}  // namespace

RouteQuality QualityOf(const StaticPaths& paths) {
  using Way = std::vector<std::uint32_t>;
  std::vector<std::uint64_t> load(paths.cable_count(), 0);
  ForEachInnerPath(paths, [&](const Way& way) {
    for (std::size_t i = 1; i + 1 < way.size(); ++i) ++load[way[i]];
  });
  RouteQuality quality;
  double squares = 0;  // of differences from the mean so far (Welford)
  ForEachInnerPath(paths, [&](const Way& way) {
    std::uint64_t largest = 0;
    for (std::size_t i = 1; i + 1 < way.size(); ++i) largest = std::max(largest, load[way[i]]);
    const auto value = static_cast<double>(largest);
    quality.least = quality.pairs == 0 ? value : std::min(quality.least, value);
    quality.most = std::max(quality.most, value);
    const double off = value - quality.mean;
    quality.mean += off / static_cast<double>(++quality.pairs);
    squares += off * (value - quality.mean);
  });
  if (quality.pairs > 0) quality.sigma = std::sqrt(squares / static_cast<double>(quality.pairs));
  return quality;
}

}  // namespace heddle
