// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/quantity_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>

namespace heddle {

std::string DurationText(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
  return whole < 86400 ? clock : fmt::format("{} d {}", whole / 86400, clock);
}

std::string RateText(double rate) {
  const char* units[] = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(units) && rate >= 999.5; ++unit) rate /= 1000;
  return rate < 9.95 && unit > 0 ? fmt::format("{:.1f}{}", rate, units[unit])
                                 : fmt::format("{:.0f}{}", rate, units[unit]);
}

std::string MicrosecondText(Time t) {
  const std::uint64_t size =
      t.ps < 0 ? 0 - static_cast<std::uint64_t>(t.ps) : static_cast<std::uint64_t>(t.ps);
  const std::uint64_t ns = size / 1000 + (size % 1000 >= 500 ? 1 : 0);
  return fmt::format("{}{}.{:03}", t.ps < 0 ? "-" : "", ns / 1000, ns % 1000);
}

std::string GroupedDigits(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace heddle
