// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/congestion_drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

std::vector<double> HeatOf(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study) {
  std::vector<CableUse> cables;
  for (std::uint32_t cable = 0; cable < paths.cable_count(); ++cable) {
    const double rate = request.load.unit_links ? 0 : static_cast<double>(paths.RateOf(cable));
    cables.push_back({static_cast<double>(study.totals.cables[cable]), rate,
                      study.totals.peaks[cable].messages});
  }
  return HeatOfUse(cables);
}

HeatDrawing DrawLoad(const StaticPaths& paths, const CongestionRequest& request,
                     const CongestionStudy& study) {
  HeatDrawing drawing;
  const std::vector<std::uint8_t> levels = paths.NodeLevels();
  for (std::uint32_t node = 0; node < paths.node_count(); ++node)
    drawing.nodes.push_back({paths.Label(node), levels[node]});
  const std::vector<double> heat = HeatOf(paths, request, study);
  const auto runs = static_cast<double>(std::max<std::size_t>(study.runs.size(), 1));
  for (std::uint32_t cable = 0; cable < paths.cable_count(); ++cable) {
    const CableEnds ends = paths.EndsOf(cable);
    drawing.cables.push_back(
        {ends.from, ends.to, heat[cable],
         fmt::format("{}: {:.2f} messages a run, at most {} at once", paths.CableName(cable),
                     static_cast<double>(study.totals.cables[cable]) / runs,
                     study.totals.peaks[cable].messages)});
  }
  return drawing;
}

}  // namespace heddle
