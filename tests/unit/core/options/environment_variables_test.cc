// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/environment_variables.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;
using Order = EnvironmentFamily::Order;

class EnvironmentVariables : public ::testing::Test {
 protected:
  EnvironmentVariables() {
    set_.Add({"x.count", "COUNT", "a number", "", "test"}, &count_, 0, 9);
    set_.Add({"x.flag", "", "a switch", "", "test"}, &flag_);
    EnvironmentVariable idle;
    idle.name = "X_IDLE";
    idle.unused = "nothing reads it";
    family_.owner = "X";
    family_.prefix = "X_";
    family_.variables = {{"X_WORD", {"x.count", "x.flag"}, Translate},
                         {"X_COUNT", {"x.count"}},
                         idle,
                         {"X_MARK", {}}};
  }

  static std::vector<OptionSetting> Translate(const std::string& value) {
    if (value == "none") return {};
    if (value != "high") throw UserError("Expected: high");
    return {{"x.count", "9"}};
  }
  void Apply(const Environment& environment) {
    ApplyEnvironment(family_, environment, &set_, &echo_, &warnings_);
  }
  std::string ErrorOf(const Environment& environment) {
    try {
      Apply(environment);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  OptionSet set_;
  std::int64_t count_ = 3;
  bool flag_ = false;
  EnvironmentFamily family_;
  Lines echo_, warnings_;
};

TEST_F(EnvironmentVariables, AValueGoesThroughTheOption) {
  Apply({{"X_COUNT", "4"}, {"Y_COUNT", "5"}, {"X_MARK", "file"}});
  EXPECT_EQ(count_, 4);
  EXPECT_TRUE(set_.options()[0].set_by_user);
  EXPECT_FALSE(set_.options()[1].set_by_user);
  EXPECT_EQ(echo_, (Lines{"X_COUNT=4", "X_MARK=file"}));
  EXPECT_EQ(ErrorOf({{"X_COUNT", "10"}}),
            "environment variable X_COUNT: option x.count (COUNT): found '10'. Expected: an "
            "integer from 0 to 9");
}

TEST_F(EnvironmentVariables, ATranslationSaysWhatItsOptionsHaveComeTo) {
  Apply({{"X_WORD", "high"}});
  EXPECT_EQ(count_, 9);
  EXPECT_TRUE(set_.options()[0].set_by_user);
  EXPECT_FALSE(set_.options()[1].set_by_user) << "a value need not set all of its options";
  EXPECT_EQ(echo_, Lines{"X_WORD=high: x.count=9 x.flag=false"});
  EXPECT_EQ(ErrorOf({{"X_WORD", "low"}}), "environment variable X_WORD=low: Expected: high");
}

TEST_F(EnvironmentVariables, WhatHasNoEffectSaysWhy) {
  Apply({{"X_IDLE", "1"}});
  EXPECT_EQ(echo_, Lines{"X_IDLE=1: not used (nothing reads it)"});
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(EnvironmentVariables, WarnsOfItsPrefixOnly) {
  Apply({{"X_COUMT", "1"}, {"XCOUNT", "1"}});
  EXPECT_EQ(warnings_,
            Lines{"environment variable X_COUMT is none of X's; the nearest is X_COUNT"});
  EXPECT_TRUE(echo_.empty());
  family_.prefix.clear();
  Apply({{"X_COUMT", "1"}});
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(EnvironmentVariables, OrderDecidesWhoHasTheLastWord) {
  Apply({{"X_COUNT", "4"}, {"X_WORD", "high"}});
  EXPECT_EQ(count_, 9);
  EXPECT_EQ(echo_.at(0), "X_COUNT=4");
  family_.order = Order::kOfTable;
  echo_.clear();
  Apply({{"X_COUNT", "4"}, {"X_WORD", "high"}});
  EXPECT_EQ(count_, 4);
  EXPECT_EQ(echo_.at(1), "X_COUNT=4");
}

TEST_F(EnvironmentVariables, EmptyMayBeAsGoodAsNotSet) {
  EXPECT_NE(ErrorOf({{"X_COUNT", ""}}), "no error");
  family_.empty_is_unset = true;
  Apply({{"X_COUNT", ""}});
  EXPECT_EQ(count_, 3);
  EXPECT_TRUE(echo_.empty());
}

}  // namespace
}  // namespace heddle
