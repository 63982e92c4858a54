// SPDX-License-Identifier: GPL-2.0-only
/// A report: one HTML page of one run, or of several beside each other, which needs nothing but
/// itself to open.
#ifndef HEDDLE_IO_REPORT_REPORT_H_
#define HEDDLE_IO_REPORT_REPORT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What the page is made of; the program has it embedded.
struct ReportAssets {
  std::string_view page;           ///< HTML with marks where the rest goes
  std::string_view style, script;  ///< ours
  std::string_view chart_style, chart_script,
      chart_licence;  ///< uPlot's; empty in a program built without
};

struct ReportRequest {
  std::vector<std::string> results;             ///< paths
  std::string title;                            ///< empty: made of the results' names
  std::string version;                          ///< of the program that writes the page
  std::map<std::string, std::string> defaults;  ///< of options, by key
};

/// Results that one page takes.
inline constexpr std::size_t kMostReportedRuns = 16;

/// The data of the page, as JSON without what could end a script element. Throws UserError naming
/// the file for what is no result.
std::string ReportData(const ReportRequest& request);

/// The page. Requires assets with a chart script.
std::string MakeReport(const ReportRequest& request, const ReportAssets& assets);

/// `text` as text of an HTML element or an attribute in double quotes.
std::string EscapeHtml(std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_IO_REPORT_REPORT_H_
