// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/controller_summary.h"

#include <fmt/format.h>

namespace heddle {

std::string DescribeController(const ControllerOptions& options) {
  std::string share;
  switch (options.share.unit) {
    case ShareLimit::Unit::kFlows:
      share = fmt::format("{} flow{} a link", options.share.value, options.share.value == 1 ? "" : "s");
      break;
    case ShareLimit::Unit::kRate:
      share = ToText(options.share) + " a link";
      break;
    case ShareLimit::Unit::kLine:
      share = "each link up to its rate";
      break;
  }
  std::string text = fmt::format("{}, latency {}", share, ToText(options.latency));
  if (options.service > Time{0}) text += fmt::format(", {} a request", ToText(options.service));
  return text + (options.fallback == "ecmp" ? ", ECMP where no path is free" : ", the least loaded path where none is free");
}

std::string SummarizeController(const ControllerFigures& figures) {
  const std::int64_t choices = figures.requests + figures.moves;
  const std::int64_t free = choices - figures.ecmp - figures.least_loaded;
  std::string text = fmt::format("controller       {} request{}, {} free path{} (source ports up to {}), ", figures.requests,
                                 figures.requests == 1 ? "" : "s", free, free == 1 ? "" : "s", figures.highest_port);
  if (figures.least_loaded > 0) text += fmt::format("{} least loaded, ", figures.least_loaded);
  text += fmt::format("{} left to ECMP; at most {} paths held\n", figures.ecmp, figures.most_held);
  if (figures.moves > 0) text += fmt::format("                 {} choices made again after links changed\n", figures.moves);
  if (figures.late > 0) text += fmt::format("                 {} flows started later, waiting for its answer\n", figures.late);
  return text;
}

}  // namespace heddle
