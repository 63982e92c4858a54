// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/page.h"

#include <fmt/format.h>

#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/setup/all_options.h"
#include "core/base/check.h"

namespace heddle {
namespace {

std::map<std::string, std::string> OptionDefaultTexts() {
  const AllOptions all;
  std::map<std::string, std::string> defaults;
  for (const Option& option : all.options.options()) defaults[option.key] = option.default_text;
  return defaults;
}

}  // namespace

ReportAssets RequireCharts() {
  const ReportAssets assets = EmbeddedReportAssets();
  if (!assets.chart_script.empty()) return assets;
  throw FileError(
      fmt::format("this program was built without uPlot {}, which draws the report's charts. Run "
                  "./bootstrap.sh build, which fetches it, or give its tarball by UPLOT_SOURCE "
                  "(docs/guide/08-report.md)",
                  UplotVersion()));
}

void WritePage(ReportRequest request, const std::string& output) {
  const ReportAssets assets = RequireCharts();
  request.version = VersionText();
  request.defaults = OptionDefaultTexts();
  WriteText(output, MakeReport(request, assets));
}

}  // namespace heddle
