// SPDX-License-Identifier: GPL-2.0-only
/// A request to a language model: when it comes, how long its prompt and its answer are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Longest prompt or answer [tokens].
inline constexpr std::int64_t kMostTokens = 100'000'000;
/// Most requests of a run: each is counted in 32 bits.
inline constexpr std::int64_t kMostRequests = 1'000'000'000;
/// Tokens of a block of a prompt that a trace names, as Mooncake's traces have them.
inline constexpr std::int64_t kPromptBlockTokens = 512;

struct ServingRequest {
  Time arrival;
  std::uint32_t input = 0;   ///< tokens of the prompt, > 0
  std::uint32_t output = 0;  ///< tokens of the answer, > 0
  /// The full blocks of the prompt from its front, at most input / kPromptBlockTokens: two prompts
  /// with one number have equal tokens up to the end of this block. Empty: nothing is known.
  std::vector<std::uint32_t> blocks = {};
};

/// Requests in the order of their arrivals; a request's number is its place.
using ServingRequests = std::vector<ServingRequest>;

}  // namespace heddle
