// SPDX-License-Identifier: GPL-2.0-only
/// The UDP source ports that a host gives its flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/containers/flat_map.h"
#include "core/containers/state_count.h"

namespace heddle {

/// Returns a source port of the dynamic range (49152 to 65535, which RoCEv2 recommends: InfiniBand
/// architecture specification, annex A17) instead of the `number` that SourcePorts gave: drawn by
/// seed, as libraries and NICs choose ports independently of each other.
inline std::uint16_t RandomSourcePort(std::uint64_t seed, NodeId source, NodeId destination,
                                      std::uint16_t number) {
  const std::uint64_t entity =
      (std::uint64_t{source.value} << 40) ^ (std::uint64_t{destination.value} << 16) ^ number;
  RandomStream random(seed, entity, RandomPurpose::kSourcePort);
  return static_cast<std::uint16_t>(49152 + random.Below(16384));
}

/// Source ports of one source: 10000, 10001, ... for each destination, 16 bits, which wrap (SimAI:
/// a counter a pair of hosts).
class SourcePorts {
 public:
  /// Returns the source port of the next flow to this destination.
  std::uint16_t Next(NodeId destination) {
    std::uint32_t at = index_.Find(destination.value);
    if (at == FlatMap::kNone) {
      at = static_cast<std::uint32_t>(ports_.size());
      index_.Insert(destination.value, at);
      ports_.push_back(kFirst);
    }
    return ports_[at]++;
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return index_.memory() + ports_.capacity() * sizeof(std::uint16_t); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index_& ports_;
    if constexpr (Archive::is_loading::value) {
      index_.ForEach([this](std::uint64_t, std::uint32_t at) {
        ExpectState(at < ports_.size(), "a source port of no destination");
      });
    }
  }

 private:
  static constexpr std::uint16_t kFirst = 10000;

  FlatMap index_;  ///< by destination, into ports_
  std::vector<std::uint16_t> ports_;
};

}  // namespace heddle
