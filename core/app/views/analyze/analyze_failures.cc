// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analyze failures`: what broke, who waited because of it, and what it cost.
#include <optional>
#include <string>
#include <vector>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/analyze/analyze_subjects.h"
#include "core/app/views/analyze/failure_json.h"
#include "core/app/views/analyze/failure_text.h"
#include "io/failures/failure_difference.h"
#include "io/failures/failure_study.h"

namespace heddle {

int AnalyzeFailures(const std::vector<std::string>& arguments) {
  std::string result, against, csv;
  std::size_t shown = 8;
  bool force = false, json = false;
  CLI::App app(
      "What broke and for how long, which flows waited because of it, which collectives and jobs "
      "it held up, and what it cost.",
      "analyze failures");
  app.add_option("RESULT", result, "result file (HDF5) of a run with failures")
      ->required()
      ->type_name("FILE");
  app.add_option("--against", against,
                 "say what the failures cost exactly: a result of the same run without them")
      ->type_name("FILE");
  app.add_option("--top", shown, "describe so many of what failed")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--csv", csv,
                 "write a row for each that failed to this file (\"-\": standard output, instead "
                 "of the text)")
      ->type_name("FILE");
  app.add_flag("--force", force, "replace an existing file");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle analyze failures failed.h5",
                       "heddle analyze failures failed.h5 --against healthy.h5",
                       "heddle analyze failures failed.h5 --csv failures.csv"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonAlone(json, "--csv", csv);
  CheckOutputs({{"--csv", csv}}, {{"RESULT", result}, {"--against", against}}, force);
  const FailureStudy study = StudyFailures(result);
  std::optional<FailureDifference> difference;
  if (!against.empty()) difference = CompareFailures(result, against);
  if (!csv.empty()) WriteText(csv, FailureLines(study));
  if (json) {
    PrintJson(FailuresJson(study, shown, difference));
  } else if (csv != "-") {
    PrintText(DescribeFailures(study, shown, difference ? DescribeDifference(*difference) : ""));
  }
  return 0;
}

}  // namespace heddle
