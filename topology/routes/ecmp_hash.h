// SPDX-License-Identifier: GPL-2.0-only
/// The choice among equal-cost ports: addresses, the flow key and its hash.
///
/// Source: MurmurHash3_x86_32 (A. Appleby, public domain), over the 12 bytes that SimAI hashes:
/// both addresses, then both ports in one word, all little-endian. Hosts use kNicHashSeed, switches
/// their node id. Verified against SimAI's own paths
/// (tests/unit/topology/paths/path_tracer_test.cc).
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

/// Seed of a host's hash for the choice of its NIC.
inline constexpr std::uint32_t kNicHashSeed = 0x8BADF00D;

/// Returns the IPv4 address of a node: 11.(id / 256).(id % 256).1.
constexpr std::uint32_t AddressOf(NodeId node) { return 0x0b000001u + node.value * 256u; }

/// The fields of a packet that are hashed.
struct FlowKey {
  std::uint32_t source_address = 0;
  std::uint32_t destination_address = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
};

/// Returns the key of the packets from `source` to `destination`.
constexpr FlowKey MakeFlowKey(NodeId source, NodeId destination, std::uint16_t source_port,
                              std::uint16_t destination_port) {
  return {AddressOf(source), AddressOf(destination), source_port, destination_port};
}

namespace detail {

/// Rotates left by `bits`, 1 to 31.
constexpr std::uint32_t RotateLeft(std::uint32_t x, int bits) {
  return (x << bits) | (x >> (32 - bits));
}

/// Adds a word of the key (the body of MurmurHash3_x86_32).
constexpr std::uint32_t MixWord(std::uint32_t hash, std::uint32_t word) {
  hash ^= RotateLeft(word * 0xcc9e2d51u, 15) * 0x1b873593u;
  return RotateLeft(hash, 13) * 5u + 0xe6546b64u;
}

/// Spreads every bit over the result (fmix32 of MurmurHash3).
constexpr std::uint32_t Avalanche(std::uint32_t hash) {
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

}  // namespace detail

/// Returns the hash of a flow at one node. The chosen port is `set[hash % set.size()]`.
constexpr std::uint32_t EcmpHash(const FlowKey& key, std::uint32_t seed) {
  const std::uint32_t ports = key.source_port | (std::uint32_t{key.destination_port} << 16);
  std::uint32_t hash = detail::MixWord(seed, key.source_address);
  hash = detail::MixWord(hash, key.destination_address);
  hash = detail::MixWord(hash, ports);
  constexpr std::uint32_t kHashedBytes = 12;
  return detail::Avalanche(hash ^ kHashedBytes);
}

}  // namespace heddle
