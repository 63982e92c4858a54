// SPDX-License-Identifier: GPL-2.0-only
/// A small open-addressing map from 64-bit keys to 32-bit values: a hit touches one cache line, an
/// insertion allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/state_count.h"

namespace heddle {

/// Linear probing with backward-shift deletion (Knuth, TAOCP 6.4, algorithm R). The key ~0 is
/// reserved.
/// Iteration is left out on purpose: its order would depend on history.
class FlatMap {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Starts with one empty place, so that a search finds an end.
  FlatMap() : entries_(1) {}
  /// Returns the number of keys.
  std::size_t size() const { return size_; }
  /// Returns the bytes allocated by the map.
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }

  /// Returns the value of a key; kNone if the key is absent.
  std::uint32_t Find(std::uint64_t key) const {
    for (std::size_t i = Home(key);; i = Next(i)) {
      if (entries_[i].key == key) return entries_[i].value;
      if (entries_[i].key == kEmpty) return kNone;
    }
  }
  /// Prefetches the entry of a key.
  void Prefetch(std::uint64_t key) const { __builtin_prefetch(&entries_[Home(key)]); }
  /// Inserts a key that is not in the map. The key must not be ~0.
  void Insert(std::uint64_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > entries_.size()) Grow();
    std::size_t i = Home(key);
    while (entries_[i].key != kEmpty) i = Next(i);
    entries_[i] = {key, value};
    ++size_;
  }
  /// Returns the value of a key, which becomes `value` if the key is absent. Good until the next
  /// change.
  std::uint32_t& FindOrInsert(std::uint64_t key, std::uint32_t value) {
    std::size_t i = Home(key);
    while (entries_[i].key != key && entries_[i].key != kEmpty) i = Next(i);
    if (entries_[i].key == key) return entries_[i].value;
    if (2 * (size_ + 1) > entries_.size()) {
      Grow();
      i = Home(key);
      while (entries_[i].key != kEmpty) i = Next(i);
    }
    entries_[i] = {key, value};
    ++size_;
    return entries_[i].value;
  }
  /// Removes a key, if it is there, and moves later entries of its run up.
  void Erase(std::uint64_t key) {
    std::size_t hole = Home(key);
    while (entries_[hole].key != key) {
      if (entries_[hole].key == kEmpty) return;
      hole = Next(hole);
    }
    for (std::size_t i = Next(hole); entries_[i].key != kEmpty; i = Next(i)) {
      const std::size_t distance_to_home = (i - Home(entries_[i].key)) & (entries_.size() - 1);
      const std::size_t distance_to_hole = (i - hole) & (entries_.size() - 1);
      if (distance_to_home >= distance_to_hole) {
        entries_[hole] = entries_[i];
        hole = i;
      }
    }
    entries_[hole].key = kEmpty;
    --size_;
  }

  /// Calls visit(key, value) for each entry, in unspecified order.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      if (entry.key != kEmpty) visit(entry.key, entry.value);
    }
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(entries_.size());
    archive& count& size_;
    if constexpr (Archive::is_loading::value) entries_.assign(count, {});
    for (Entry& entry : entries_) archive& entry.key& entry.value;
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint32_t value = 0;
  };

  /// Checks what a search relies on: the size is a power of two, and at least half of the entries
  /// are empty.
  void CheckLoaded() const {
    const auto used = std::count_if(entries_.begin(), entries_.end(),
                                    [](const Entry& entry) { return entry.key != kEmpty; });
    const bool power = !entries_.empty() && (entries_.size() & (entries_.size() - 1)) == 0;
    const bool counted = static_cast<std::size_t>(used) == size_ && 2 * size_ <= entries_.size();
    ExpectState(power && counted, "a table of another size than it says");
  }
  /// Returns the place at which the search for a key begins (Fibonacci hashing).
  std::size_t Home(std::uint64_t key) const {
    return ((key * 0x9E3779B97F4A7C15ULL) >> 32) & (entries_.size() - 1);
  }
  /// Returns the next place, the first after the last.
  std::size_t Next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  /// Doubles the places and inserts all entries anew.
  void Grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    size_ = 0;
    for (const Entry& entry : old) {
      if (entry.key != kEmpty) Insert(entry.key, entry.value);
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace heddle
