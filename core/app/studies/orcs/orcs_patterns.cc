// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

using Pairs = std::vector<RankPair>;

/// Neighbours in rank; the odd one sends.
void Bisect(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint32_t i = 0; level == 0 && i + 1 < shape.ranks; i += 2) pairs->push_back({i + 1, i});
}

void BisectBothWays(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint32_t i = 0; level == 0 && i + 1 < shape.ranks; i += 2) {
    pairs->push_back({i, i + 1});
    pairs->push_back({i + 1, i});
  }
}

/// Groups of K + 1 consecutive ranks, of which everyone sends to all others; the last may be
/// smaller. Found by 2 to 59 ranks and K of 1 to 8.
void Cliques(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint64_t size = shape.argument + 1;
  for (std::uint32_t rank = 0; level == 0 && rank < shape.ranks; ++rank) {
    const std::uint64_t first = rank - rank % size;
    const std::uint64_t end = std::min<std::uint64_t>(first + size, shape.ranks);
    for (std::uint64_t peer = first; peer < end; ++peer) {
      if (peer != rank) pairs->push_back({rank, static_cast<std::uint32_t>(peer)});
    }
  }
}

/// Throws UserError where ORCS's own 32 bits overflow, beside a pattern of more levels.
void CheckLevel(std::uint64_t level) {
  constexpr std::uint64_t kLast = 30;
  if (level <= kLast) return;
  throw UserError(
      fmt::format("level {} of a pattern whose distances double, where ORCS aborts. Expected: at "
                  "most {} levels beside it, or no --compat",
                  level, kLast + 1));
}

void Tree(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  CheckLevel(level);
  DescribedPattern("tree").level_of(shape, level, pairs);
}

void Bruck(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  CheckLevel(level);
  DescribedPattern("bruck").level_of(shape, level, pairs);
}

}  // namespace

PatternRules OrcsPatterns() {
  PatternRules rules;
  rules.instead = {{"bisect", Bisect},
                   {"bisect_fb_sym", BisectBothWays},
                   {"tree", Tree},
                   {"bruck", Bruck},
                   {"2neighbor", Cliques, "", 2},
                   {"4neighbor", Cliques, "", 4},
                   {"6neighbor", Cliques, "", 6},
                   {"neighbor", Cliques, "K"}};
  rules.between_runs = BetweenRuns::kGoOn;
  return rules;
}

}  // namespace heddle
