// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/congestion/orcs_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/app/congestion/statistics.h"
#include "core/base/check.h"

namespace heddle {

std::string DescribeBroken(const StaticNetwork& network) {
  std::string text;
  std::vector<std::uint32_t> way;
  for (std::uint32_t a = 0; a < network.host_count(); ++a) {
    for (std::uint32_t b = 0; b < network.host_count(); ++b) {
      const WalkEnd end = network.Walk(a, b, &way);
      if (end == WalkEnd::kArrived) continue;
      if (end == WalkEnd::kNoRoute)
        text += fmt::format("There seems to be no route from {} to {}.\n",
                            Printable(network.HostName(a)), Printable(network.HostName(b)));
      if (end == WalkEnd::kLoop)
        text += fmt::format("The route from {} to {} is a loop.\n", Printable(network.HostName(a)),
                            Printable(network.HostName(b)));
    }
  }
  return text;
}

std::string RouteQuality(const StaticNetwork& network) {
  std::vector<std::uint64_t> load(network.cable_count(), 0);
  std::vector<std::uint32_t> way;
  const auto for_each_way = [&](const auto& visit) {
    for (std::uint32_t a = 0; a < network.host_count(); ++a) {
      for (std::uint32_t b = 0; b < network.host_count(); ++b) {
        network.Walk(a, b, &way);
        if (way.size() > 2) visit();
      }
    }
  };
  for_each_way([&] {
    for (std::size_t i = 1; i + 1 < way.size(); ++i) ++load[way[i]];
  });
  std::vector<double> worst;
  for_each_way([&] {
    std::uint64_t most = 0;
    for (std::size_t i = 1; i + 1 < way.size(); ++i) most = std::max(most, load[way[i]]);
    worst.push_back(static_cast<double>(most));
  });
  constexpr double kNothing = 4294967294;  // ORCS's word for no pair with an inner cable
  const Statistics s = StatisticsOf(worst);
  return fmt::format("gmin: {:.0f}, gmax: {:.0f}\nE: {:.2f}, sigma: {:.2f}\nCompleted\n",
                     worst.empty() ? kNothing : s.least, s.most, s.mean, std::sqrt(s.variance));
}

}  // namespace heddle
