// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/csv_columns.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

std::vector<std::string_view> FieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(Trim(line.substr(0, comma)));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

CsvColumns::CsvColumns(std::string_view head, const std::vector<Known>& known,
                       const LineReader& lines)
    : place_(known.size(), kMissing), fields_(FieldsOf(head)) {
  std::vector<std::string> names;
  for (const Known& column : known) names.emplace_back(column.name);
  for (const std::string& name : names) head_ += (head_.empty() ? "" : ",") + name;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    std::size_t at = 0;
    while (at < names.size() && names[at] != fields_[i]) ++at;
    if (at == names.size())
      FailInput(
          lines.where(),
          fmt::format("unknown column '{}'{}", Printable(fields_[i]), NearestIs(fields_[i], names)),
          head_);
    if (place_[at] != kMissing)
      FailInput(lines.where(), fmt::format("column '{}' a second time", names[at]), head_);
    place_[at] = i;
  }
  for (std::size_t at = 0; at < known.size(); ++at) {
    if (known[at].required && place_[at] == kMissing)
      FailInput(lines.where(), fmt::format("no column '{}'", names[at]), head_);
  }
}

void CsvColumns::Split(std::string_view line, const LineReader& lines) {
  const std::size_t columns = fields_.size();
  std::vector<std::string_view> fields = FieldsOf(line);
  if (fields.size() != columns)
    FailInput(lines.where(),
              fmt::format("{} column{}", fields.size(), fields.size() == 1 ? "" : "s"),
              fmt::format("{}, as the head has", columns));
  fields_ = std::move(fields);
}

}  // namespace heddle
