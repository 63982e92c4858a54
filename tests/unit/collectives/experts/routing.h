// SPDX-License-Identifier: GPL-2.0-only
/// Options of experts for tests, and tables of theirs.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "collectives/experts/expert_options.h"
#include "core/traffic/expert_table.h"

namespace heddle {

/// Experts by a law; each token chooses `top_k` of `count`.
inline ExpertOptions ByLaw(ExpertOptions::Routing routing, std::int64_t count, std::int64_t top_k,
                           std::int64_t tokens) {
  ExpertOptions options;
  options.routing = routing;
  options.count = count;
  options.top_k = top_k;
  options.tokens = tokens;
  return options;
}

/// Experts in proportion to counts.
inline ExpertOptions ByCounts(std::vector<std::int64_t> counts, std::int64_t top_k,
                              std::int64_t tokens) {
  ExpertOptions options = ByLaw(ExpertOptions::Routing::kCounts,
                                static_cast<std::int64_t>(counts.size()), top_k, tokens);
  options.table_data =
      std::make_shared<const ExpertTable>(ExpertTable{"counts.txt", std::move(counts), {}});
  return options;
}

/// Experts of tokens, by rank.
inline ExpertOptions ByTokens(std::int64_t count,
                              std::vector<std::vector<std::vector<std::uint32_t>>> tokens) {
  ExpertOptions options = ByLaw(ExpertOptions::Routing::kTokens, count, 1, 1);
  options.table_data =
      std::make_shared<const ExpertTable>(ExpertTable{"tokens.txt", {}, std::move(tokens)});
  return options;
}

}  // namespace heddle
