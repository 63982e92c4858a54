// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/shell_line.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ShellLine, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellLine({"heddle", "run", "-n", "a/b_1.txt", "--set", "CC_MODE=3"}),
            "heddle run -n a/b_1.txt --set CC_MODE=3");
  EXPECT_EQ(ShellLine({}), "");
}

TEST(ShellLine, OthersAreQuoted) {
  EXPECT_EQ(ShellLine({"dcn-singletor -npa 16", ""}), "'dcn-singletor -npa 16' ''");
  EXPECT_EQ(ShellLine({"it's", "$HOME", "a;b"}), "'it'\\''s' '$HOME' 'a;b'");
}

}  // namespace
}  // namespace heddle
