// SPDX-License-Identifier: GPL-2.0-only
#include "core/containers/word_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace heddle {
namespace {

TEST(WordSort, SortsAsTheLibraryDoesAndKeepsTheOrderOfEqualWords) {
  std::mt19937_64 random(7);
  for (const std::uint64_t mask :
       {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0xff00000000000001},
        std::uint64_t{0x0000007f000003ff}}) {
    std::vector<Worded<int>> entries(5000);
    for (int i = 0; i < 5000; ++i) entries[i] = {(random() & mask) | (~mask & 0x1234), i};
    std::vector<Worded<int>> expected = entries;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.word < b.word; });
    SortByWord(&entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ASSERT_EQ(entries[i].word, expected[i].word) << mask;
      ASSERT_EQ(entries[i].value, expected[i].value) << mask;
    }
  }
  std::vector<Worded<int>> none;
  SortByWord(&none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace heddle
