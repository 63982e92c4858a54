// SPDX-License-Identifier: GPL-2.0-only
/// Azure's traces: `2023-11-16 18:17:03.9799600,4808,10`; of 2024: with "+00:00" behind the time.
#include <fmt/format.h>

#include "core/options/token_reader.h"
#include "io/serving/csv_columns.h"
#include "io/serving/request_formats.h"
#include "io/serving/request_rows.h"

namespace heddle {
namespace {

/// Days from 1970-01-01. Source: the Gregorian calendar, with years that begin in March.
std::int64_t DaysTo(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t shifted = month > 2 ? year : year - 1;
  const std::int64_t era_year = shifted % 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return shifted / 400 * 146'097 + era_year * 365 + era_year / 4 - era_year / 100 + day_of_year -
         719'468;
}

/// Takes `digits` digits and then `end`, 0 for none, from the front. Returns -1 for other text.
std::int64_t TakeDigits(std::string_view* text, std::size_t digits, char end) {
  const std::string_view word = text->substr(0, digits);
  const auto number = ReadNumber<std::uint32_t>(word);
  const std::size_t length = digits + (end == 0 ? 0 : 1);
  if (word.size() != digits || !number || text->size() < length) return -1;
  if (end != 0 && (*text)[digits] != end) return -1;
  text->remove_prefix(length);
  return *number;
}

/// ".9799600" or nothing, up to nanoseconds; -1 for other text.
std::int64_t TakeFraction(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != '.' || text.size() < 2 || text.size() > 10) return -1;
  text.remove_prefix(1);
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const char c = i < text.size() ? text[i] : '0';
    if (c < '0' || c > '9') return -1;
    ns = 10 * ns + (c - '0');
  }
  return ns;
}

/// A date and a time of the day, [ns] from 1970; -1 for other text.
std::int64_t NanosecondsOf(std::string_view text) {
  constexpr std::string_view kZone = "+00:00";
  if (text.size() > kZone.size() && text.substr(text.size() - kZone.size()) == kZone)
    text.remove_suffix(kZone.size());
  const std::int64_t year = TakeDigits(&text, 4, '-'), month = TakeDigits(&text, 2, '-');
  const std::int64_t day = TakeDigits(&text, 2, ' ');
  const std::int64_t hour = TakeDigits(&text, 2, ':'), minute = TakeDigits(&text, 2, ':');
  const std::int64_t second = TakeDigits(&text, 2, 0), ns = TakeFraction(text);
  const bool date =
      year >= 1970 && year <= 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const bool time =
      hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!date || !time || ns < 0) return -1;
  return (((DaysTo(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000 +
         ns;
}

}  // namespace

RequestFile ParseAzureRequests(std::string_view text, const std::string& name) {
  enum Place : std::size_t { kTime, kInput, kOutput };
  RequestRows rows("Azure");
  LineReader lines(text, name);
  std::string_view line;
  lines.NextFilled(&line);
  CsvColumns columns(
      line, {{"TIMESTAMP", true}, {"ContextTokens", true}, {"GeneratedTokens", true}}, lines);
  std::int64_t origin = -1;
  while (lines.NextFilled(&line)) {
    columns.Split(line, lines);
    const SourceLine where = lines.where();
    const std::int64_t ns = NanosecondsOf(columns.field(kTime));
    if (ns < 0)
      FailInput(where, "TIMESTAMP " + Quote(columns.field(kTime)),
                "a time such as 2023-11-16 18:17:03.9799600");
    if (origin < 0) origin = ns;
    constexpr std::int64_t kMostNs = 101LL * 86'400 * 1'000'000'000;
    const std::int64_t since = ns - origin;
    rows.Add(NanoSeconds(std::min(std::max(since, -kMostNs), kMostNs)),
             ReadTokens(columns.field(kInput), "ContextTokens", where),
             ReadTokens(columns.field(kOutput), "GeneratedTokens", where), where);
  }
  return rows.Finish(lines.whole_file());
}

}  // namespace heddle
