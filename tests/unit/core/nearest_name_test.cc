// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

TEST(NearMisses, NearestFirstAndNotTheFar) {
  const std::vector<std::string> names = {"HAS_WIN", "VAR_WIN", "KMAX_MAP",
                                          "hpcc.target_utilisation"};
  EXPECT_EQ(NearMisses("HASWIN", names, 3), (std::vector<std::string>{"HAS_WIN"}));
  EXPECT_EQ(NearMisses("utilisation", names, 3),
            (std::vector<std::string>{"hpcc.target_utilisation"}));
  EXPECT_EQ(NearMisses("_WIN", names, 1).size(), 1u);
  EXPECT_TRUE(NearMisses("nonsense", names, 3).empty());
}

TEST(Nearest, SmallestEditDistance) {
  EXPECT_EQ(Nearest("kitten", {"sitting", "mitten", "bitter"}), "mitten");
  EXPECT_EQ(Nearest("", {"abc", "a"}), "a");
  EXPECT_EQ(Nearest("abc", {}), "");
}

/// Arbitrary text without a blank is a single word: this one would take minutes to compare.
TEST(Nearest, LongWordsTakeNoTime) {
  const std::vector<std::string> names(200, "a name of the usual length");
  EXPECT_EQ(Nearest(std::string(std::size_t{1} << 26, 'k'), names), names.front());
  EXPECT_TRUE(NearMisses(std::string(std::size_t{1} << 26, 'k'), names, 3).empty());
}

}  // namespace
}  // namespace heddle
