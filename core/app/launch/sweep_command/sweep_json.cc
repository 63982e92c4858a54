// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_json.h"

#include <optional>
#include <utility>

#include "core/app/launch/sweep_command/sweep_knee.h"
#include "io/analysis/sweep_figures.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

constexpr int kSweepSchema = 1;

OrderedJson DocumentOf(OrderedJson rows) {
  OrderedJson document = JsonDocument("sweep", kSweepSchema);
  document["runs"] = std::move(rows);
  return document;
}

OrderedJson RowOf(OrderedJson name, const std::string& file, OrderedJson values,
                  const SweepResult& result, std::optional<bool> knee) {
  OrderedJson row = {{"run", std::move(name)},
                     {"result", file},
                     {"state", ToText(result.state)},
                     {"reason", NullIfEmpty(result.reason)},
                     {"values", std::move(values)}};
  row.update(PrintedObject(FigureColumns(), result.figures));
  row["knee"] = OrNull(knee);
  return row;
}

}  // namespace

OrderedJson SweepJson(const SweepTable& table, const std::vector<SweepRun>& runs,
                      const std::vector<SweepResult>& results) {
  OrderedJson rows = OrderedJson::array();
  const std::vector<std::optional<bool>> knees =
      MarkKnees(runs.size(), FindKnees(table, runs, results));
  for (std::size_t row = 0; row < runs.size(); ++row) {
    OrderedJson values = OrderedJson::object();
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
      values[table.axes[axis].key] = runs[row].values[axis];
    rows.push_back(
        RowOf(runs[row].name, runs[row].result, std::move(values), results[row], knees[row]));
  }
  return DocumentOf(std::move(rows));
}

OrderedJson FiguresJson(const std::vector<std::string>& results) {
  OrderedJson rows = OrderedJson::array();
  for (const std::string& file : results) {
    SweepResult result;
    result.figures = FiguresOf(ResultReader(file));
    result.state = result.figures.completion_us ? RunState::kDone : RunState::kStalled;
    rows.push_back(RowOf(nullptr, file, OrderedJson::object(), result, std::nullopt));
  }
  return DocumentOf(std::move(rows));
}

}  // namespace heddle
