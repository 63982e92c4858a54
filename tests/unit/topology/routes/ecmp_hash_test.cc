// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/ecmp_hash.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(EcmpHash, AddressesAreSimais) {
  EXPECT_EQ(AddressOf(NodeId(0)), 0x0b000001u);
  EXPECT_EQ(AddressOf(NodeId(7)), 0x0b000701u);
  EXPECT_EQ(AddressOf(NodeId(256 + 2)), 0x0b010201u);  // 11.1.2.1
}

/// MurmurHash3_x86_32 of the 12 bytes "abcdefghijkl" with seed 0, as a flow key.
constexpr FlowKey Letters() { return {0x64636261u, 0x68676665u, 0x6a69u, 0x6c6bu}; }

/// The algorithm once more, byte by byte, as an independent check of the packing.
std::uint32_t Reference(const unsigned char* bytes, std::uint32_t hash) {
  const auto rotate = [](std::uint32_t x, int n) { return (x << n) | (x >> (32 - n)); };
  for (int i = 0; i < 12; i += 4) {
    std::uint32_t k = bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 |
                      static_cast<std::uint32_t>(bytes[i + 3]) << 24;
    k = rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u;
    hash = rotate(hash ^ k, 13) * 5 + 0xe6546b64u;
  }
  hash ^= 12;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

TEST(EcmpHash, IsMurmur3OfTheTwelveBytes) {
  const auto* text = reinterpret_cast<const unsigned char*>("abcdefghijkl");
  for (const std::uint32_t seed : {0u, 1u, 27u, kNicHashSeed}) {
    EXPECT_EQ(EcmpHash(Letters(), seed), Reference(text, seed));
  }
}

static_assert(EcmpHash(Letters(), 0) != EcmpHash(Letters(), 1), "constexpr, and the seed matters");

}  // namespace
}  // namespace heddle
