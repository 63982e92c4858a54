// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/measured_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/units.h"
#include "io/analysis/measured_times.h"

namespace heddle {
namespace {

constexpr std::size_t kMostKinds = 24;

std::string SpreadText(const TimeSpread& spread) {
  const auto us = [](double ps) { return ps * 1e-6; };
  return fmt::format("{:>8} {:>13.3f} {:>13.3f} {:>13.3f} {:>13.3f}", spread.number,
                     us(spread.smallest), us(spread.mean), us(spread.p50), us(spread.p99));
}

}  // namespace

std::string DescribeRepetitions(const Table& collectives, std::uint32_t warmup) {
  const TimeSpread passes = TimesOfPasses(collectives, warmup);
  if (passes.number == 0) return "";
  const std::string without =
      warmup == 0 ? ""
                  : fmt::format(", without {} pass{} to warm up", warmup, warmup == 1 ? "" : "es");
  std::string text =
      fmt::format("repetitions      {:<43} {:>8} {:>13} {:>13} {:>13} {:>13}{}\n", "of" + without,
                  "number", "smallest us", "mean us", "p50 us", "p99 us", "  bus bandwidth");
  text += fmt::format("                 {:<43} {}\n", "pass", SpreadText(passes));
  const std::vector<KindTimes> kinds = TimesOfKinds(collectives, warmup);
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i) {
    const KindTimes& kind = kinds[i];
    text += fmt::format("                 {:<14} {:<6} {:>6} {:>14} {}  {:>8.2f} GB/s\n",
                        kind.operation, kind.group, kind.ranks, ToText(Bytes{kind.bytes}),
                        SpreadText(kind.time), kind.bus_bandwidth * 1e-9);
  }
  if (kinds.size() > kMostKinds)
    text += fmt::format("                 ... and {} more kinds\n", kinds.size() - kMostKinds);
  return text;
}

}  // namespace heddle
