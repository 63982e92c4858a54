// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/comparison_json.h"

#include <optional>
#include <utility>

namespace heddle {
namespace {

constexpr int kCompareSchema = 1;

PrintedColumns<AttributeDifference> AttributeColumns() {
  return {{"name", &AttributeDifference::name},
          {"a", &AttributeDifference::a},
          {"b", &AttributeDifference::b},
          {"counts", &AttributeDifference::counts}};
}

PrintedColumns<RowExample> RowColumns() {
  return {{"row", &RowExample::row}, {"a", &RowExample::a}, {"b", &RowExample::b}};
}

PrintedColumns<ColumnDifference> ColumnColumns() {
  using Column = ColumnDifference;
  const auto figure = [](double Column::*member) {
    return [member](const Column& column) { return NullUnless(!column.text, column.*member); };
  };
  return {{"column", &Column::name},
          {"unit", &Column::unit},
          {"rows", &Column::rows},
          {"largest_absolute", figure(&Column::largest_absolute)},
          {"largest_relative", figure(&Column::largest_relative)},
          {"mean_a", figure(&Column::mean_a)},
          {"mean_b", figure(&Column::mean_b)},
          {"first", [](const Column& column) { return PrintedObject(RowColumns(), column.first); }},
          {"worst", [](const Column& column) { return PrintedList(RowColumns(), column.worst); }}};
}

PrintedColumns<TableDifference> TableColumns() {
  using Difference = TableDifference;
  return {{"table", &Difference::name},
          {"rows_in_both", &Difference::matched},
          {"rows_only_a", &Difference::only_a},
          {"rows_only_b", &Difference::only_b},
          {"first_only_a", [](const Difference& d) { return NullIfEmpty(d.first_only_a); }},
          {"first_only_b", [](const Difference& d) { return NullIfEmpty(d.first_only_b); }},
          {"structure", &Difference::structure},
          {"columns", [](const Difference& d) { return PrintedList(ColumnColumns(), d.columns); }}};
}

PrintedColumns<Distribution> DistributionColumns() {
  return {{"mean", &Distribution::mean},
          {"p50", &Distribution::p50},
          {"p99", &Distribution::p99},
          {"largest", &Distribution::largest}};
}

OrderedJson FiguresJson(const std::optional<FlowSummary>& flows) {
  if (!flows) return nullptr;
  const bool any = flows->finished > 0;
  const auto spread = [any](const Distribution& of) {
    return NullUnless(any, PrintedObject(DistributionColumns(), of));
  };
  return {{"end_ps", flows->simulated_ps},     {"flows", flows->planned},
          {"finished_flows", flows->finished}, {"packet_hops", flows->packet_hops},
          {"fct_ps", spread(flows->fct_ps)},   {"slowdown", spread(flows->slowdown)}};
}

}  // namespace

OrderedJson ComparisonJson(const ResultComparison& found, const std::string& a,
                           const std::string& b, OrderedJson backends) {
  OrderedJson document = JsonDocument("compare", kCompareSchema);
  document["a"] = a;
  document["b"] = b;
  document["equal"] = found.equal();
  document["tables_compared"] = found.tables_compared;
  document["rows_compared"] = found.rows_compared;
  document["figures_a"] = FiguresJson(found.a);
  document["figures_b"] = FiguresJson(found.b);
  document["backends"] = std::move(backends);
  document["attributes"] = PrintedList(AttributeColumns(), found.attributes);
  document["tables_only_a"] = found.tables_only_a;
  document["tables_only_b"] = found.tables_only_b;
  document["tables"] = PrintedList(TableColumns(), found.tables);
  return document;
}

}  // namespace heddle
