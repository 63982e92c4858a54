// SPDX-License-Identifier: GPL-2.0-only
/// BurstGPT's traces: `12.0,3,4.1,GPT-4,512,128,640,API log`.
#include <fmt/format.h>

#include <cmath>

#include "core/options/token_reader.h"
#include "io/serving/csv_columns.h"
#include "io/serving/request_formats.h"
#include "io/serving/request_rows.h"

namespace heddle {
namespace {

/// Seconds from 0 to 101 days, in whole nanoseconds.
Time ReadSeconds(std::string_view field, const SourceLine& where) {
  const auto seconds = ReadNumber<double>(field);
  constexpr double kMost = 101.0 * 86'400;
  if (!seconds || !(*seconds >= 0 && *seconds <= kMost))
    FailInput(where, "Timestamp " + Quote(field), "seconds from 0 to 101 days");
  return NanoSeconds(std::llround(*seconds * 1e9));
}

}  // namespace

RequestFile ParseBurstGptRequests(std::string_view text, const std::string& name) {
  enum Place : std::size_t { kTime, kSession, kElapsed, kModel, kInput, kOutput, kTotal, kLog };
  RequestRows rows("BurstGPT");
  LineReader lines(text, name);
  std::string_view line;
  lines.NextFilled(&line);
  CsvColumns columns(line,
                     {{"Timestamp", true},
                      {"Session ID", false},
                      {"Elapsed time", false},
                      {"Model", true},
                      {"Request tokens", true},
                      {"Response tokens", true},
                      {"Total tokens", true},
                      {"Log Type", true}},
                     lines);
  while (lines.NextFilled(&line)) {
    columns.Split(line, lines);
    const SourceLine where = lines.where();
    const std::int64_t input = ReadTokens(columns.field(kInput), "Request tokens", where);
    const std::int64_t output = ReadTokens(columns.field(kOutput), "Response tokens", where);
    const std::int64_t total = ReadTokens(columns.field(kTotal), "Total tokens", where);
    if (total != input + output)
      FailInput(where, fmt::format("Total tokens {}", total),
                fmt::format("{}, request and response tokens together", input + output));
    rows.Add(ReadSeconds(columns.field(kTime), where), input, output, where);
  }
  return rows.Finish(lines.whole_file());
}

}  // namespace heddle
