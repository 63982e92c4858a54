// SPDX-License-Identifier: GPL-2.0-only
/// The KV memory of an instance, in blocks of tokens: how many are taken.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/check.h"

namespace heddle {

class BlockPool {
 public:
  /// `blocks`: of the instance; `block_tokens`: of a block, > 0.
  BlockPool(std::int64_t blocks, std::int64_t block_tokens)
      : blocks_(blocks), block_tokens_(block_tokens) {}

  /// Returns the blocks that hold so many tokens.
  std::int64_t BlocksFor(std::int64_t tokens) const {
    return (tokens + block_tokens_ - 1) / block_tokens_;
  }
  /// Takes what a sequence with `held` blocks needs for `tokens` in all, and raises `held`. Returns
  /// false if too few are free; then nothing changes.
  bool Grow(std::int64_t tokens, std::int64_t* held) {
    const std::int64_t more = std::max<std::int64_t>(BlocksFor(tokens) - *held, 0);
    if (!Take(more)) return false;
    *held += more;
    return true;
  }
  /// Takes so many blocks. Returns false if too few are free; then nothing changes.
  bool Take(std::int64_t blocks) {
    if (blocks > free()) return false;
    taken_ += blocks;
    most_ = std::max(most_, taken_);
    return true;
  }
  /// Gives so many blocks back.
  void Give(std::int64_t blocks) {
    HEDDLE_INVARIANT(blocks <= taken_, "blocks of KV memory: more were given back than taken");
    taken_ -= blocks;
  }
  /// Gives all blocks of a sequence back, and sets `held` to 0.
  void Free(std::int64_t* held) {
    Give(*held);
    *held = 0;
  }

  std::int64_t blocks() const { return blocks_; }  ///< in all
  std::int64_t taken() const { return taken_; }    ///< now
  std::int64_t free() const { return blocks_ - taken_; }
  std::int64_t block_tokens() const { return block_tokens_; }
  std::int64_t most() const { return most_; }  ///< that were taken at once so far

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& taken_& most_;
  }

 private:
  std::int64_t blocks_, block_tokens_;
  std::int64_t taken_ = 0, most_ = 0;
};

}  // namespace heddle
