// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/controller_summary.h"

#include <fmt/format.h>

namespace heddle {
namespace {

/// Returns "1 request", "2 requests".
std::string Count(std::int64_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::string DescribeController(const ControllerOptions& options) {
  std::string share;
  switch (options.share.unit) {
    case ShareLimit::Unit::kFlows:
      share = Count(options.share.value, "flow") + " a link";
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
  return text + (options.fallback == ControllerOptions::Fallback::kEcmp
                     ? ", ECMP where no path is free"
                     : ", the least loaded path where none is free");
}

std::string SummarizeController(const ControllerFigures& figures) {
  const std::int64_t free = figures.requests + figures.moves - figures.ecmp - figures.least_loaded;
  std::string text = "controller       " + Count(figures.requests, "request");
  if (figures.moves > 0)
    text += fmt::format(" and {} after links changed", Count(figures.moves, "choice"));
  text +=
      fmt::format(": {} (source ports up to {}), ", Count(free, "free path"), figures.highest_port);
  if (figures.least_loaded > 0) text += fmt::format("{} least loaded, ", figures.least_loaded);
  text +=
      fmt::format("{} left to ECMP; at most {} held at once\n", figures.ecmp, figures.most_held);
  if (figures.late > 0) {
    const Time mean{figures.waited.ps / figures.late};
    text += fmt::format(
        "                 {} waited for its answer: {:.3f} us on average, {:.3f} us at most\n",
        Count(figures.late, "flow"), mean.microseconds(), figures.longest_wait.microseconds());
  }
  return text;
}

}  // namespace heddle
