// SPDX-License-Identifier: GPL-2.0-only
/// A report: one self-contained HTML page of one run, or of several side by side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The components of the page; they are embedded in the program.
struct ReportAssets {
  std::string_view page;           ///< HTML with marks for the other components
  std::string_view style, script;  ///< heddle's own
  /// uPlot's; empty in a program built without it.
  std::string_view chart_style, chart_script, chart_licence;
};

/// A figure of a sweep that is drawn first.
struct SweptPlot {
  std::string title, unit;                    ///< unit as of the page's figures: "ps", "B/s", "x"
  std::size_t x = 0;                          ///< axis
  std::optional<std::size_t> by;              ///< axis that names the curves
  std::vector<std::optional<double>> values;  ///< by result
};

/// What the runs of a sweep differ in.
struct SweptRuns {
  std::vector<std::string> axes;                 ///< the keys that were varied
  std::vector<std::vector<std::string>> values;  ///< by result, by axis
  std::vector<int> zips = {};  ///< by axis: those of one number above 0 vary together; empty: none
  /// Whether runs carry the same traffic, so that their steps can be compared.
  bool same_traffic = true;
  std::optional<SweptPlot> plot = std::nullopt;
};

/// Bus bandwidths by size that were measured elsewhere, drawn beside those of collectives.
struct MeasuredCurve {
  std::string name;
  std::vector<std::int64_t> bytes;
  std::vector<double> bus_bandwidth;  ///< [B/s], as many
};

struct ReportRequest {
  std::vector<std::string> results;             ///< paths
  std::string title;                            ///< empty: made from the results' names
  std::string version;                          ///< of the program that writes the page
  std::map<std::string, std::string> defaults;  ///< of options, by key
  /// Set if the results are those of a sweep. The page then has curves over the axes, and the
  /// details of single runs only if there are at most kMostReportedRuns.
  std::optional<SweptRuns> sweep = std::nullopt;
  std::vector<std::string> findings = {};  ///< sentences on top of the page
  /// The runs have a collective in several sizes: bandwidths come first, and there is no step.
  bool by_size = false;
  std::optional<MeasuredCurve> measured = std::nullopt;
};

/// Most results on one page, and most of a sweep.
inline constexpr std::size_t kMostReportedRuns = 16;
inline constexpr std::size_t kMostSweptRuns = 2'000;

/// Returns the data of the page, as JSON that cannot end a script element. Throws UserError with
/// the file's name if a file is no result.
std::string ReportData(const ReportRequest& request);

/// Returns the page as HTML. Requires assets with a chart script.
std::string MakeReport(const ReportRequest& request, const ReportAssets& assets);

}  // namespace heddle
