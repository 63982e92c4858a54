// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/accuracy_table.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr double kPsPerUs = 1e6;
constexpr std::size_t kMostKinds = 16;

std::string UsText(double ps) { return fmt::format("{:.3f}", ps / kPsPerUs); }

}  // namespace

PrintedColumns<KindAccuracy> AccuracyColumns(const std::string& reference,
                                             const std::string& other) {
  using Kind = KindAccuracy;
  return {{"operation", &Kind::operation, "  operation", -16,
           [](const Kind& kind) { return "  " + kind.operation; }},
          {"group", &Kind::group, " group", -7, [](const Kind& kind) { return " " + kind.group; }},
          {"ranks", &Kind::ranks, "ranks", 7},
          {"size_bytes", &Kind::bytes, "size", 13,
           [](const Kind& kind) { return ToText(Bytes{kind.bytes}); }},
          {"number", &Kind::number, "number", 9},
          {"reference_ps", &Kind::reference_ps, reference + " us", 14,
           [](const Kind& kind) { return UsText(kind.reference_ps); }},
          {"other_ps", &Kind::other_ps, other + " us", 14,
           [](const Kind& kind) { return UsText(kind.other_ps); }},
          {"error", &Kind::error, "error %", 9,
           [](const Kind& kind) { return fmt::format("{:+.1f}", 100 * kind.error); }},
          {"mean_error", &Kind::mean_error, "mean %", 9,
           [](const Kind& kind) { return fmt::format("{:.1f}", 100 * kind.mean_error); }},
          {"p99_error", &Kind::p99_error, "p99 %", 9,
           [](const Kind& kind) { return fmt::format("{:.1f}", 100 * kind.p99_error); }}};
}

OrderedJson AccuracyJson(const ResultAccuracy& accuracy, const std::string& reference,
                         const std::string& other) {
  return {{"reference", reference},
          {"other", other},
          {"reference_ps", accuracy.reference_ps},
          {"other_ps", accuracy.other_ps},
          {"error", accuracy.error},
          {"mean_error", accuracy.mean_error},
          {"p99_error", accuracy.p99_error},
          {"collectives", PrintedList(AccuracyColumns(reference, other), accuracy.kinds)}};
}

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
  const PrintedColumns<KindAccuracy> columns = AccuracyColumns(reference, other);
  std::string text = PrintedHead(columns);
  for (std::size_t i = 0; i < accuracy.kinds.size() && i < kMostKinds; ++i)
    text += PrintedLine(columns, accuracy.kinds[i]);
  if (accuracy.kinds.size() > kMostKinds)
    text += fmt::format("  ... and {} more kinds ({})\n", accuracy.kinds.size() - kMostKinds,
                        where_all);
  return text;
}

}  // namespace heddle
