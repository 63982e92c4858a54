// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "core/base/check.h"
#include "core/base/units.h"
#include "core/options/nccl_names.h"
#include "io/report/report.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

std::optional<double> AsNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A quantity; `parse` throws UserError for other texts.
template <typename Parse>
std::optional<double> AsQuantity(const std::string& text, Parse parse) {
  try {
    return static_cast<double>(parse(text));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// A form in which to read the values of an axis as numbers, and the unit that the page shows.
struct Reading {
  const char* unit;
  std::function<std::optional<double>(const std::string&)> read;
};

/// In this order: sizes may lack their unit.
const std::vector<Reading>& Readings() {
  static const std::vector<Reading> readings = {
      {"", AsNumber},
      {"byte",
       [](const std::string& text) {
         return AsQuantity(text, [](const std::string& t) { return ParseBytes(t).count; });
       }},
      {"ps",
       [](const std::string& text) {
         return AsQuantity(text, [](const std::string& t) { return ParseTime(t).ps; });
       }},
      {"bit/s",
       [](const std::string& text) {
         return AsQuantity(text, [](const std::string& t) { return ParseBitRate(t).bps; });
       }},
  };
  return readings;
}

/// The values of one axis as numbers in one unit; null if they are names.
Json NumbersOf(const std::vector<std::string>& values, std::string* unit) {
  for (const Reading& reading : Readings()) {
    Json numbers = Json::array();
    for (const std::string& value : values) {
      const std::optional<double> number = reading.read(value);
      if (!number) break;
      numbers.push_back(*number);
    }
    if (numbers.size() != values.size()) continue;
    *unit = reading.unit;
    return numbers;
  }
  return nullptr;
}

Json AxisOf(const SweptRuns& sweep, std::size_t axis) {
  std::vector<std::string> values;
  for (const std::vector<std::string>& run : sweep.values) values.push_back(run[axis]);
  std::string unit;
  Json numbers = NumbersOf(values, &unit);
  if (sweep.axes[axis] == "size" && unit.empty() && !numbers.is_null()) {
    unit = "byte";
    for (std::string& value : values) value = ExactSize(ParseBytes(value));
  }
  return {{"key", sweep.axes[axis]},
          {"unit", unit},
          {"zip", sweep.zips.empty() ? 0 : sweep.zips[axis]},
          {"values", values},
          {"numbers", std::move(numbers)}};
}

Json PlotOf(const SweptPlot& plot) {
  Json values = Json::array();
  for (const std::optional<double>& value : plot.values)
    values.push_back(value ? Json(Rounded(*value, 9)) : Json(nullptr));
  return {{"title", plot.title},
          {"unit", plot.unit},
          {"x", plot.x},
          {"by", plot.by ? Json(*plot.by) : Json(nullptr)},
          {"values", std::move(values)}};
}

}  // namespace

Json ReportSweep(const SweptRuns& sweep, const std::vector<std::string>& results,
                 const std::vector<std::string>& names) {
  HEDDLE_EXPECT(sweep.values.size() == results.size() && names.size() == results.size());
  Json axes = Json::array(), runs = Json::array();
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) axes.push_back(AxisOf(sweep, axis));
  const ReportLimits limits = ReportLimits::ForRuns(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ReportSource source(results[i]);
    const ReportedFlows flows = ReadReportedFlows(source);
    runs.push_back({{"name", names[i]},
                    {"figures", ReportFigures(source, flows, StepsOf(source, kMostReportedSteps))},
                    {"warnings", ReportWarnings(source, flows, ReportFailures(source, limits))}});
  }
  return {{"axes", std::move(axes)},
          {"runs", std::move(runs)},
          {"same_traffic", sweep.same_traffic},
          {"plot", sweep.plot ? PlotOf(*sweep.plot) : Json(nullptr)}};
}

}  // namespace heddle
