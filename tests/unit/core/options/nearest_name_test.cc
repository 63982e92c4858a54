// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/nearest_name.h"

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
  EXPECT_EQ(Nearest("abc", {}), "");
}

/// What was suggested once, and has nothing to do with what was typed.
TEST(Nearest, NothingFromAfar) {
  EXPECT_EQ(Nearest("", {"abc", "a"}), "");
  EXPECT_EQ(Nearest("version", {"partition", "run", "trace"}), "");
  EXPECT_EQ(Nearest("3", {"--engine", "-h"}), "");
  EXPECT_EQ(Nearest("HAS_WIN=0", {"--engine", "-h"}), "");
  EXPECT_EQ(Nearest("k", {"o", "g"}), "");
}

TEST(Nearest, PartsOfNames) {
  EXPECT_EQ(Nearest("rnd", {"packed", "random"}), "random");
  EXPECT_EQ(Nearest("LL64", {"ring", "ll"}), "ll");
  EXPECT_EQ(Nearest("rnig", {"tree", "ring"}), "ring");
  EXPECT_EQ(Nearest("--topo", {"--trace", "--topology"}), "--topology");
}

TEST(Nearest, InSentences) {
  EXPECT_EQ(DidYouMean("rum", {"run"}), " Did you mean 'run'?");
  EXPECT_EQ(NearestIs("rum", {"run"}), "; the nearest is run");
  EXPECT_EQ(DidYouMean("version", {"run"}) + NearestIs("version", {"run"}), "");
}

/// Arbitrary text without a blank is a single word: this one would take minutes to compare.
TEST(Nearest, LongWordsTakeNoTime) {
  const std::vector<std::string> names(200, "a name of the usual length");
  EXPECT_EQ(Nearest(std::string(std::size_t{1} << 26, 'k'), names), "");
  EXPECT_TRUE(NearMisses(std::string(std::size_t{1} << 26, 'k'), names, 3).empty());
}

}  // namespace
}  // namespace heddle
