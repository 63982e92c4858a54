// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/app/launch/sweep/sweep_names.h"
#include "core/app/launch/sweep_command/sweep_knee.h"
#include "core/app/launch/sweep_command/sweep_text.h"
#include "core/app/launch/sweep_table/run_keys.h"
#include "core/app/run/setup/all_options.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "io/analysis/sweep_figures.h"

namespace heddle {
namespace {

/// A figure that can be drawn.
struct Drawable {
  const char* word;  ///< its shortest name
  std::vector<std::string> other_words;
  const char* column;  ///< of table.csv
  const char* title;
  const char* unit;
  const char* page_unit;
  double page_scale;  ///< from `unit` to `page_unit`
};

const std::vector<Drawable>& Drawables() {
  static const std::vector<Drawable> all = {
      {"step", {"step time"}, "step_us", "time of a step", "us", "ps", 1e6},
      {"exposed",
       {"exposed communication"},
       "exposed_us",
       "exposed communication of a step",
       "us",
       "ps",
       1e6},
      {"completion", {"completion time"}, "completion_us", "completion time", "us", "ps", 1e6},
      {"busbw", {"bus bandwidth"}, "busbw_gbyte_per_s", "bus bandwidth", "GB/s", "B/s", 1e9},
      {"algbw",
       {"algorithm bandwidth"},
       "algbw_gbyte_per_s",
       "algorithm bandwidth",
       "GB/s",
       "B/s",
       1e9},
      {"p99",
       {"p99 completion", "fct", "p99 fct"},
       "fct_p99_us",
       "p99 of completion times of flows",
       "us",
       "ps",
       1e6},
      {"slowdown", {"p99 slowdown"}, "slowdown_p99", "p99 of slowdowns of flows", "", "x", 1},
      {"median slowdown",
       {"p50 slowdown"},
       "slowdown_p50",
       "median of slowdowns of flows",
       "",
       "x",
       1},
      {"ttft", {"p99 ttft"}, "ttft_p99_us", "p99 of times to the first token", "us", "ps", 1e6},
      {"median ttft",
       {"p50 ttft"},
       "ttft_p50_us",
       "median of times to the first token",
       "us",
       "ps",
       1e6},
      {"tpot", {"p99 tpot"}, "tpot_p99_us", "p99 of times per output token", "us", "ps", 1e6},
      {"median tpot",
       {"p50 tpot"},
       "tpot_p50_us",
       "median of times per output token",
       "us",
       "ps",
       1e6},
      {"requests", {}, "requests", "requests", "", "", 1},
      {"finished requests", {}, "finished_requests", "finished requests", "", "", 1},
      {"goodput", {}, "goodput_per_s", "requests a second that kept the level", "1/s", "", 1},
      {"kept", {"attainment"}, "kept", "share of requests that kept the level", "", "x", 1},
      {"drops", {"drops of packets"}, "drops", "packets dropped", "", "", 1},
      {"pauses", {"pfc pauses"}, "pauses", "PFC pauses", "", "", 1},
      {"flows", {}, "flows", "flows", "", "", 1},
      {"finished", {}, "finished_flows", "finished flows", "", "", 1},
      {"hops", {"packet hops"}, "packet_hops", "packet-hops", "", "", 1},
      {"ranks", {}, "ranks", "processes", "", "", 1},
      {"seconds", {"run seconds"}, "run_seconds", "wall-clock time of the simulation", "s", "s", 1},
      {"restarts", {}, "restarts", "restarts", "", "", 1}};
  return all;
}

/// Small letters without blanks and marks, so that "Step_time" is "steptime".
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) != 0) plain += static_cast<char>(std::tolower(c));
  }
  return plain;
}

const Drawable& FindFigure(const std::string& name) {
  std::vector<std::string> words, known;
  for (const Drawable& one : Drawables()) {
    words.emplace_back(one.word);
    std::vector<std::string> names = one.other_words;
    names.insert(names.end(), {one.word, one.column});
    for (const std::string& own : names) {
      if (Plain(own) == Plain(name)) return one;
      known.push_back(own);
    }
  }
  throw UsageError(fmt::format("--plot: no figure of the table is '{}'{}. Expected: {}",
                               Printable(name), NearestIs(name, known), fmt::join(words, ", ")));
}

/// All names of an axis: its key, the last part of it, and other names of its option.
std::vector<std::string> NamesOfAxis(const SweepAxis& axis) {
  std::vector<std::string> names = {axis.key};
  const AllOptions all;
  for (const Option* option : all.options.FindByName(axis.key))
    names.insert(names.end(), {option->key, option->simai_key});
  for (std::size_t i = names.size(); i-- > 0;)
    names.push_back(names[i].substr(names[i].rfind('.') + 1));
  names.erase(std::remove(names.begin(), names.end(), std::string()), names.end());
  return names;
}

/// `flag`: "--x".
std::size_t FindAxis(const char* flag, const std::string& name, const SweepTable& table) {
  std::vector<std::string> known, keys;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    keys.push_back(table.axes[axis].key);
    for (const std::string& own : NamesOfAxis(table.axes[axis])) {
      if (EqualLetters(own, name)) return axis;
      known.push_back(own);
    }
  }
  throw UsageError(fmt::format("{}: nothing that varies is '{}'{}. Expected: {}", flag,
                               Printable(name), NearestIs(name, known), fmt::join(keys, ", ")));
}

bool VariesWith(const SweepTable& table, std::size_t axis, std::size_t other) {
  const int zip = table.axes[axis].zip;
  return axis == other || (zip > 0 && zip == table.axes[other].zip);
}

bool IsNumeric(const SweepAxis& axis) {
  return std::all_of(axis.values.begin(), axis.values.end(), [](const SweepEntry& entry) {
    char* end = nullptr;
    std::strtod(entry.value.c_str(), &end);
    return entry.label.empty() && entry.word.empty() && !entry.value.empty() &&
           end != entry.value.c_str();
  });
}

/// The axis over which curves are drawn if none is asked for. Requires one.
std::size_t ChooseX(const SweepTable& table, const std::vector<std::size_t>& varying) {
  std::size_t best = varying[0];
  const auto rank = [&](std::size_t axis) {
    return std::make_pair(IsNumeric(table.axes[axis]), table.axes[axis].values.size());
  };
  for (const std::size_t axis : varying) best = rank(axis) > rank(best) ? axis : best;
  return best;
}

/// What distinguishes curves: `by` first, then what else varies beside x.
std::vector<std::size_t> CurveAxes(const SweepPlot& plot, const SweepTable& table,
                                   const std::vector<SweepRun>& runs) {
  std::vector<std::size_t> axes;
  if (plot.by) axes.push_back(*plot.by);
  for (const std::size_t axis : VaryingAxes(table, runs)) {
    const bool is_new = std::none_of(axes.begin(), axes.end(), [&](std::size_t known) {
      return VariesWith(table, axis, known);
    });
    if (is_new && !VariesWith(table, axis, plot.x)) axes.push_back(axis);
  }
  return axes;
}

/// A value as a curve's name has it: with its key where it says nothing alone.
std::string CurveWord(const SweepAxis& axis, std::size_t value, const std::string& shown) {
  const SweepEntry& entry = axis.values[value];
  const bool speaks = !entry.label.empty() || !entry.word.empty() || NamesFile(axis.key) ||
                      axis.key == "size" || axis.key == "collective";
  return speaks ? shown : axis.key.substr(axis.key.rfind('.') + 1) + " " + shown;
}

/// The curve's name of each run.
std::vector<std::string> CurvesOf(const SweepPlot& plot, const SweepTable& table,
                                  const std::vector<SweepRun>& runs) {
  std::vector<std::string> curves(runs.size());
  for (const std::size_t axis : CurveAxes(plot, table, runs)) {
    std::map<std::string, std::size_t> values;  // index by the text that is shown
    const std::vector<std::string> shown = ShownValues(table.axes[axis]);
    for (std::size_t i = 0; i < shown.size(); ++i) values.emplace(shown[i], i);
    for (std::size_t row = 0; row < runs.size(); ++row) {
      const std::string& text = runs[row].shown[axis];
      curves[row] +=
          (curves[row].empty() ? "" : ", ") + CurveWord(table.axes[axis], values.at(text), text);
    }
  }
  return curves;
}

std::optional<double> ValueOf(const SweepResult& result, const std::string& column) {
  for (const auto& known : FigureColumns()) {
    if (column != known.key) continue;
    const OrderedJson value = known.value(result.figures);
    return value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
  }
  return std::nullopt;
}

/// The distinct texts in the order in which they first occur.
std::vector<std::string> Distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> distinct;
  std::set<std::string> known;
  for (const std::string& text : texts) {
    if (known.insert(text).second) distinct.push_back(text);
  }
  return distinct;
}

}  // namespace

SweepPlot FindPlot(const PlotWish& wish, const SweepTable& table,
                   const std::vector<SweepRun>& runs) {
  const Drawable& figure = FindFigure(wish.figure);
  const std::vector<std::size_t> varying = VaryingAxes(table, runs);
  if (varying.empty())
    throw UsageError("--plot: nothing varies. Expected: a table with several values in [vary]");
  SweepPlot plot;
  plot.title = figure.title;
  plot.unit = figure.unit;
  plot.page_unit = figure.page_unit;
  plot.page_scale = figure.page_scale;
  plot.column = figure.column;
  plot.x = wish.x.empty() ? ChooseX(table, varying) : FindAxis("--x", wish.x, table);
  if (!wish.by.empty()) {
    plot.by = FindAxis("--by", wish.by, table);
    if (VariesWith(table, plot.x, *plot.by)) {
      throw UsageError(fmt::format("--x and --by: '{}' and '{}' vary together. Expected: two axes",
                                   Printable(wish.x.empty() ? table.axes[plot.x].key : wish.x),
                                   Printable(wish.by)));
    }
  }
  return plot;
}

std::string PlotText(const SweepPlot& plot, const SweepTable& table,
                     const std::vector<SweepRun>& runs, const std::vector<SweepResult>& results) {
  const std::vector<std::string> curves = CurvesOf(plot, table, runs);
  std::vector<std::string> xs;
  std::map<std::pair<std::string, std::string>, std::optional<double>> values;  // by x and curve
  std::set<std::pair<std::string, std::string>> knees;
  const std::vector<std::optional<bool>> marks =
      MarkKnees(runs.size(), FindKnees(table, runs, results));
  for (std::size_t row = 0; row < runs.size(); ++row) {
    xs.push_back(runs[row].shown[plot.x]);
    values[{xs.back(), curves[row]}] = ValueOf(results[row], plot.column);
    if (marks[row].value_or(false)) knees.insert({xs.back(), curves[row]});
  }
  const std::vector<std::string> lines = Distinct(xs), columns = Distinct(curves);
  const std::string unit = plot.unit.empty() ? "" : " [" + plot.unit + "]";
  std::vector<std::vector<std::string>> rows = {{table.axes[plot.x].key}};
  for (const std::string& column : columns) rows[0].push_back(column.empty() ? plot.title : column);
  for (const std::string& line : lines) {
    rows.push_back({line});
    for (const std::string& column : columns) {
      const auto found = values.find({line, column});
      const bool known = found != values.end() && found->second;
      rows.back().push_back(!known ? "-"
                            : plot.unit.empty() && plot.page_unit.empty()
                                ? fmt::format("{:.0f}", *found->second)
                                : fmt::format("{:.2f}", *found->second));
      if (knees.count({line, column}) > 0) rows.back().back() += " knee";
    }
  }
  return fmt::format("{}{} by {}\n", plot.title, unit, table.axes[plot.x].key) +
         ColumnText(rows, 1);
}

SweptPlot PlotOfPage(const SweepPlot& plot, const std::vector<SweepResult>& results,
                     const std::vector<std::size_t>& rows) {
  SweptPlot page{plot.title, plot.page_unit, plot.x, plot.by, {}};
  for (const std::size_t row : rows) {
    const std::optional<double> value = ValueOf(results[row], plot.column);
    page.values.push_back(value ? std::optional<double>(*value * plot.page_scale) : std::nullopt);
  }
  return page;
}

}  // namespace heddle
