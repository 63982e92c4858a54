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

std::string DescribeWay(const StaticNetwork& network, std::uint32_t source,
                        std::uint32_t destination) {
  std::vector<std::uint32_t> way;
  const WalkEnd end = network.Walk(source, destination, &way);
  if (end == WalkEnd::kArrived) return "";
  const std::string from = Printable(network.HostName(source));
  const std::string to = Printable(network.HostName(destination));
  if (end == WalkEnd::kNoRoute)
    return fmt::format("There seems to be no route from {} to {}.\n", from, to);
  return fmt::format(
      "I tried to visit a node I already visited on the same route. This means we have a routing "
      "loop!\n#*** The route from {} to {} is a loop.\n",
      from, to);
}

std::string DescribeBroken(const StaticNetwork& network) {
  std::string text;
  for (std::uint32_t a = 0; a < network.host_count(); ++a) {
    for (std::uint32_t b = 0; b < network.host_count(); ++b) text += DescribeWay(network, a, b);
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
  if (worst.empty())  // ORCS's words for no pair with an inner cable
    return "gmin: 4294967294, gmax: 0\nE: -nan, sigma: -nan\nCompleted\n";
  const Statistics s = StatisticsOf(worst);
  return fmt::format("gmin: {:.0f}, gmax: {:.0f}\nE: {:.2f}, sigma: {:.2f}\nCompleted\n", s.least,
                     s.most, s.mean, std::sqrt(s.variance));
}

}  // namespace heddle
