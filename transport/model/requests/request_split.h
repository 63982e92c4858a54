// SPDX-License-Identifier: GPL-2.0-only
/// How many bytes of a request each queue pair gets when all of them share it.
///
/// Source: NCCL's net_ib.cc for equal parts; Broadcom's CAST white paper, figure 2, and RCCL's
/// net_ib_cast/p2p.cc for parts by weight. All parts but the last are multiples of 128 bytes; the
/// last one in the order of posting gets what is left. Symbols: S bytes, n queue pairs, w weight.
///
///   equal     min(rest, ceil(ceil(S / n) / 128) 128)      the last ones may get nothing
///   by weight floor(floor(S w) / 128) 128
/// Invariant: the parts are not negative and sum to S.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

constexpr std::int64_t kSplitUnit = 128;  ///< [byte]; protocols of NCCL write lines of that size

/// Whether all n queue pairs share a request: an equal part is at least `least` bytes.
constexpr bool IsSplit(std::int64_t bytes, std::uint32_t queue_pairs, std::int64_t least) {
  return bytes / queue_pairs >= least;
}

/// Returns an equal part, ceil(S / n) rounded up to whole 128 bytes. All parts together may exceed
/// S.
constexpr std::int64_t EqualPart(std::int64_t bytes, std::uint32_t queue_pairs) {
  const std::int64_t part = (bytes + queue_pairs - 1) / queue_pairs;
  return (part + kSplitUnit - 1) / kSplitUnit * kSplitUnit;
}

/// Returns a part by weight, for w in [0, 1]. `probe`: at least 128 bytes.
constexpr std::int64_t WeightedPart(std::int64_t bytes, double weight, bool probe) {
  const auto exact = static_cast<std::int64_t>(static_cast<double>(bytes) * weight);
  return std::max(exact / kSplitUnit, std::int64_t{probe ? 1 : 0}) * kSplitUnit;
}

}  // namespace heddle
