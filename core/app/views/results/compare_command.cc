// SPDX-License-Identifier: GPL-2.0-only
/// `heddle compare`: whether two results are equal, or where and how much they differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/setup/like.h"
#include "core/app/views/results/accuracy_table.h"
#include "core/app/views/results/comparison_json.h"
#include "core/app/views/results/measured_text.h"
#include "core/base/check.h"
#include "core/base/units.h"
#include "core/options/quantity_text.h"
#include "io/analysis/result_accuracy.h"
#include "io/compare/result_comparison.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

std::string GroupedCount(std::uint64_t number, const char* noun) {
  return fmt::format("{} {}{}", GroupedDigits(number), noun, number == 1 ? "" : "s");
}

/// A number of a column in its unit: times in the largest unit that fits, others unchanged.
std::string InUnit(double value, const std::string& unit) {
  if (unit == "ps" && std::abs(value) < 9e18 && value != -1)
    return ToText(Time{std::llround(value)});
  return fmt::format("{:.6g}{}", value, unit == "1" ? "" : " " + unit);
}

/// A value as stored in the file; times in a readable unit.
std::string Shown(const std::string& value, const ColumnDifference& column) {
  return column.unit == "ps" && value != "-1" ? InUnit(std::strtod(value.c_str(), nullptr), "ps")
                                              : value;
}

std::string DescribeColumn(const ColumnDifference& column) {
  std::string text = fmt::format("  {}: {} differ{}", column.name, GroupedCount(column.rows, "row"),
                                 column.rows == 1 ? "s" : "");
  if (!column.text) {
    text += fmt::format(", by up to {} or {:.3g} %; mean {} | {}",
                        InUnit(column.largest_absolute, column.unit), 100 * column.largest_relative,
                        InUnit(column.mean_a, column.unit), InUnit(column.mean_b, column.unit));
  }
  text += "\n";
  std::vector<RowExample> rows = {column.first};
  for (const RowExample& row : column.worst) {
    if (row.row != column.first.row) rows.push_back(row);
  }
  if (column.rows > 1)
    rows.resize(std::min(rows.size(), std::max<std::size_t>(column.worst.size(), 1)));
  std::size_t width = 0;
  for (const RowExample& row : rows) width = std::max(width, row.row.size());
  for (const RowExample& row : rows) {
    text += fmt::format("    {:<{}}  {} | {}\n", row.row, width, Shown(row.a, column),
                        Shown(row.b, column));
  }
  return text;
}

std::string DescribeTable(const TableDifference& table) {
  std::string text =
      fmt::format("\n/{}: {} in both", table.name, GroupedCount(table.matched, "row"));
  if (table.only_a > 0)
    text +=
        fmt::format(", {} only in A (first: {})", GroupedDigits(table.only_a), table.first_only_a);
  if (table.only_b > 0)
    text +=
        fmt::format(", {} only in B (first: {})", GroupedDigits(table.only_b), table.first_only_b);
  text += "\n";
  for (const std::string& line : table.structure) text += "  " + line + "\n";
  for (const ColumnDifference& column : table.columns) text += DescribeColumn(column);
  return text;
}

std::string DescribeAttributes(const ResultComparison& found, bool counts, const char* title) {
  std::string text;
  std::size_t width = 0;
  for (const AttributeDifference& attribute : found.attributes) {
    if (attribute.counts == counts) width = std::max(width, attribute.name.size());
  }
  for (const AttributeDifference& attribute : found.attributes) {
    if (attribute.counts != counts) continue;
    text += fmt::format("  {:<{}}  {} | {}\n", attribute.name, width, attribute.a, attribute.b);
  }
  return text.empty() ? "" : std::string("\n") + title + "\n" + text;
}

void AddFigure(const char* name, const std::string& a, const std::string& b, std::string* text) {
  *text += fmt::format("{:<16} {:>24} {:>24}\n", name, a, b);
}

std::string DescribeFigures(const FlowSummary& a, const FlowSummary& b) {
  std::string text = "\n";
  const auto count = [](std::int64_t n) {
    return GroupedDigits(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)));
  };
  const auto time = [](double ps) { return fmt::format("{:.3f} us", ps * 1e-6); };
  const auto ratio = [](double x) { return fmt::format("{:.3f}", x); };
  AddFigure("", "A", "B", &text);
  AddFigure("end", time(static_cast<double>(a.simulated_ps)),
            time(static_cast<double>(b.simulated_ps)), &text);
  AddFigure("flows finished", count(a.finished) + " of " + count(a.planned),
            count(b.finished) + " of " + count(b.planned), &text);
  AddFigure("packet-hops", count(a.packet_hops), count(b.packet_hops), &text);
  if (a.finished == 0 && b.finished == 0) return text;
  AddFigure("FCT mean", time(a.fct_ps.mean), time(b.fct_ps.mean), &text);
  AddFigure("  p50", time(a.fct_ps.p50), time(b.fct_ps.p50), &text);
  AddFigure("  p99", time(a.fct_ps.p99), time(b.fct_ps.p99), &text);
  AddFigure("  longest", time(a.fct_ps.largest), time(b.fct_ps.largest), &text);
  AddFigure("slowdown mean", ratio(a.slowdown.mean), ratio(b.slowdown.mean), &text);
  AddFigure("  p50", ratio(a.slowdown.p50), ratio(b.slowdown.p50), &text);
  AddFigure("  p99", ratio(a.slowdown.p99), ratio(b.slowdown.p99), &text);
  AddFigure("  largest", ratio(a.slowdown.largest), ratio(b.slowdown.largest), &text);
  return text;
}

/// Says that differences may come from the option `like`, by which several others differ.
std::string LikeWarning(const ResultComparison& found) {
  for (const AttributeDifference& attribute : found.attributes) {
    if (attribute.name != fmt::format("option {}", kLikeKey)) continue;
    return fmt::format(
        "warning: the collectives of A are like {}, those of B like {}: times differ by latencies, "
        "connections and paths, not only by the fabric (heddle explain like)\n",
        attribute.a, attribute.b);
  }
  return "";
}

/// The value of --backend of each result, if the two differ in it.
const AttributeDifference* BackendsOf(const ResultComparison& found) {
  for (const AttributeDifference& attribute : found.attributes) {
    if (attribute.name == "backend") return &attribute;
  }
  return nullptr;
}

std::string NameOfBackend(const std::string& value) { return value == "-" ? "packet" : value; }

/// The step and the collectives of two backends beside each other; a line that says why not, if
/// they cannot be.
std::string DescribeBackends(const AttributeDifference& backends, const std::string& a,
                             const std::string& b) {
  const std::string name_a = NameOfBackend(backends.a), name_b = NameOfBackend(backends.b);
  std::string text = fmt::format("\nbackends     A: {}, B: {}\n", name_a, name_b);
  if (name_a == "physical" || name_b == "physical")
    return text + DescribeMeasured(ResultReader(a), ResultReader(b));
  try {
    const ResultAccuracy accuracy = AccuracyOf(ResultReader(a), ResultReader(b));
    return text + StepAccuracyLine(accuracy, name_a, name_b) + CollectiveAccuracyLine(accuracy) +
           AccuracyTable(accuracy, name_a, name_b, "heddle accuracy --csv has all");
  } catch (const UserError& error) {
    return text + fmt::format("             not side by side: {}\n", error.what());
  }
}

/// The same for --json; null where the backends are alike, or cannot be side by side.
OrderedJson BackendsJson(const AttributeDifference* backends, const std::string& a,
                         const std::string& b) {
  if (backends == nullptr) return nullptr;
  const std::string name_a = NameOfBackend(backends->a), name_b = NameOfBackend(backends->b);
  try {
    return AccuracyJson(AccuracyOf(ResultReader(a), ResultReader(b)), name_a, name_b);
  } catch (const UserError&) {
    return nullptr;
  }
}

/// Whether one of the two has no row of it, as those of other backends have no flows.
bool OnlyInOne(const TableDifference& table) {
  return table.matched == 0 && (table.only_a == 0 || table.only_b == 0);
}

std::string Describe(const ResultComparison& found, const std::string& a, const std::string& b) {
  const std::string not_counted =
      DescribeAttributes(found, false, "differ, but count as no difference (A | B)");
  if (found.equal()) {
    return fmt::format("equal: {} and {} ({}, {})\n", a, b,
                       GroupedCount(found.tables_compared, "table"),
                       GroupedCount(found.rows_compared, "row")) +
           not_counted;
  }
  const auto attributes = std::count_if(found.attributes.begin(), found.attributes.end(),
                                        [](const auto& d) { return d.counts; });
  std::string text = fmt::format(
      "A: {}\nB: {}\ndifferent: {} and {} of {}\n", a, b, GroupedCount(attributes, "attribute"),
      found.tables.size() + found.tables_only_a.size() + found.tables_only_b.size(),
      GroupedCount(found.tables_compared + found.tables_only_a.size() + found.tables_only_b.size(),
                   "table"));
  text += LikeWarning(found);
  const AttributeDifference* backends = BackendsOf(found);
  if (backends != nullptr) text += DescribeBackends(*backends, a, b);
  text += DescribeAttributes(found, true, "attributes (A | B)") + not_counted;
  // For two backends the step and the collectives above say it.
  if (found.a && found.b && backends == nullptr) text += DescribeFigures(*found.a, *found.b);
  if (!found.tables_only_a.empty() || !found.tables_only_b.empty()) text += "\n";
  for (const std::string& table : found.tables_only_a)
    text += fmt::format("/{}: only in A\n", table);
  for (const std::string& table : found.tables_only_b)
    text += fmt::format("/{}: only in B\n", table);
  for (const TableDifference& table : found.tables) {
    if (backends == nullptr || !OnlyInOne(table)) text += DescribeTable(table);
  }
  return text;
}

}  // namespace

int CompareCommand(const std::vector<std::string>& arguments) {
  std::string a, b;
  ComparisonOptions options;
  bool quiet = false, json = false;
  CLI::App app(
      "Say whether two results are equal (exit code 0), or where and how much they differ (1). "
      "Rows are found by the keys "
      "of docs/formats/result.md; /run is left out.",
      "compare");
  app.add_option("A", a, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("B", b, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("--tolerance", options.tolerance,
                 "floating-point numbers and times are equal up to this relative difference")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--ignore", options.ignore,
                 "leave out a table, TABLE/COLUMN, an attribute or an option; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--worst", options.worst, "rows to show of a column that differs")
      ->capture_default_str();
  app.add_flag("--with-run", options.with_run,
               "compare /run, too: ranks, engine, wall-clock times");
  app.add_flag("-q,--quiet", quiet, "no text, only the exit code");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle compare one.h5 other.h5",
                       "heddle compare one.h5 other.h5 --tolerance 0.01 --ignore steps",
                       "heddle compare -q one.h5 other.h5 && echo equal"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonWithout(json, {{"--quiet", quiet}});
  const ResultComparison found = CompareResults(a, b, options);
  if (json) {
    PrintJson(ComparisonJson(found, a, b, BackendsJson(BackendsOf(found), a, b)));
  } else if (!quiet) {
    PrintText(Describe(found, a, b));
  }
  return static_cast<int>(found.equal() ? ExitCode::kDone : ExitCode::kDifferent);
}

}  // namespace heddle
