// SPDX-License-Identifier: GPL-2.0-only
/// Counts by a 32-bit key; most lookups touch one cache line. A small hash table that only grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/containers/state_count.h"

namespace heddle {

/// Linear probing. The key ~0 is reserved.
class CountTable {
 public:
  using Row = std::pair<std::uint32_t, std::uint64_t>;

  /// Adds to the count of a key, which may be new. The key must not be ~0.
  void Add(std::uint32_t key, std::uint64_t count) {
    std::uint32_t at = Home(key);
    while (entries_[at].key != key) {
      if (entries_[at].key == kEmpty) {
        Insert(key, count);
        return;
      }
      at = (at + 1) & mask_;
    }
    entries_[at].count += count;
  }
  /// Returns all rows, sorted by key.
  std::vector<Row> Rows() const {
    std::vector<Row> rows;
    for (const Entry& entry : entries_) {
      if (entry.key != kEmpty) rows.emplace_back(entry.key, entry.count);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  /// Returns the bytes of the table, empty places included.
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::vector<Row> rows = Rows();
    StateCount count(rows.size());
    archive& count;
    rows.resize(count);
    for (Row& row : rows) archive& row.first& row.second;
    if constexpr (Archive::is_loading::value) {
      *this = CountTable();
      for (const Row& row : rows) Add(row.first, row.second);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = ~0U;
  struct Entry {
    std::uint32_t key = kEmpty;
    std::uint64_t count = 0;
  };

  /// Returns the place at which the search for a key begins. Four neighbouring keys share a cache
  /// line; lines are spread by Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
  /// Bins of all kinds lie densely: side by side they would make one long run, which every lookup
  /// walks.
  std::uint32_t Home(std::uint32_t key) const {
    constexpr std::uint32_t kGolden = 2654435769U;
    return ((((key >> 2) * kGolden) >> 7) << 2 | (key & 3)) & mask_;
  }
  /// Adds a key that is not there; at most half of the places are used.
  void Insert(std::uint32_t key, std::uint64_t count) {
    if (2 * (size_ + 1) > entries_.size()) Grow();
    std::uint32_t at = Home(key);
    while (entries_[at].key != kEmpty) at = (at + 1) & mask_;
    entries_[at] = {key, count};
    ++size_;
  }
  /// Doubles the places and inserts all entries anew.
  void Grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    mask_ = static_cast<std::uint32_t>(entries_.size() - 1);
    size_ = 0;
    for (const Entry& entry : old) {
      if (entry.key != kEmpty) Insert(entry.key, entry.count);
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(8);
  std::uint32_t mask_ = 7;
  std::size_t size_ = 0;
};

}  // namespace heddle
