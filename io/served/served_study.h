// SPDX-License-Identifier: GPL-2.0-only
/// What the first tokens of served requests waited for, from a result (docs/formats/result.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Parts of the time to the first token, in their order. In mixed instances the last three are 0.
enum class ServedPart : std::uint8_t {
  kQueue,     ///< from arrival to its first step
  kPrefill,   ///< from there to the end of its prompt
  kRoom,      ///< from there until its decode instance has blocks, the offer included
  kTransfer,  ///< of its KV, the grant included
  kFirstStep  ///< of its decode instance, until the first token
};
constexpr auto WordsOf(ServedPart) {
  return std::array{"queue", "prefill", "room", "transfer", "first step"};
}
inline constexpr std::size_t kServedParts = 5;

/// A finished request; times in ps.
struct ServedRequest {
  std::uint32_t request = 0, input = 0, output = 0;
  std::uint32_t entry = 0, decoder = 0;  ///< instances
  std::int64_t arrival = 0, ttft = 0, e2el = 0;
  std::int64_t kv_arrived = -1;  ///< at the decode instance; -1: none was sent
  std::array<std::int64_t, kServedParts> parts{};
  /// Of the share of KV that came last: what its flow took beyond its ideal time, and its ends; -1
  /// if the result has no row of it.
  std::int64_t lost = -1;
  std::uint32_t source = 0, destination = 0;

  /// The longest part; the first of equal ones.
  ServedPart longest() const;
};

/// What the prefix cache of an instance had of the prompts that came to it.
struct ServedCache {
  std::string pool;
  std::int64_t requests = 0;  ///< with a prompt that began to be computed, or whose KV was granted
  std::int64_t prompts = 0;   ///< tokens of these
  std::int64_t cached = 0;    ///< of these, that were there: not computed, or not sent
};

struct ServedStudy {
  std::string file;
  std::int64_t requests = 0;            ///< of all states
  std::vector<ServedRequest> finished;  ///< the longest time to the first token first
  std::vector<std::string> pools;       ///< by instance
  std::vector<ServedCache> caches;      ///< by instance; empty: the result does not say

  /// Returns how many requests are the slowest hundredth: at least one, if any finished.
  std::size_t slowest() const;
};

/// Means of parts over the first `count` requests of a study [ps]; count > 0.
struct ServedMeans {
  std::array<double, kServedParts> parts{};
  double ttft = 0;
  double lost = 0;         ///< of those whose flow is known
  std::int64_t known = 0;  ///< number of these
};
ServedMeans MeansOf(const ServedStudy& study, std::size_t count);

/// Throws UserError for a result of a run that served no requests.
ServedStudy StudyServed(const std::string& path);

}  // namespace heddle
