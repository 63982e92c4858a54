// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/accuracy/accuracy_text.h"

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/units.h"
#include "io/table/csv_field.h"

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

std::string AccuracyText(const ComparedRuns& runs) {
  const ResultAccuracy& accuracy = runs.accuracy;
  std::string text = fmt::format("\n{} on {}: {} beside {}\n", Printable(runs.workload),
                                 Printable(runs.fabric), runs.other, runs.reference);
  text += fmt::format("step         {} {:.3f} us, {} {:.3f} us: {:+.1f} %\n", runs.other,
                      static_cast<double>(accuracy.other_ps) / kPsPerUs, runs.reference,
                      static_cast<double>(accuracy.reference_ps) / kPsPerUs, 100 * accuracy.error);
  text += fmt::format("collectives  mean error {:.1f} %; 99 of 100 are within {:.1f} %\n",
                      100 * accuracy.mean_error, 100 * accuracy.p99_error);
  text += fmt::format("took         {} {:.2f} s, {} {:.2f} s ({:.2f} M packet-hops)\n", runs.other,
                      runs.other_seconds, runs.reference, runs.reference_seconds,
                      runs.packet_hops * 1e-6);
  text += fmt::format("  {:<14} {:<6} {:>6} {:>12} {:>8} {:>13} {:>13} {:>8} {:>8} {:>8}\n",
                      "operation", "group", "ranks", "size", "number", runs.reference + " us",
                      runs.other + " us", "error %", "mean %", "p99 %");
  for (std::size_t i = 0; i < accuracy.kinds.size() && i < kMostKinds; ++i)
    text += KindLine(accuracy.kinds[i]);
  if (accuracy.kinds.size() > kMostKinds)
    text += fmt::format("  ... and {} more kinds (--csv has all)\n",
                        accuracy.kinds.size() - kMostKinds);
  return text;
}

std::string AccuracyHeader() {
  return "fabric,workload,reference,backend,operation,group,ranks,bytes,number,reference_us,"
         "backend_us,error,mean_error,p99_error\n";
}

std::string AccuracyLines(const ComparedRuns& runs) {
  const std::string names = fmt::format("{},{},{},{}", CsvField(runs.fabric),
                                        CsvField(runs.workload), runs.reference, runs.other);
  const ResultAccuracy& all = runs.accuracy;
  std::string text = fmt::format("{},step,,,,1,{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", names,
                                 static_cast<double>(all.reference_ps) / kPsPerUs,
                                 static_cast<double>(all.other_ps) / kPsPerUs, all.error,
                                 all.mean_error, all.p99_error);
  for (const KindAccuracy& kind : all.kinds)
    text +=
        fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", names, kind.operation,
                    kind.group, kind.ranks, kind.bytes, kind.number, kind.reference_ps / kPsPerUs,
                    kind.other_ps / kPsPerUs, kind.error, kind.mean_error, kind.p99_error);
  return text;
}

}  // namespace heddle
