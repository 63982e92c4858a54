// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/accuracy/accuracy_text.h"

#include <fmt/format.h>

#include <utility>

#include "core/app/views/results/accuracy_table.h"
#include "core/base/printable.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

constexpr int kAccuracySchema = 1;
constexpr double kPsPerUs = 1e6;

}  // namespace

std::string AccuracyText(const ComparedRuns& runs) {
  const ResultAccuracy& accuracy = runs.accuracy;
  std::string text = fmt::format("\n{} on {}: {} beside {}\n", Printable(runs.workload),
                                 Printable(runs.fabric), runs.other, runs.reference);
  text += StepAccuracyLine(accuracy, runs.reference, runs.other);
  text += CollectiveAccuracyLine(accuracy);
  text += fmt::format("took         {} {:.2f} s, {} {:.2f} s ({:.2f} M packet-hops)\n", runs.other,
                      runs.other_seconds, runs.reference, runs.reference_seconds,
                      runs.packet_hops * 1e-6);
  return text + AccuracyTable(accuracy, runs.reference, runs.other, "--csv has all");
}

OrderedJson AccuracyDocument(const std::vector<ComparedRuns>& all) {
  OrderedJson document = JsonDocument("accuracy", kAccuracySchema);
  document["comparisons"] = OrderedJson::array();
  for (const ComparedRuns& runs : all) {
    OrderedJson one = {{"topology", runs.fabric}, {"workload", runs.workload}};
    one.update(AccuracyJson(runs.accuracy, runs.reference, runs.other));
    one["reference_seconds"] = runs.reference_seconds;
    one["other_seconds"] = runs.other_seconds;
    one["packet_hops"] = runs.packet_hops;
    document["comparisons"].push_back(std::move(one));
  }
  return document;
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
