// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace heddle {

double ExpectedSeconds(const std::string& expected) {
  constexpr std::pair<const char*, double> kUnits[] = {{" s", 1}, {" min", 60}, {" h", 3600}};
  const std::string about = "about ";
  const std::size_t at = expected.find(about);
  if (at == std::string::npos) return 0;
  const char* begin = expected.c_str() + at + about.size();
  char* end = nullptr;
  const double number = std::strtod(begin, &end);
  for (const auto& [unit, seconds] : kUnits) {
    if (std::string(end).rfind(unit, 0) == 0) return number * seconds;
  }
  return 0;
}

std::vector<std::string> RunWatch::Look(const RunLog& log, double elapsed_s) {
  constexpr double kMostBetween = 60;
  std::vector<std::string> lines;
  if (!expected_ && !log.expected.empty()) {
    expected_ = true;
    if (ExpectedSeconds(log.expected) >= kLongRun) {
      lines.push_back(fmt::format("{}: expected {}{}", name_, log.expected,
                                  place_.empty() ? "" : " (" + place_ + ")"));
    }
  }
  if (elapsed_s < next_s_) return lines;
  next_s_ = elapsed_s + std::min(elapsed_s, kMostBetween);
  lines.push_back(fmt::format("{}: {} after {:.0f} s", name_,
                              !log.progress.empty() ? log.progress
                              : expected_           ? std::string("runs")
                                                    : std::string("sets up"),
                              elapsed_s));
  return lines;
}

}  // namespace heddle
