// SPDX-License-Identifier: GPL-2.0-only
/// A growing array of plain records whose places are used again: allocation is two loads, and an index is a handle.
#ifndef HEDDLE_CORE_SLOT_POOL_H_
#define HEDDLE_CORE_SLOT_POOL_H_

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/check.h"

namespace heddle {

/// References into the pool are invalidated by Allocate(); indices stay valid until Free().
template <class T>
class SlotPool {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) >= sizeof(std::uint32_t));

 public:
  static constexpr std::uint32_t kNone = ~0U;

  std::uint32_t Allocate() {
    ++used_;
    if (free_ != kNone) {
      const std::uint32_t slot = free_;
      std::memcpy(&free_, static_cast<void*>(&slots_[slot]), sizeof free_);
      return slot;
    }
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  void Free(std::uint32_t slot) {
    HEDDLE_EXPECT(used_ > 0 && slot < slots_.size());
    --used_;
    std::memcpy(static_cast<void*>(&slots_[slot]), &free_, sizeof free_);
    free_ = slot;
  }
  T& operator[](std::uint32_t slot) { return slots_[slot]; }
  const T& operator[](std::uint32_t slot) const { return slots_[slot]; }

  std::uint32_t used() const { return used_; }
  std::size_t memory() const { return slots_.capacity() * sizeof(T); }

  /// The slots as they lie, free ones included, so that indices held elsewhere stay true.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::uint64_t count = slots_.size();
    archive& count;
    if constexpr (Archive::is_loading::value) slots_.resize(count);
    for (T& slot : slots_) {
      // Free slots hold a link in their first bytes: the raw bytes are what is saved.
      unsigned char raw[sizeof(T)];
      std::memcpy(raw, static_cast<const void*>(&slot), sizeof(T));
      archive& raw;
      std::memcpy(static_cast<void*>(&slot), raw, sizeof(T));
    }
    archive& free_& used_;
  }

 private:
  std::vector<T> slots_;
  std::uint32_t free_ = kNone;
  std::uint32_t used_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_SLOT_POOL_H_
