// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_routes.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "topology/load/route_quality.h"

namespace heddle {

std::string DescribePath(const StaticNetwork& network, std::uint32_t source,
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
    for (std::uint32_t b = 0; b < network.host_count(); ++b) text += DescribePath(network, a, b);
  }
  return text;
}

std::string RouteQualityText(const StaticNetwork& network) {
  const RouteQuality quality = QualityOf(network);
  if (quality.pairs == 0)  // ORCS's words for no pair with an inner cable
    return "gmin: 4294967294, gmax: 0\nE: -nan, sigma: -nan\nCompleted\n";
  return fmt::format("gmin: {:.0f}, gmax: {:.0f}\nE: {:.2f}, sigma: {:.2f}\nCompleted\n",
                     quality.least, quality.most, quality.mean, quality.sigma);
}

}  // namespace heddle
