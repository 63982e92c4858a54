// SPDX-License-Identifier: GPL-2.0-only
/// `heddle report`: one page with charts of one result, or of several side by side.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/results/page.h"
#include "core/app/views/results/step_findings.h"
#include "core/base/check.h"

namespace heddle {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string output, title;
  bool force = false, licences = false;
};

void PrintLicences(const ReportAssets& assets) {
  std::printf("Pages of heddle report contain uPlot %s, under this licence:\n\n%.*s\n",
              UplotVersion(), static_cast<int>(assets.chart_licence.size()),
              assets.chart_licence.data());
}

void CheckArguments(const ReportArguments& arguments) {
  if (arguments.results.empty())
    throw UsageError("no result. Expected: heddle report RUN.h5 [OTHER.h5 ...] -o report.html");
  if (arguments.results.size() > kMostReportedRuns) {
    throw UsageError(fmt::format("{} results. Expected: at most {} on one page",
                                 arguments.results.size(), kMostReportedRuns));
  }
  if (arguments.output.empty())
    throw UsageError("no -o. Expected: the page's name, such as -o report.html");
  std::vector<InputFile> inputs;
  for (const std::string& result : arguments.results) inputs.push_back({"RESULT", result});
  CheckOutputs({{"-o", arguments.output}}, inputs, arguments.force);
}

}  // namespace

int ReportCommand(const std::vector<std::string>& arguments) {
  ReportArguments chosen;
  CLI::App app(
      "Write a page with charts of a result, or of several beside each other. It opens offline.",
      "report");
  app.add_option("RESULT", chosen.results,
                 "result files (HDF5); figures are compared with those of the first")
      ->type_name("FILE");
  app.add_option("-o,--output", chosen.output, "the page to write (\"-\": standard output)")
      ->type_name("FILE");
  app.add_flag("--force", chosen.force, "replace the page if it exists");
  app.add_option("--title", chosen.title, "heading of the page (default: the results' names)");
  app.add_flag("--licences", chosen.licences, "print the licences of what pages contain, and end");
  app.footer(Examples({"heddle report result.h5 -o report.html",
                       "heddle report dcqcn.h5 hpcc.h5 -o both.html --title \"DCQCN and HPCC\""}));
  if (!ParseArguments(&app, arguments)) return 0;
  const ReportAssets assets = RequireCharts();
  if (chosen.licences) {
    PrintLicences(assets);
    return 0;
  }
  CheckArguments(chosen);
  ReportRequest request;
  request.results = chosen.results;
  request.title = chosen.title;
  request.findings = StepFindings(chosen.results);
  WritePage(std::move(request), chosen.output);
  return 0;
}

}  // namespace heddle
