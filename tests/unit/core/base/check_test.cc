// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/check.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Check, SourceLineText) {
  EXPECT_EQ(ToText(SourceLine{"topo.txt", 12}), "topo.txt:12");
  EXPECT_EQ(ToText(SourceLine{"topo.txt", 0}), "topo.txt");
}

TEST(Check, FailInputSaysWhereWhatAndWhatInstead) {
  try {
    FailInput({"a.conf", 3}, "found 'x'", "a number");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a.conf:3: found 'x'. Expected: a number");
  }
}

TEST(Check, ExitCodes) {
  EXPECT_EQ(UsageError("").code(), ExitCode(2));
  EXPECT_EQ(UserError("").code(), ExitCode(3));
  EXPECT_EQ(InvariantError("").code(), ExitCode(5));
  EXPECT_EQ(FileError("").code(), ExitCode(6));
}

TEST(Check, InvariantEvaluatesItsMessageOnFailureOnly) {
  int asked = 0;
  const auto text = [&] {
    ++asked;
    return std::string("broken");
  };
  EXPECT_NO_THROW(HEDDLE_INVARIANT(1 + 1 == 2, text()));
  EXPECT_EQ(asked, 0);
  EXPECT_THROW(HEDDLE_INVARIANT(1 + 1 == 3, text()), InvariantError);
  EXPECT_EQ(asked, 1);
}

TEST(Check, AssertionNamesConditionAndPlace) {
  try {
    detail::FailAssertion("precondition", "a < b", "file.h", 9);
    FAIL();
  } catch (const InvariantError& error) {
    EXPECT_STREQ(error.what(), "precondition failed: a < b (file.h:9)");
  }
}

}  // namespace
}  // namespace heddle
