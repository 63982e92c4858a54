// SPDX-License-Identifier: GPL-2.0-only
/// A queue in a ring that grows by doubling; it owns nothing until the first element comes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {

template <class T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  /// Returns element i from the oldest on, below size(). Good until the next Push().
  T& operator[](std::size_t i) { return cells_[(oldest_ + i) & (cells_.size() - 1)]; }
  /// Returns the same of a constant queue.
  const T& operator[](std::size_t i) const { return cells_[(oldest_ + i) & (cells_.size() - 1)]; }

  /// Appends an element; doubles the ring if it is full.
  void Push(const T& value) {
    if (size_ == cells_.size()) Grow();
    ++size_;
    (*this)[size_ - 1] = value;
  }
  /// Removes the oldest element, which there must be.
  T Pop() {
    HEDDLE_EXPECT(size_ > 0);
    const T value = (*this)[0];
    oldest_ = (oldest_ + 1) & (cells_.size() - 1);
    --size_;
    return value;
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(cells_); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::vector<T> values(size_);
    for (std::size_t i = 0; i < size_; ++i) values[i] = (*this)[i];
    archive& values;
    if constexpr (Archive::is_loading::value) {
      *this = RingQueue();
      for (const T& value : values) Push(value);
    }
  }

 private:
  /// Doubles the ring, at least to 4, and puts the oldest first.
  void Grow() {
    std::vector<T> larger(std::max<std::size_t>(4, 2 * cells_.size()));
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    cells_ = std::move(larger);
    oldest_ = 0;
  }

  std::vector<T> cells_;  ///< none, or a power of two
  std::size_t oldest_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle
