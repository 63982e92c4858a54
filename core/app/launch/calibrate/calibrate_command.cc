// SPDX-License-Identifier: GPL-2.0-only
/// `heddle calibrate`: measured times, by which closed forms are corrected.
#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/launch/calibrate/calibrate_arguments.h"
#include "core/app/launch/calibrate/calibrate_text.h"
#include "core/app/launch/calibrate/measured_kinds.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/printable.h"
#include "io/input/calibration_csv.h"
#include "io/input/file_kind.h"

namespace heddle {
namespace {

/// Where the rows come from.
std::vector<std::string> NotesOf(const CalibrateArguments& given) {
  std::vector<std::string> notes;
  for (const std::string& file : given.measured) notes.push_back("from " + Printable(file));
  if (!given.topology.empty()) notes.push_back("on " + Printable(given.topology));
  for (const std::string& setting : given.settings) notes.push_back("with " + Printable(setting));
  return notes;
}

void Execute(const CalibrateArguments& given, bool is_result) {
  const std::vector<MeasuredKind> kinds =
      is_result ? MeasuredInResults(given.measured) : MeasuredByNcclTests(given);
  if (kinds.empty())
    throw UserError(Printable(given.measured.front()) +
                    ": no collective that sends anything. Expected: two ranks or more");
  const std::vector<CalibrationRow> rows = RowsOf(kinds);
  if (!given.output.empty()) WriteText(given.output, CalibrationText(rows, NotesOf(given)));
  if (given.json) return PrintJson(FitJson(kinds, given.output));
  std::string text;
  for (const MeasuredKind& kind : kinds) text += FitText(kind, rows);
  text += FitSummary(kinds);
  if (!given.output.empty()) text += fmt::format("calibration  {}\n", Printable(given.output));
  PrintText(text);
}

}  // namespace

int CalibrateCommand(const std::vector<std::string>& arguments) {
  CalibrateArguments given;
  CLI::App app(
      "Correct closed forms by measured collectives, and say how well sizes that were not "
      "measured are met.",
      "calibrate");
  AddArguments(&app, &given);
  if (!ParseArguments(&app, arguments)) return 0;
  const auto is_a_result = [](const std::string& file) {
    return KindOfFile(file) == FileKind::kResult;
  };
  const std::vector<std::string>& files = given.measured;
  const bool is_result = is_a_result(files.front());
  const auto other = std::find_if(files.begin(), files.end(), [&](const std::string& file) {
    return is_a_result(file) != is_result;
  });
  if (other != files.end())
    throw UsageError(
        fmt::format("MEASURED: {} is a result, {} is none. Expected: results, or texts",
                    Printable(is_result ? files.front() : *other),
                    Printable(is_result ? *other : files.front())));
  CheckArguments(given, is_result);
  std::vector<InputFile> inputs;
  for (const std::string& file : files) inputs.push_back({"MEASURED", file});
  if (!given.topology.empty()) inputs.push_back({"-n", given.topology});
  CheckJsonAlone(given.json, "-o", given.output);
  CheckOutputs({{"-o", given.output}}, inputs, given.force);
  Execute(given, is_result);
  return 0;
}

}  // namespace heddle
