// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/episode_key.h"

#include <xxhash.h>

namespace heddle {

EpisodeKey Extend(const EpisodeKey& before, const std::vector<std::uint64_t>& words) {
  // Both halves have a seed of their own, so that 128 bits of the past go on.
  const std::size_t bytes = words.size() * sizeof(std::uint64_t);
  return {XXH3_64bits_withSeed(words.data(), bytes, before.low),
          XXH3_64bits_withSeed(words.data(), bytes, ~before.high)};
}

}  // namespace heddle
