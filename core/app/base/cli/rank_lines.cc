// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/rank_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr std::size_t kMostColumns = 8;  // of ranks

std::string Mib(std::int64_t bytes) {
  return fmt::format("{:>11.2f}", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

std::string DescribeRanks(const std::vector<std::uint32_t>& ranks, std::uint32_t of) {
  constexpr std::size_t kMost = 8;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > kMost) {
    return fmt::format("{} of {} ranks ({}, ...)", ranks.size(), of,
                       fmt::join(ranks.begin(), ranks.begin() + kMost, ", "));
  }
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "),
                     ranks.back());
}

std::string RankHead(std::size_t ranks) {
  std::string text =
      fmt::format("memory           {:<19}{:>11}", "MiB", ranks == 1 ? "" : "all ranks");
  if (ranks > kMostColumns) return text + fmt::format("{:>11}{:>11}\n", "least", "most");
  for (std::size_t rank = 0; ranks > 1 && rank < ranks; ++rank)
    text += fmt::format("{:>11}", fmt::format("rank {}", rank));
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string RankLine(const std::string& name, const std::vector<std::int64_t>& bytes) {
  std::string text = fmt::format("  {:<34}{}", name,
                                 Mib(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})));
  if (bytes.size() == 1) return text + "\n";
  if (bytes.size() > kMostColumns) {
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    return text + Mib(*least) + Mib(*most) + "\n";
  }
  for (const std::int64_t value : bytes) text += Mib(value);
  return text + "\n";
}

}  // namespace heddle
