// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/float_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::size_t kMostGpus = std::size_t{1} << 18;

/// SplitMix64's next number (see core/base/random.h).
std::uint64_t Mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

FloatPattern::FloatPattern(NodeId gpu) : FloatPattern(std::vector<NodeId>{gpu}) {}

FloatPattern::FloatPattern(const std::vector<NodeId>& gpus)
    : values_(static_cast<std::size_t>(2 * kPeriod)) {
  if (gpus.size() > kMostGpus)
    throw UserError(fmt::format("a sum over {} GPUs is not exact in float32. Expected: at most {}",
                                gpus.size(), kMostGpus));
  for (const NodeId gpu : gpus) {
    for (std::int64_t i = 0; i < 2 * kPeriod; ++i) {
      const auto place = static_cast<std::uint64_t>(i % kPeriod);
      values_[static_cast<std::size_t>(i)] +=
          static_cast<float>(Mixed(std::uint64_t{gpu.value} << 32 | place) & kMost);
    }
  }
}

void FloatPattern::Fill(float* to, std::int64_t count) const {
  for (std::int64_t i = 0; i < count; i += kPeriod) {
    std::copy_n(values_.begin(), std::min(kPeriod, count - i), to);
    to += kPeriod;
  }
}

std::int64_t FloatPattern::FindDifference(const char* found, std::int64_t from,
                                          std::int64_t count) const {
  const auto* table = reinterpret_cast<const char*>(values_.data());
  constexpr std::int64_t kBlock = kPeriod * kElement;
  for (std::int64_t at = 0; at < count;) {
    const char* expected = table + (from + at) % kBlock;
    const std::int64_t block = std::min(kBlock, count - at);
    if (std::memcmp(found + at, expected, static_cast<std::size_t>(block)) != 0)
      return at + (std::mismatch(expected, expected + block, found + at).first - expected);
    at += block;
  }
  return -1;
}

}  // namespace heddle
