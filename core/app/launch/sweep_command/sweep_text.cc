// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/app/launch/sweep_command/sweep_knee.h"

namespace heddle {
namespace {

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kMostNamed = 4;  ///< runs of one reason

using FigureMember = std::optional<double> SweepFigures::*;
struct TextColumn {
  const char* head;
  FigureMember figure;
  int decimals;
  double scale = 1;  ///< from the figure to what is printed
};
/// Figures of steps, and of flows without steps.
constexpr TextColumn kStepColumns[] = {{"step us", &SweepFigures::step_us, 1},
                                       {"exposed us", &SweepFigures::exposed_us, 1},
                                       {"busbw GB/s", &SweepFigures::busbw_gbyte_per_s, 2}};
constexpr TextColumn kFlowColumns[] = {{"completion us", &SweepFigures::completion_us, 1},
                                       {"p99 fct us", &SweepFigures::fct_p99_us, 1},
                                       {"p99 slowdown", &SweepFigures::slowdown_p99, 2}};

/// Of requests to a language model.
constexpr TextColumn kServingColumns[] = {{"TTFT p50 ms", &SweepFigures::ttft_p50_us, 1, 1e-3},
                                          {"p99 ms", &SweepFigures::ttft_p99_us, 1, 1e-3},
                                          {"TPOT p50 ms", &SweepFigures::tpot_p50_us, 2, 1e-3},
                                          {"p99 ms", &SweepFigures::tpot_p99_us, 2, 1e-3},
                                          {"goodput/s", &SweepFigures::goodput_per_s, 2},
                                          {"kept %", &SweepFigures::kept, 1, 100}};

bool SomeHave(const std::vector<SweepResult>& results, FigureMember figure) {
  return std::any_of(results.begin(), results.end(),
                     [&](const SweepResult& result) { return result.figures.*figure; });
}

/// Columns that some run fills; the first is the time of the differences.
std::vector<TextColumn> ColumnsOf(const std::vector<SweepResult>& results) {
  std::vector<TextColumn> columns;
  const auto add = [&](const auto& all) {
    for (const TextColumn& column : all) {
      if (SomeHave(results, column.figure)) columns.push_back(column);
    }
  };
  if (SomeHave(results, &SweepFigures::ttft_p50_us)) {
    add(kServingColumns);
  } else if (SomeHave(results, &SweepFigures::step_us)) {
    add(kStepColumns);
  } else {
    add(kFlowColumns);
  }
  return columns;
}

/// For each run the first with the same traffic that has a time; itself if it is that one.
std::vector<std::size_t> FirstsOf(const SweepTable& table, const std::vector<SweepRun>& runs,
                                  const std::vector<SweepResult>& results, FigureMember time) {
  std::map<std::vector<std::string>, std::size_t> first;
  std::vector<std::size_t> firsts;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    std::vector<std::string> traffic;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
      if (IsTrafficKey(table.axes[axis].key)) traffic.push_back(runs[row].values[axis]);
    }
    firsts.push_back(results[row].figures.*time ? first.emplace(traffic, row).first->second : row);
  }
  return firsts;
}

std::string Text(const std::optional<double>& value, const TextColumn& column) {
  return value ? fmt::format("{:.{}f}", *value * column.scale, column.decimals) : "-";
}

std::string LastPart(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// "a, b, c, d and 3 more"
std::string NamesOf(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

/// The cells of one run, after its axes.
class Cells {
 public:
  Cells(std::vector<TextColumn> columns, std::vector<std::size_t> firsts,
        std::vector<std::optional<bool>> knees)
      : columns_(std::move(columns)), firsts_(std::move(firsts)), knees_(std::move(knees)) {
    has_knees_ = std::any_of(knees_.begin(), knees_.end(),
                             [](const std::optional<bool>& knee) { return knee.has_value(); });
    for (std::size_t row = 0; row < firsts_.size(); ++row) differs_ |= firsts_[row] != row;
  }

  void AddHeads(std::vector<std::string>* cells) const {
    for (const TextColumn& column : columns_) cells->emplace_back(column.head);
    if (differs_) cells->emplace_back("to the first");
    if (has_knees_) cells->emplace_back("knee");
  }

  void Add(const std::vector<SweepResult>& results, std::size_t row,
           std::vector<std::string>* cells) const {
    for (const TextColumn& column : columns_)
      cells->push_back(Text(results[row].figures.*column.figure, column));
    if (!results[row].complete())
      cells->at(cells->size() - columns_.size()) = ToText(results[row].state);
    if (differs_) AddDifference(results, row, cells);
    if (has_knees_) cells->emplace_back(knees_[row].value_or(false) ? "knee" : "");
  }

 private:
  void AddDifference(const std::vector<SweepResult>& results, std::size_t row,
                     std::vector<std::string>* cells) const {
    const std::optional<double> time = results[row].figures.*columns_[0].figure;
    const std::optional<double> first = results[firsts_[row]].figures.*columns_[0].figure;
    const bool known = time && first && *first > 0 && firsts_[row] != row;
    cells->push_back(known ? fmt::format("{:+.1f} %", 100 * (*time / *first - 1)) : "");
  }

  std::vector<TextColumn> columns_;
  std::vector<std::size_t> firsts_;
  std::vector<std::optional<bool>> knees_;
  bool has_knees_ = false;
  bool differs_ = false;  // some run has another with the same traffic before it
};

}  // namespace

bool IsTrafficKey(const std::string& key) {
  const std::set<std::string> keys = {"size",       "collective",      "workload", "trace",
                                      "flows",      "passes",          "seed",     "serve.requests",
                                      "serve.rate", "serve.rate_scale"};
  return keys.count(key) > 0;
}

std::string ColumnText(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < left ? fmt::format("{:<{}}", row[i], widths[i])
                       : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string SweepText(const SweepTable& table, const std::vector<SweepRun>& runs,
                      const std::vector<SweepResult>& results) {
  const std::vector<TextColumn> columns = ColumnsOf(results);
  if (columns.empty()) return "";
  const std::vector<std::size_t> axes = VaryingAxes(table, runs);
  const Cells cells(columns, FirstsOf(table, runs, results, columns[0].figure),
                    MarkKnees(runs.size(), FindKnees(table, runs, results)));
  std::vector<std::vector<std::string>> rows(1);
  for (const std::size_t axis : axes) rows[0].push_back(LastPart(table.axes[axis].key));
  if (axes.empty()) rows[0].emplace_back("run");
  cells.AddHeads(&rows[0]);
  for (std::size_t row = 0; row < std::min(runs.size(), kMostLines); ++row) {
    rows.emplace_back();
    for (const std::size_t axis : axes) rows.back().push_back(runs[row].shown[axis]);
    if (axes.empty()) rows.back().push_back(runs[row].name);
    cells.Add(results, row, &rows.back());
  }
  std::string text = ColumnText(rows, std::max<std::size_t>(axes.size(), 1));
  if (runs.size() > kMostLines)
    text += fmt::format("and {} more; table.csv of --collect has all\n", runs.size() - kMostLines);
  for (const std::string& sentence : KneeSentences(table, runs, results)) text += sentence + "\n";
  return text;
}

std::string FailureText(const std::vector<SweepRun>& runs,
                        const std::vector<SweepResult>& results) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // runs by reason
  for (std::size_t row = 0; row < runs.size(); ++row) {
    const SweepResult& result = results[row];
    if (result.state != RunState::kFailed && result.state != RunState::kStalled) continue;
    const std::string reason =
        fmt::format("{}: {}", ToText(result.state),
                    result.reason.empty() ? "something did not come to its end" : result.reason);
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& one) { return one.first == reason; });
    if (known != reasons.end()) {
      known->second.push_back(runs[row].name);
    } else {
      reasons.push_back({reason, {runs[row].name}});
    }
  }
  std::string text;
  for (const auto& [reason, names] : reasons) text += NamesOf(names) + ": " + reason + "\n";
  return text;
}

}  // namespace heddle
