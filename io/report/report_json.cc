// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/report_json.h"

#include <algorithm>

namespace heddle {

ReportLimits ReportLimits::ForRuns(std::size_t runs) {
  ReportLimits limits;
  if (runs <= 2) return limits;
  const auto share = [&](std::size_t most, std::size_t least) {
    return std::max(least, 2 * most / runs);
  };
  limits.points = share(limits.points, 250);
  limits.time_bins = share(limits.time_bins, 64);
  limits.heat_rows = share(limits.heat_rows, 40);
  limits.queues = share(limits.queues, 3);
  limits.table_rows = share(limits.table_rows, 60);
  return limits;
}

Json DistributionOf(const std::vector<Bin>& bins, std::size_t points, double most) {
  Json x = Json::array(), share = Json::array();
  const double total = static_cast<double>(CountOf(bins));
  if (total <= 0) return nullptr;
  x.push_back(Rounded(bins.front().from, 7));
  share.push_back(0);
  // Drops dense bins, but keeps one wherever the share grows by more than two points' portion of
  // the whole.
  const double step = 2.0 / static_cast<double>(std::max<std::size_t>(points, 2));
  const std::size_t stride =
      std::max<std::size_t>(1, 2 * bins.size() / std::max<std::size_t>(points, 2));
  double below = 0, last_share = 0;
  const auto push = [&](double at, double value) {
    x.push_back(Rounded(std::min(at, most), 7));
    share.push_back(Rounded(value));
  };
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (i > 0 && bins[i].from > bins[i - 1].to * (1 + 1e-9)) {  // a gap: flat until the next bin
      if (below / total > last_share) push(bins[i - 1].to, below / total);
      push(bins[i].from, below / total);
      last_share = below / total;
    }
    below += static_cast<double>(bins[i].count);
    const double here = below / total;
    if (i + 1 < bins.size() && here - last_share < step && i % stride != 0) continue;
    push(bins[i].to, here);
    last_share = here;
  }
  return {{"x", std::move(x)}, {"share", std::move(share)}};
}

std::string ScriptText(const Json& data) {
  const std::string plain = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 64);
  for (const char c : plain) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text.push_back(c);
    }
  }
  return text;
}

}  // namespace heddle
