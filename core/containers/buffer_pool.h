// SPDX-License-Identifier: GPL-2.0-only
/// Memory for payloads that have no place of their own: blocks in powers of two that are used
/// again. Large ones ask the system for its large pages: what copies between two processes takes
/// each page by itself.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace heddle {

class BufferPool {
 public:
  struct Free {
    /// Frees memory of std::aligned_alloc.
    void operator()(char* block) const { std::free(block); }
  };
  using Block = std::unique_ptr<char[], Free>;

  /// Allocates a block of `bytes` (> 0) outside any pool. Its contents are undefined. Throws
  /// std::bad_alloc.
  static Block Allocate(std::size_t bytes) {
    const std::size_t align = bytes < kLargePage ? alignof(std::max_align_t) : kLargePage;
    void* block = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (block == nullptr) throw std::bad_alloc();
    // Advice only: where it is not heeded, pages are small.
    if (align == kLargePage) madvise(block, bytes, MADV_HUGEPAGE);
    return Block(static_cast<char*>(block));
  }

  /// Returns a block of at least `bytes` (> 0). Its contents are those of its last use, or
  /// undefined. Throws std::bad_alloc.
  Block Take(std::int64_t bytes) {
    const int power = PowerOf(bytes);
    std::vector<Block>& free = free_[static_cast<std::size_t>(power)];
    if (free.empty()) {
      allocated_ += std::size_t{1} << power;
      return Allocate(std::size_t{1} << power);
    }
    Block block = std::move(free.back());
    free.pop_back();
    return block;
  }
  /// Gives a block back for reuse. `bytes`: as Take() was asked for.
  void Return(Block block, std::int64_t bytes) {
    free_[static_cast<std::size_t>(PowerOf(bytes))].push_back(std::move(block));
  }
  /// Returns the bytes of all blocks, also of those in use.
  std::size_t memory() const { return allocated_; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;  ///< [byte]
  static constexpr int kSmallest = 6;                              ///< 64 bytes
  /// Returns the exponent of the smallest block that holds `bytes`, at least kSmallest.
  static int PowerOf(std::int64_t bytes) {
    const auto last = static_cast<std::uint64_t>(bytes) - 1;
    const int power = last == 0 ? 0 : 64 - __builtin_clzll(last);
    return power < kSmallest ? kSmallest : power;
  }

  std::array<std::vector<Block>, 64> free_;  ///< by power of two
  std::size_t allocated_ = 0;
};

}  // namespace heddle
