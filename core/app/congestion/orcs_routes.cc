// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/congestion/orcs_routes.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "topology/load/route_quality.h"

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

std::string RouteQualityText(const StaticNetwork& network) {
  constexpr double kNothing = 4294967294;  // ORCS's word for no pair with an inner cable
  const RouteQuality quality = QualityOf(network);
  return fmt::format("gmin: {:.0f}, gmax: {:.0f}\nE: {:.2f}, sigma: {:.2f}\nCompleted\n",
                     quality.pairs == 0 ? kNothing : quality.least, quality.most, quality.mean,
                     quality.sigma);
}

}  // namespace heddle
