// SPDX-License-Identifier: GPL-2.0-only
/// Tables of the bytes that pairs of ranks exchange, of tokens that were routed.
///
/// A rank's buffer of B bytes holds T k rows, if each token is sent once for each of its k experts.
/// So r rows have floor(r B / (T k)) bytes, and at least one if r > 0. Bytes grow with rows.
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/experts/expert_options.h"
#include "collectives/experts/routed_tokens.h"
#include "core/traffic/pair_sizes.h"

namespace heddle {

/// Returns the bytes of `rows` rows.
std::int64_t BytesOfRows(std::int64_t buffer, const TokenCounts& counts, std::uint32_t rows);

/// Returns the bytes that ranks send to the ranks of their tokens' experts; `returns`: that these
/// send back. `buffer`: B, above 0. By servers if the form says so.
PairSizes MakePairSizes(const std::shared_ptr<const RoutedTokens>& tokens, std::int64_t buffer,
                        ExpertOptions::Form form, bool returns);

}  // namespace heddle
