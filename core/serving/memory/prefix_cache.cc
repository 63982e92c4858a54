// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/memory/prefix_cache.h"

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {

std::size_t PrefixCache::Match(const Path& path, std::size_t most) const {
  std::size_t count = 0;
  while (count < most && count < path.size() && blocks_.count(path[count]) > 0) ++count;
  return count;
}

std::size_t PrefixCache::CountIdle(const Path& path, std::size_t count) const {
  std::size_t idle = 0;
  for (std::size_t i = 0; i < count; ++i) idle += holders(path[i]) == 0 ? 1 : 0;
  return idle;
}

std::int64_t PrefixCache::holders(std::uint32_t block) const {
  const auto found = blocks_.find(block);
  return found == blocks_.end() ? 0 : found->second.holders;
}

void PrefixCache::HoldOne(Block* block) {
  if (block->holders == 0) idle_.erase(block->released);
  ++block->holders;
  ++holds_;
}

void PrefixCache::Hold(const Path& path, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = blocks_.find(path[i]);
    HEDDLE_INVARIANT(found != blocks_.end(), "prefix cache: a block that is not there is held");
    HoldOne(&found->second);
  }
}

bool PrefixCache::Add(std::uint32_t block) {
  const auto [found, is_new] = blocks_.try_emplace(block);
  const bool was_held = found->second.holders > 0;
  if (is_new) {
    found->second.holders = 1;
    ++holds_;
  } else {
    HoldOne(&found->second);
  }
  return was_held;
}

std::size_t PrefixCache::Release(const Path& path, std::size_t count) {
  std::size_t idle = 0;
  for (std::size_t i = count; i-- > 0;) {
    const auto found = blocks_.find(path[i]);
    HEDDLE_INVARIANT(found != blocks_.end() && found->second.holders > 0,
                     "prefix cache: a block that nobody holds is let go of");
    Block& block = found->second;
    --holds_;
    if (--block.holders > 0) continue;
    block.released = released_++;
    idle_.emplace(block.released, path[i]);
    ++idle;
  }
  return idle;
}

void PrefixCache::Shrink(std::size_t most) {
  while (idle_.size() > most) {
    blocks_.erase(idle_.begin()->second);
    idle_.erase(idle_.begin());
  }
}

std::size_t PrefixCache::memory() const { return MemoryOfTree(blocks_) + MemoryOfTree(idle_); }

bool PrefixCache::IsSound() const {
  std::size_t idle = 0;
  std::int64_t holds = holds_;
  for (const auto& [number, block] : blocks_) {
    if (block.holders < 0 || block.holders > holds) return false;
    holds -= block.holders;
    if (block.holders > 0) continue;
    const auto found = idle_.find(block.released);
    if (found == idle_.end() || found->second != number || found->first >= released_) return false;
    ++idle;
  }
  return idle == idle_.size() && holds == 0;
}

}  // namespace heddle
