// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/failure_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/base/time_limits.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

using What = FailureEvent::What;

constexpr const char* kFailureHeader = "time,event,a,b,rate,cable";
enum Column : std::size_t { kTime, kEvent, kA, kB, kRate, kCable, kEventColumns };
constexpr std::size_t kLeastColumns = kA + 1;
using EventRow = std::array<std::string_view, kEventColumns>;  // omitted columns are empty

struct EventName {
  std::string_view name;
  What what;
};
constexpr EventName kEvents[] = {{"link_down", What::kLinkDown},
                                 {"link_up", What::kLinkUp},
                                 {"link_rate", What::kLinkRate},
                                 {"node_down", What::kNodeDown},
                                 {"node_up", What::kNodeUp}};

std::string_view Unquote(std::string_view field) {
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? Trim(field.substr(1, field.size() - 2)) : field;
}

EventRow SplitEvent(std::string_view line, const SourceLine& where) {
  const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (count < kLeastColumns || count > kEventColumns) {
    FailInput(where, fmt::format("{} column{}", count, count == 1 ? "" : "s"),
              fmt::format("{} to {} columns, {}", kLeastColumns, std::size_t{kEventColumns},
                          kFailureHeader));
  }
  EventRow row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t comma = line.find(',');
    row[i] = Unquote(Trim(line.substr(0, comma)));
    if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
  }
  return row;
}

bool IsHeader(const EventRow& row) {
  const auto is = [&](Column column, std::string_view name) { return row[column] == name; };
  return is(kTime, "time") && is(kEvent, "event") && is(kA, "a") && (is(kB, "b") || is(kB, "")) &&
         (is(kRate, "rate") || is(kRate, "")) && (is(kCable, "cable") || is(kCable, ""));
}

bool HasUnit(std::string_view time) {
  return !time.empty() && std::isalpha(static_cast<unsigned char>(time.back())) != 0;
}

Time ReadTime(std::string_view field, const char* bare_unit, const SourceLine& where) {
  Time time = Time::Max();
  try {
    time = ParseTime(HasUnit(field) ? std::string(field) : std::string(field).append(bare_unit));
  } catch (const UserError&) {
  }
  if (time > kLatestInput) {
    FailInput(where, fmt::format("time {}", Quote(field)),
              fmt::format("a time such as 5us, or a number of {}; zero or more, at most 100 days",
                          bare_unit));
  }
  return time;
}

std::uint32_t ReadIndex(std::string_view field, const char* name, const SourceLine& where,
                        const char* expected = "a number from 0") {
  std::uint32_t number = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc() || stop != end || number == FailureEvent::kAllCables) {
    FailInput(where, fmt::format("{} {}", name, Quote(field)), expected);
  }
  return number;
}

/// A node's number, or its name, which has a letter in it.
NodeId ReadNode(std::string_view field, std::string* name, const SourceLine& where) {
  const bool is_name = std::any_of(field.begin(), field.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
  if (!is_name)
    return NodeId(ReadIndex(field, "node", where, "a number from 0, or a name such as leaf 5"));
  *name = std::string(field);
  return NodeId();
}

What ReadEvent(std::string_view field, const SourceLine& where) {
  for (const EventName& event : kEvents) {
    if (field == event.name) return event.what;
  }
  FailInput(where, fmt::format("event {}", Quote(field)),
            "link_down, link_up, link_rate, node_down or node_up");
}

void RefuseUnused(std::string_view field, const char* column, const EventRow& row,
                  const SourceLine& where) {
  if (field.empty()) return;
  FailInput(where, fmt::format("{} {} at a {}", column, Quote(field), row[kEvent]),
            fmt::format("an empty {}", column));
}

BitRate ReadRate(std::string_view field, const SourceLine& where) {
  BitRate rate;
  try {
    rate = ParseBitRate(field);
  } catch (const UserError&) {
  }
  if (rate < kLowestLinkRate || kHighestLinkRate < rate) {
    FailInput(where, fmt::format("rate {}", Quote(field)), kLinkRateRange);
  }
  return rate;
}

FailureEvent ReadEventRow(const EventRow& row, SourceLine where) {
  FailureEvent event;
  event.time = ReadTime(row[kTime], "ns", where);
  event.what = ReadEvent(row[kEvent], where);
  event.a = ReadNode(row[kA], &event.a_name, where);
  if (event.what == What::kNodeDown || event.what == What::kNodeUp) {
    RefuseUnused(row[kB], "b", row, where);
    RefuseUnused(row[kCable], "cable", row, where);
  } else {
    event.b = ReadNode(row[kB], &event.b_name, where);
    if (!row[kCable].empty()) event.cable = ReadIndex(row[kCable], "cable", where);
  }
  if (event.what == What::kLinkRate) {
    event.rate = ReadRate(row[kRate], where);
  } else {
    RefuseUnused(row[kRate], "rate", row, where);
  }
  event.where = std::move(where);
  return event;
}

}  // namespace

std::vector<FailureEvent> ParseFailureCsv(std::string_view text, const std::string& name) {
  LineReader lines(text, name);
  std::vector<FailureEvent> events;
  bool first = true;
  std::string_view line;
  while (lines.NextFilled(&line)) {
    if (line.front() == '#') continue;
    const EventRow row = SplitEvent(line, lines.where());
    if (std::exchange(first, false) && IsHeader(row)) continue;
    events.push_back(ReadEventRow(row, lines.where()));
  }
  if (events.empty()) {
    FailInput(lines.whole_file(), "no event", fmt::format("at least one line {}", kFailureHeader));
  }
  return events;
}

std::vector<FailureEvent> ReadFailureCsv(const std::string& path) {
  return ReadAs(FileKind::kFailures, path,
                [&] { return ParseFailureCsv(ReadTextFile(path), path); });
}

std::optional<FailureEvent> ParseLinkDown(std::string_view text) {
  const SourceLine where{"LINK_DOWN", 0};
  std::string_view rest = text;
  const std::string_view time = TakeWord(&rest);
  const std::string_view a = TakeWord(&rest);
  const std::string_view b = TakeWord(&rest);
  if (b.empty() || !Trim(rest).empty()) {
    FailInput(where, Quote(text), "three words, time node node (0 0 0: none)");
  }
  FailureEvent event;
  event.time = ReadTime(time, "us", where);
  event.a = NodeId(ReadIndex(a, "node", where));
  event.b = NodeId(ReadIndex(b, "node", where));
  event.where = where;
  if (event.time == Time{0}) {
    if (event.a == NodeId(0) && event.b == NodeId(0)) return std::nullopt;
    // SimAI takes time 0 as "no failure", for any nodes; the author of the file may mean either.
    FailInput(where, fmt::format("{}, a failure at time 0", Quote(text)),
              "a time above 0, or 0 0 0 for none");
  }
  return event;
}

}  // namespace heddle
