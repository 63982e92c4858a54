// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/memory/prefix_cache.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

using Path = PrefixCache::Path;

/// Keeps blocks that nobody holds.
void Keep(const Path& path, PrefixCache* cache) {
  for (const std::uint32_t block : path) cache->Add(block);
  cache->Release(path, path.size());
}

TEST(PrefixCache, WhatIsHereOfAPrompt) {
  PrefixCache cache;
  Keep({1, 2, 3}, &cache);
  EXPECT_EQ(cache.Match({1, 2, 3, 4}, 10), 3U);
  EXPECT_EQ(cache.Match({1, 2, 3, 4}, 2), 2U);
  EXPECT_EQ(cache.Match({1, 7, 3}, 10), 1U);  // nothing behind the first that is missing
  EXPECT_EQ(cache.Match({7, 2, 3}, 10), 0U);
  EXPECT_EQ(cache.Match({}, 10), 0U);
}

// A block leaves the idle ones with its first holder, and comes back with its last.
TEST(PrefixCache, HoldersAreCounted) {
  PrefixCache cache;
  EXPECT_FALSE(cache.Add(1));
  EXPECT_FALSE(cache.Add(2));
  cache.Hold({1}, 1);
  EXPECT_EQ(cache.holders(1), 2);
  EXPECT_EQ(cache.holds(), 3);
  EXPECT_EQ(cache.Release({1, 2}, 2), 1U);  // the second one has no holder now
  EXPECT_EQ(cache.held(), 1U);
  EXPECT_EQ(cache.CountIdle({1, 2}, 2), 1U);
  EXPECT_TRUE(cache.Add(1));   // somebody holds it
  EXPECT_FALSE(cache.Add(2));  // it is here, and nobody does
  EXPECT_EQ(cache.idle(), 0U);
  EXPECT_TRUE(cache.IsSound());
  EXPECT_THROW(cache.Hold({9}, 1), InvariantError);
  EXPECT_EQ(cache.Release({1}, 1), 0U);
  EXPECT_EQ(cache.Release({1, 2}, 2), 2U);
  EXPECT_THROW(cache.Release({1}, 1), InvariantError);
  EXPECT_EQ(cache.holds(), 0);
}

// The prompt that was let go of first goes first, and of it the last block.
TEST(PrefixCache, TheOldestBlocksGo) {
  PrefixCache cache;
  Keep({1, 2}, &cache);
  Keep({3, 4}, &cache);
  Keep({1}, &cache);  // used again
  cache.Shrink(3);
  EXPECT_EQ(cache.Match({1, 2}, 2), 1U);
  EXPECT_EQ(cache.Match({3, 4}, 2), 2U);
  cache.Shrink(2);
  EXPECT_EQ(cache.Match({3, 4}, 2), 1U);
  cache.Shrink(1);
  EXPECT_EQ(cache.Match({3, 4}, 2), 0U);
  EXPECT_EQ(cache.Match({1}, 1), 1U);
  EXPECT_TRUE(cache.IsSound());
}

TEST(PrefixCache, HeldBlocksStay) {
  PrefixCache cache;
  cache.Add(1);
  Keep({2}, &cache);
  cache.Shrink(0);
  EXPECT_EQ(cache.Match({1}, 1), 1U);
  EXPECT_EQ(cache.Match({2}, 1), 0U);
  EXPECT_EQ(cache.size(), 1U);
}

}  // namespace
}  // namespace heddle
