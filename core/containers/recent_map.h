// SPDX-License-Identifier: GPL-2.0-only
/// The last values that were found for keys of a function that takes long: a table of fixed size,
/// each key with one place in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"

namespace heddle {

/// Key of a RecentMap: two nodes, in this order.
struct NodePair {
  NodeId from, to;

  /// Returns the hash of both nodes, good in its upper half.
  std::uint64_t Mixed() const {
    return (std::uint64_t{from.value} << 32 | to.value) * 0x9E3779B97F4A7C15ULL;
  }
  friend bool operator==(const NodePair& a, const NodePair& b) {
    return a.from == b.from && a.to == b.to;
  }
};

/// Direct-mapped. Key has operator== and Mixed(), 64 bits of which the upper half is well mixed; a
/// default-constructed key is never looked up.
template <class Key, class Value>
class RecentMap {
 public:
  /// Makes a table for about `keys` keys that are in use at a time: 16 to 65,536 places.
  explicit RecentMap(std::size_t keys = 0) : places_(SizeFor(keys)) {}

  /// Returns the value of a key; null if it is not there, or not any more. Good until the next
  /// change.
  const Value* Find(const Key& key) const {
    const Place& place = places_[At(key)];
    return place.key == key ? &place.value : nullptr;
  }
  /// Stores a value in the key's place, instead of what is there.
  void Keep(const Key& key, const Value& value) { places_[At(key)] = {key, value}; }
  /// Forgets all values; keeps the size.
  void Clear() { places_.assign(places_.size(), {}); }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(places_); }

 private:
  struct Place {
    Key key;
    Value value{};
  };

  /// Returns the number of places, a power of two.
  static std::size_t SizeFor(std::size_t keys) {
    constexpr std::size_t kLeast = 16, kMost = std::size_t{1} << 16;
    std::size_t size = kLeast;
    while (size < keys && size < kMost) size *= 2;
    return size;
  }
  /// Returns the one place of a key.
  std::size_t At(const Key& key) const { return (key.Mixed() >> 32) & (places_.size() - 1); }

  std::vector<Place> places_;
};

}  // namespace heddle
