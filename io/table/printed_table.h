// SPDX-License-Identifier: GPL-2.0-only
/// How a table is printed: a row in a list says what a column is, and text, CSV and JSON are made
/// of that list. A column that is in one of them is in the others, too, or says that it is not.
///
/// JSON and CSV have values at full precision under the keys that results have (unit at the end:
/// "busy_ps"); text has them in the units that people read.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle {

/// Keys stay in the order in which they are added.
using OrderedJson = nlohmann::ordered_json;

/// One column of a table whose rows are of type Row.
template <class Row>
struct PrintedColumn {
  const char* key;  ///< in JSON and CSV
  /// Returns a row's value at full precision; null: it is missing there.
  std::function<OrderedJson(const Row&)> value;
  std::string head = {};  ///< in text
  int width = 0;          ///< in text; negative: to the left; 0: text does not have this column
  /// In text; none: the value as it is.
  std::function<std::string(const Row&)> text{};
};
template <class Row>
using PrintedColumns = std::vector<PrintedColumn<Row>>;

/// Returns `text`, filled with blanks up to `width` columns; negative: on the right.
std::string Padded(const std::string& text, int width);
/// Returns a value in text: texts without quotes, "-" for null.
std::string PlainText(const OrderedJson& value);
/// Returns a value in CSV: numbers that are not whole with six decimals, texts by CsvField(),
/// nothing for null.
std::string CsvText(const OrderedJson& value);

/// Returns the line of heads, with its end.
template <class Row>
std::string PrintedHead(const PrintedColumns<Row>& columns) {
  std::string line;
  for (const PrintedColumn<Row>& column : columns) {
    if (column.width != 0) line += Padded(column.head, column.width);
  }
  return line + "\n";
}

/// Returns the line of a row, with its end.
template <class Row>
std::string PrintedLine(const PrintedColumns<Row>& columns, const Row& row) {
  std::string line;
  for (const PrintedColumn<Row>& column : columns) {
    if (column.width == 0) continue;
    line += Padded(column.text ? column.text(row) : PlainText(column.value(row)), column.width);
  }
  return line + "\n";
}

/// Returns the line of keys, with its end.
template <class Row>
std::string PrintedCsvHead(const PrintedColumns<Row>& columns) {
  std::string line;
  for (const PrintedColumn<Row>& column : columns)
    line += (line.empty() ? "" : ",") + std::string(column.key);
  return line + "\n";
}

/// Returns the line of a row as CSV, with its end.
template <class Row>
std::string PrintedCsvLine(const PrintedColumns<Row>& columns, const Row& row) {
  std::string line;
  bool first = true;
  for (const PrintedColumn<Row>& column : columns) {
    if (!first) line += ',';
    first = false;
    line += CsvText(column.value(row));
  }
  return line + "\n";
}

/// Returns an object whose keys are the columns.
template <class Row>
OrderedJson PrintedObject(const PrintedColumns<Row>& columns, const Row& row) {
  OrderedJson object = OrderedJson::object();
  for (const PrintedColumn<Row>& column : columns) object[column.key] = column.value(row);
  return object;
}

/// Returns a list with an object for each row.
template <class Row, class Rows>
OrderedJson PrintedList(const PrintedColumns<Row>& columns, const Rows& rows) {
  OrderedJson list = OrderedJson::array();
  for (const Row& row : rows) list.push_back(PrintedObject(columns, row));
  return list;
}

}  // namespace heddle
