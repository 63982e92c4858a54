// SPDX-License-Identifier: GPL-2.0-only
/// A growing array of plain records whose slots are reused; an index is a handle.
///
/// Free slots are kept on a stack beside the records, not in them. Allocating a slot then reads no
/// record, and writing the record is a store for which the processor does not wait. (Measured at
/// 15,360 hosts: that wait took a third of the run.)
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/containers/state_count.h"

namespace heddle {

/// References into the pool are invalidated by Allocate(); indices stay valid until Free().
template <class T>
class SlotPool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Returns a slot: the one that was freed last, with its old contents, else a new one.
  std::uint32_t Allocate() {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  /// Frees a slot, which must be used: a second Free() goes unnoticed.
  void Free(std::uint32_t slot) {
    HEDDLE_EXPECT(slot < slots_.size());
    free_.push_back(slot);
  }
  /// Returns the record of a slot. Good until the next Allocate().
  T& operator[](std::uint32_t slot) { return slots_[slot]; }
  /// Returns the same of a constant pool.
  const T& operator[](std::uint32_t slot) const { return slots_[slot]; }

  /// Returns the number of slots, free ones included: indices are below this.
  std::size_t size() const { return slots_.size(); }
  /// Returns the number of slots in use.
  std::size_t used() const { return slots_.size() - free_.size(); }
  /// Returns by slot whether it is used. O(n).
  std::vector<bool> used_slots() const {
    std::vector<bool> used(slots_.size(), true);
    for (const std::uint32_t slot : free_) used[slot] = false;
    return used;
  }
  /// Returns the bytes that were written at least once; never decreases.
  std::size_t memory() const { return MemoryReached(slots_) + MemoryOf(free_); }

  /// Saves the slots in place, free ones included, so that indices held elsewhere stay valid.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(slots_.size());
    archive& count;
    if constexpr (Archive::is_loading::value) slots_.resize(count);
    for (T& slot : slots_) {
      unsigned char raw[sizeof(T)];
      std::memcpy(raw, static_cast<const void*>(&slot), sizeof(T));
      archive& raw;
      std::memcpy(static_cast<void*>(&slot), raw, sizeof(T));
    }
    archive& free_;
    if constexpr (Archive::is_loading::value) {
      std::vector<bool> used(slots_.size(), true);
      for (const std::uint32_t slot : free_) {
        ExpectState(slot < slots_.size() && used[slot], "a free slot that there is not, or twice");
        used[slot] = false;
      }
    }
  }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace heddle
