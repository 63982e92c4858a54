// SPDX-License-Identifier: GPL-2.0-only
/// A choice among ports in proportion to weights, by a point of a hash or a draw.
#pragma once

#include <cstdint>

namespace heddle {

/// Returns the index of the one of `count` > 0 ports at `point` / 2^32 of the sum of weights.
/// `weight_of(i)`: that of port i, 0 or more, below 2^60; their sum below 2^63.
template <class WeightOf>
std::uint32_t PickByWeight(std::uint32_t count, std::uint32_t point, const WeightOf& weight_of) {
  std::int64_t total = 0;
  for (std::uint32_t at = 0; at < count; ++at) total += weight_of(at);
  auto left = static_cast<std::int64_t>((static_cast<unsigned __int128>(total) * point) >> 32);
  for (std::uint32_t at = 0; at + 1 < count; ++at) {
    left -= weight_of(at);
    if (left < 0) return at;
  }
  return count - 1;
}

}  // namespace heddle
