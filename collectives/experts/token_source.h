// SPDX-License-Identifier: GPL-2.0-only
/// Where the experts of tokens come from: a law, counts by expert, or a table by token.
///
/// Counts: each rank's choices are in proportion to the counts, by largest remainders, exactly. The
/// experts lie behind each other, each as long as its share, in an order drawn for each rank; with
/// T tokens, token t takes those at t, t + T, t + 2 T, ... No expert is longer than T, so that a
/// token's experts differ (systematic sampling; Madow, Ann. Math. Stat. 20, 1949).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/experts/expert_options.h"

namespace heddle {

/// Gives the tokens of a rank in their order.
class TokenSource {
 public:
  virtual ~TokenSource() = default;

  /// Sets `experts` to those of the next token of a rank, all different. `token`: its number, from
  /// 0 on. Returns false, and none, if the rank has no such token.
  virtual bool Next(std::uint32_t rank, std::uint32_t token,
                    std::vector<std::uint32_t>* experts) = 0;
};

/// How many tokens a rank has at most, and how many experts each chooses.
struct TokenCounts {
  std::uint32_t tokens = 0, top_k = 0;
};

/// Returns the counts: the options', or those of a table by token.
TokenCounts CountTokens(const ExpertOptions& options);

/// Makes the source of a layer's tokens for a group of `ranks`. Throws UserError for options that
/// do not fit each other or the group.
std::unique_ptr<TokenSource> MakeTokenSource(const ExpertOptions& options, std::uint32_t ranks,
                                             std::uint64_t layer);

}  // namespace heddle
