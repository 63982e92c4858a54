// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/expert_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostExperts = 65'536;
constexpr std::uint32_t kMostRanks = 65'536;
constexpr std::size_t kMostChoices = 64;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

/// Reads a word as a number in [0, limit).
std::uint32_t NumberBelow(std::string_view word, const char* what, std::uint32_t limit,
                          const SourceLine& where) {
  const auto number = ReadNumber<std::uint32_t>(word);
  if (!number || *number >= limit)
    FailInput(where, fmt::format("{} {}", what, Quote(word)),
              fmt::format("a number from 0 to {}", limit - 1));
  return *number;
}

/// Calls `use` with each line that has words, without its comment.
template <class Use>
void ForEachLine(LineReader* lines, const Use& use) {
  std::string_view line;
  while (lines->NextFilled(&line)) {
    line = WithoutComment(line);
    if (!line.empty()) use(line);
  }
}

std::vector<std::uint32_t> ReadExperts(std::string_view line, const SourceLine& where) {
  std::vector<std::uint32_t> experts;
  for (std::string_view word = TakeWord(&line); !word.empty(); word = TakeWord(&line)) {
    const std::uint32_t expert = NumberBelow(word, "expert", kMostExperts, where);
    if (std::find(experts.begin(), experts.end(), expert) != experts.end())
      FailInput(where, fmt::format("expert {} twice", expert), "different experts of a token");
    if (experts.size() == kMostChoices)
      FailInput(where, fmt::format("more than {} experts", kMostChoices),
                fmt::format("at most {} experts of a token", kMostChoices));
    experts.push_back(expert);
  }
  if (experts.empty()) FailInput(where, "no expert", "RANK EXPERT ...");
  return experts;
}

}  // namespace

ExpertTable ParseExpertCounts(std::string_view text, const std::string& name) {
  constexpr std::int64_t kMissing = -1;
  LineReader lines(text, name);
  ExpertTable table;
  table.file = name;
  ForEachLine(&lines, [&](std::string_view line) {
    const std::uint32_t expert =
        NumberBelow(TakeWord(&line), "expert", kMostExperts, lines.where());
    const std::string_view word = TakeWord(&line);
    const auto count = ReadNumber<std::int64_t>(word);
    if (!count || *count < 0 || *count > kLargestCount || !line.empty())
      FailInput(lines.where(), fmt::format("count {}", Quote(word)),
                fmt::format("EXPERT COUNT, the count from 0 to {}", kLargestCount));
    if (expert >= table.counts.size()) table.counts.resize(expert + 1, kMissing);
    if (table.counts[expert] != kMissing)
      FailInput(lines.where(), fmt::format("expert {} twice", expert), "each expert once");
    table.counts[expert] = *count;
  });
  const auto missing = std::find(table.counts.begin(), table.counts.end(), kMissing);
  if (missing != table.counts.end())
    FailInput(lines.whole_file(),
              fmt::format("no count of expert {}", missing - table.counts.begin()),
              fmt::format("experts 0 to {}", table.counts.size() - 1));
  if (std::count(table.counts.begin(), table.counts.end(), 0) ==
      static_cast<std::ptrdiff_t>(table.counts.size()))
    FailInput(lines.whole_file(), "no choice of any expert", "a count above 0");
  return table;
}

ExpertTable ParseTokenExperts(std::string_view text, const std::string& name) {
  LineReader lines(text, name);
  ExpertTable table;
  table.file = name;
  std::size_t top_k = 0;
  ForEachLine(&lines, [&](std::string_view line) {
    const std::uint32_t rank = NumberBelow(TakeWord(&line), "rank", kMostRanks, lines.where());
    std::vector<std::uint32_t> experts = ReadExperts(line, lines.where());
    if (top_k == 0) top_k = experts.size();
    if (experts.size() != top_k)
      FailInput(lines.where(), fmt::format("{} experts", experts.size()),
                fmt::format("{}, as many as the first token has", top_k));
    if (rank >= table.tokens.size()) table.tokens.resize(rank + 1);
    table.tokens[rank].push_back(std::move(experts));
  });
  if (table.tokens.empty()) FailInput(lines.whole_file(), "no token", "lines RANK EXPERT ...");
  return table;
}

}  // namespace heddle
