// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/weighted_tokens.h"

#include <algorithm>
#include <cmath>

namespace heddle {

void AllowTokens(std::int64_t tokens, bool clamp, std::vector<PairState>* pairs) {
  for (PairState& pair : *pairs) {
    const double exact = static_cast<double>(tokens) * pair.weight;
    const double rounded = std::ceil(exact - 0.5);
    pair.allowed = static_cast<std::uint32_t>(std::max(1.0, rounded));
    if (clamp) pair.tokens = std::min(pair.tokens, pair.allowed);
  }
}

std::uint32_t TakeToken(std::vector<PairState>* pairs, std::uint32_t* turn) {
  const auto size = static_cast<std::uint32_t>(pairs->size());
  const auto has_token = [](const PairState& pair) { return pair.tokens > 0; };
  if (std::none_of(pairs->begin(), pairs->end(), has_token)) {
    for (PairState& pair : *pairs) pair.tokens = pair.allowed;
  }
  std::uint32_t taken = *turn;
  while (!has_token((*pairs)[taken])) taken = (taken + 1) % size;
  --(*pairs)[taken].tokens;
  *turn = (taken + 1) % size;
  return taken;
}

std::uint32_t ConnectionState::TakeToken() { return heddle::TakeToken(&pairs_, &turn_); }

}  // namespace heddle
