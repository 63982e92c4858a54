// SPDX-License-Identifier: GPL-2.0-only
/// Names what an island's episode has been given so far: its shape and all its inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace heddle {

/// 128 bits. Among 10^9 keys, two that name different things are equal with a probability below
/// 10^-20.
struct EpisodeKey {
  std::uint64_t low = 0, high = 0;

  friend bool operator==(const EpisodeKey& a, const EpisodeKey& b) {
    return a.low == b.low && a.high == b.high;
  }
  friend bool operator!=(const EpisodeKey& a, const EpisodeKey& b) { return !(a == b); }
};

/// Returns the key of what `before` names, followed by these words.
EpisodeKey Extend(const EpisodeKey& before, const std::vector<std::uint64_t>& words);

}  // namespace heddle

template <>
struct std::hash<heddle::EpisodeKey> {
  std::size_t operator()(const heddle::EpisodeKey& key) const noexcept { return key.low; }
};
