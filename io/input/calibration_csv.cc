// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/calibration_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/ids.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::string_view kFirstLine = "# heddle calibration 2";
constexpr std::string_view kColumns =
    "operation,algorithm,protocol,ranks,servers,bytes,time_us,closed_form_us";
constexpr std::size_t kColumnCount = 8;
constexpr double kMicro = 1e-6;

using KindKey = std::tuple<Operation, Algorithm, Protocol, std::uint32_t, std::uint32_t>;
KindKey KeyOf(const CalibratedKind& kind) {
  return {kind.operation, kind.algorithm, kind.protocol, kind.ranks, kind.servers};
}

std::vector<std::string_view> FieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// The value of an enum that `field` names, of those before `end`.
template <class Enum>
Enum NamedValue(std::string_view field, const char* what, int begin, int end,
                const SourceLine& where) {
  std::vector<std::string> names;
  for (int i = begin; i < end; ++i) {
    names.emplace_back(ToText(static_cast<Enum>(i)));
    if (field == names.back()) return static_cast<Enum>(i);
  }
  FailInput(where, fmt::format("{} {}", what, Quote(field)),
            fmt::format("{}", fmt::join(names, ", ")));
}

template <class Number>
Number NumberIn(std::string_view field, const char* what, Number least, Number most,
                const SourceLine& where) {
  const std::optional<Number> number = ReadNumber<Number>(field);
  if (!number || !(*number >= least && *number <= most))
    FailInput(where, fmt::format("{} {}", what, Quote(field)),
              fmt::format("a number from {} to {}", least, most));
  return *number;
}

CalibrationRow RowOf(const std::vector<std::string_view>& fields, const SourceLine& where) {
  CalibrationRow row;
  row.kind.operation = NamedValue<Operation>(fields[0], "operation", 1,
                                             static_cast<int>(Operation::kSendRecv) + 1, where);
  row.kind.algorithm =
      NamedValue<Algorithm>(fields[1], "algorithm", 0, static_cast<int>(kAlgorithms), where);
  row.kind.protocol = NamedValue<Protocol>(fields[2], "protocol", 0,
                                           static_cast<int>(CountNamed<Protocol>()), where);
  row.kind.ranks = NumberIn<std::uint32_t>(fields[3], "ranks", 2, kMaxNodes, where);
  row.kind.servers = NumberIn<std::uint32_t>(fields[4], "servers", 1, row.kind.ranks, where);
  row.bytes = NumberIn<std::int64_t>(fields[5], "bytes", 1, INT64_MAX, where);
  const auto seconds = [&](std::size_t field, const char* what) {
    return NumberIn<double>(fields[field], what, kLeastCalibrated / kMicro,
                            kMostCalibrated / kMicro, where) *
           kMicro;
  };
  row.seconds = seconds(6, "time_us");
  row.closed_form = seconds(7, "closed_form_us");
  return row;
}

/// The first line, then the names of the columns after further comments.
void ReadHead(LineReader* lines) {
  std::string_view line;
  if (!lines->Next(&line) || line != kFirstLine)
    FailInput(lines->where(), fmt::format("first line {}", Quote(line)),
              fmt::format("'{}', as heddle calibrate writes it", kFirstLine));
  while (lines->NextFilled(&line)) {
    if (line.front() == '#') continue;
    if (line == kColumns) return;
    FailInput(lines->where(), Quote(line), fmt::format("the columns {}", kColumns));
  }
  FailInput(lines->whole_file(), "no columns", std::string(kColumns));
}

}  // namespace

std::vector<CalibrationRow> ParseCalibration(std::string_view text, const std::string& name) {
  LineReader lines(text, name);
  ReadHead(&lines);
  std::vector<CalibrationRow> rows;
  std::set<std::pair<KindKey, std::int64_t>> sizes;
  std::string_view line;
  while (lines.NextFilled(&line)) {
    if (line.front() == '#') continue;
    const std::vector<std::string_view> fields = FieldsOf(line);
    if (fields.size() != kColumnCount)
      FailInput(lines.where(), fmt::format("{} columns", fields.size()),
                fmt::format("{}: {}", kColumnCount, kColumns));
    rows.push_back(RowOf(fields, lines.where()));
    const CalibrationRow& row = rows.back();
    if (!sizes.emplace(KeyOf(row.kind), row.bytes).second)
      FailInput(lines.where(), fmt::format("bytes {} a second time", row.bytes),
                "each size of a kind once");
  }
  if (rows.empty()) FailInput(lines.whole_file(), "no rows", "at least one below the columns");
  return rows;
}

std::string CalibrationText(const std::vector<CalibrationRow>& rows,
                            const std::vector<std::string>& notes) {
  std::string text = std::string(kFirstLine) + "\n";
  for (const std::string& note : notes) text += "# " + note + "\n";
  text += std::string(kColumns) + "\n";
  for (const CalibrationRow& row : rows)
    text +=
        fmt::format("{},{},{},{},{},{},{:.9g},{:.9g}\n", ToText(row.kind.operation),
                    ToText(row.kind.algorithm), ToText(row.kind.protocol), row.kind.ranks,
                    row.kind.servers, row.bytes, row.seconds / kMicro, row.closed_form / kMicro);
  return text;
}

}  // namespace heddle
