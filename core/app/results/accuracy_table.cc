// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/results/accuracy_table.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr double kPsPerUs = 1e6;
constexpr std::size_t kMostKinds = 16;

std::string KindLine(const KindAccuracy& kind) {
  return fmt::format(
      "  {:<14} {:<6} {:>6} {:>12} {:>8} {:>13.3f} {:>13.3f} {:>+8.1f} {:>8.1f} {:>8.1f}\n",
      kind.operation, kind.group, kind.ranks, ToText(Bytes{kind.bytes}), kind.number,
      kind.reference_ps / kPsPerUs, kind.other_ps / kPsPerUs, 100 * kind.error,
      100 * kind.mean_error, 100 * kind.p99_error);
}

}  // namespace

std::string StepAccuracyLine(const ResultAccuracy& accuracy, const std::string& reference,
                             const std::string& other) {
  return fmt::format("step         {} {:.3f} us, {} {:.3f} us: {:+.1f} %\n", other,
                     static_cast<double>(accuracy.other_ps) / kPsPerUs, reference,
                     static_cast<double>(accuracy.reference_ps) / kPsPerUs, 100 * accuracy.error);
}

std::string CollectiveAccuracyLine(const ResultAccuracy& accuracy) {
  return fmt::format("collectives  mean error {:.1f} %; 99 of 100 are within {:.1f} %\n",
                     100 * accuracy.mean_error, 100 * accuracy.p99_error);
}

std::string AccuracyTable(const ResultAccuracy& accuracy, const std::string& reference,
                          const std::string& other, const std::string& where_all) {
  std::string text = fmt::format(
      "  {:<14} {:<6} {:>6} {:>12} {:>8} {:>13} {:>13} {:>8} {:>8} {:>8}\n", "operation", "group",
      "ranks", "size", "number", reference + " us", other + " us", "error %", "mean %", "p99 %");
  for (std::size_t i = 0; i < accuracy.kinds.size() && i < kMostKinds; ++i)
    text += KindLine(accuracy.kinds[i]);
  if (accuracy.kinds.size() > kMostKinds)
    text += fmt::format("  ... and {} more kinds ({})\n", accuracy.kinds.size() - kMostKinds,
                        where_all);
  return text;
}

}  // namespace heddle
