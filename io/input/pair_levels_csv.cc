// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/pair_levels_csv.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr const char* kPairHeader = "source,destination,level";

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

bool IsHeader(const std::vector<std::string_view>& fields) {
  return fields[0] == "source" && fields[1] == "destination";
}

std::uint32_t ReadBelow(std::string_view field, const char* what, std::uint32_t limit,
                        const SourceLine& where) {
  const auto number = ReadNumber<std::uint32_t>(field);
  if (!number || *number >= limit)
    FailInput(where, fmt::format("{} {}", what, Quote(field)),
              fmt::format("a number from 0 to {}", limit - 1));
  return *number;
}

}  // namespace

ListedLevels ParsePairLevels(std::string_view text, const std::string& name, std::uint32_t ranks) {
  LineReader lines(text, name);
  std::map<std::uint32_t, std::vector<RankPair>> levels;
  bool first = true;
  std::string_view line;
  while (lines.NextFilled(&line)) {
    if (line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line);
    if (fields.size() < 2 || fields.size() > 3)
      FailInput(lines.where(), fmt::format("{} columns", fields.size()),
                fmt::format("2 or 3 columns, {}", kPairHeader));
    if (std::exchange(first, false) && IsHeader(fields)) continue;
    const RankPair pair{ReadBelow(fields[0], "source", ranks, lines.where()),
                        ReadBelow(fields[1], "destination", ranks, lines.where())};
    if (pair.source == pair.destination)
      FailInput(lines.where(), fmt::format("rank {} sends to itself", pair.source), "two ranks");
    const std::uint32_t level =
        fields.size() == 2 ? 0 : ReadBelow(fields[2], "level", kMostListedLevels, lines.where());
    levels[level].push_back(pair);
  }
  if (levels.empty())
    FailInput(lines.whole_file(), "no pair", fmt::format("at least one line {}", kPairHeader));
  ListedLevels listed;
  for (auto& [level, pairs] : levels) listed.Add(std::move(pairs));
  return listed;
}

}  // namespace heddle
