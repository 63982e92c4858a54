// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/csv_field.h"

#include <charconv>

namespace heddle {
namespace {

bool IsNumber(std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool LooksLikeFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != text.npos &&
         !IsNumber(text);
}

}  // namespace

std::string CsvField(std::string_view text) {
  std::string field = LooksLikeFormula(text) ? "'" : "";
  field += text;
  if (field.find_first_of(",;\t\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace heddle
