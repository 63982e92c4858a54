// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/printed_table.h"

#include <fmt/format.h>

#include <cstdlib>

#include "io/table/csv_field.h"

namespace heddle {

std::string Padded(const std::string& text, int width) {
  return width < 0 ? fmt::format("{:<{}}", text, std::abs(width))
                   : fmt::format("{:>{}}", text, width);
}

std::string PlainText(const OrderedJson& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string CsvText(const OrderedJson& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return CsvField(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.6f}", value.get<double>());
  return value.is_boolean() ? (value.get<bool>() ? "1" : "0") : value.dump();
}

}  // namespace heddle
