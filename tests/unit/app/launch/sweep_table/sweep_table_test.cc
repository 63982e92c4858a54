// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_table/sweep_table.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

/// A folder with two empty files, fabric.txt and w.txt; tables are read as if they were in it.
class SweepTableTest : public ::testing::Test {
 protected:
  SweepTableTest() {
    for (const char* file : {"fabric.txt", "w.txt"}) std::ofstream(folder_.In(file)) << "";
  }

  SweepTable Parse(const std::string& text) const {
    return ParseSweepTable(text, folder_.In("t.toml"));
  }
  /// The error message without the folder's name.
  std::string Refusal(const std::string& text) const {
    std::string message = MessageOf([&] { Parse(text); });
    const std::string prefix = folder_.In("");
    for (std::size_t at; (at = message.find(prefix)) != std::string::npos;)
      message.erase(at, prefix.size());
    return message;
  }
  void ExpectRefusal(const std::string& text, const std::string& begin) const {
    EXPECT_EQ(Refusal(text).substr(0, begin.size()), begin) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(SweepTableTest, ReadsWhatIsSharedAndWhatIsVaried) {
  const SweepTable table = Parse(R"(
ranks = 4
output = "out"
[run]
topology = "fabric.txt"
controller.enable = true
[vary]
size = ["1MiB", 4096]
"CC_MODE" = [1, 3]
)");
  EXPECT_EQ(table.ranks, 4U);
  EXPECT_EQ(table.output, folder_.In("out"));
  ASSERT_EQ(table.fixed.size(), 2U);
  EXPECT_EQ(table.fixed[0].value, folder_.In("fabric.txt"));
  EXPECT_EQ(table.fixed[1].key, "controller.enable");
  EXPECT_EQ(table.fixed[1].value, "true");
  EXPECT_EQ(table.fixed[1].where.line, 6);
  ASSERT_EQ(table.axes.size(), 2U);
  EXPECT_EQ(table.axes[0].key, "size") << "in the file's order, not by name";
  EXPECT_EQ(table.axes[0].values[0].value, "1048576");
  EXPECT_EQ(table.axes[1].values[1].value, "3");
}

TEST_F(SweepTableTest, ReadsLabelsAndZips) {
  const SweepTable table = Parse(R"(
[run]
label = "study"
seed = 3
[zip]
topology = ["fabric.txt", "w.txt"]
label = ["small", "large"]
passes = [1, 2]
[vary]
CC_MODE = [{value = 1, label = "as SimAI"}, 3, "timely"]
)");
  EXPECT_EQ(table.label, "study");
  ASSERT_EQ(table.fixed.size(), 1U);
  ASSERT_EQ(table.axes.size(), 3U);
  EXPECT_EQ(table.axes[0].key, "topology") << "the zip stands first in the file";
  EXPECT_EQ(table.axes[0].values[1].label, "large");
  EXPECT_EQ(table.axes[1].values[1].label, "");
  EXPECT_EQ(table.axes[0].zip, table.axes[1].zip);
  EXPECT_GT(table.axes[0].zip, 0);
  EXPECT_EQ(table.axes[2].zip, 0);
  EXPECT_EQ(table.axes[2].values[0].label, "as SimAI");
  EXPECT_EQ(table.axes[2].values[0].value, "1");
  EXPECT_EQ(table.axes[2].values[1].word, "hpcc");
  EXPECT_EQ(table.axes[2].values[2].word, "timely");
}

TEST_F(SweepTableTest, ZipsAreSeveralAndStandWhereTheyAre) {
  const SweepTable table = Parse(
      "[[zip]]\nseed = [1, 2]\n[vary]\nCC_MODE = [1]\n[[zip]]\npasses = [3, 4]\n"
      "\"pfc.enabled\" = [true, false]\n");
  ASSERT_EQ(table.axes.size(), 4U);
  EXPECT_EQ(table.axes[0].key, "seed");
  EXPECT_EQ(table.axes[1].key, "CC_MODE");
  EXPECT_EQ(table.axes[2].zip, table.axes[3].zip);
  EXPECT_NE(table.axes[0].zip, table.axes[2].zip);
  EXPECT_EQ(table.axes[3].values[0].word, "") << "true says nothing alone";
}

TEST_F(SweepTableTest, SizesMayBeNcclTests) {
  EXPECT_EQ(Parse("[run]\nsize = \"64K\"").fixed.at(0).value, "65536");
}

TEST_F(SweepTableTest, RefusesLabelsAndZipsThatAreNone) {
  ExpectRefusal("[zip]\nseed = [1, 2]\npasses = [1, 2, 3]",
                "t.toml:3: 'passes' has 3 values, 'seed' has 2. Expected: lists of one length");
  ExpectRefusal("[zip]\nseed = 1",
                "t.toml:2: 'seed' has a single value. Expected: a list in [zip]");
  ExpectRefusal("[zip]\n", "t.toml:1: no list in [zip]. Expected: ");
  ExpectRefusal("[zip]\nlabel = [\"a\"]", "t.toml:1: no list in [zip]. Expected: ");
  ExpectRefusal("[zip]\nseed = [1, 2]\nlabel = [\"a\"]", "t.toml:3: 'label' is not a list of 2");
  ExpectRefusal("[zip]\nseed = [1, 2]\nlabel = [\"a\",\n\"a\"]",
                "t.toml:2: label 'a' a second time");
  ExpectRefusal("[vary]\nseed = [{value = 1, label = \"\"}]", "t.toml:2: a label that is none");
  ExpectRefusal("[vary]\nseed = [{value = 1, label = 3}]", "t.toml:2: a label that is none");
  ExpectRefusal("[vary]\nseed = [{label = \"a\"}]", "t.toml:2: no 'value'");
  ExpectRefusal("[vary]\nseed = [{value = 1, name = \"a\"}]", "t.toml:2: unknown key 'name'");
  ExpectRefusal("[vary]\nlabel = [\"a\"]", "t.toml:2: 'label' without a value");
  ExpectRefusal("[run]\nlabel = 3\nseed = 1", "t.toml:2: a label that is none");
  ExpectRefusal("[vary]\nseed = [1]\n[zip]\nseed = [2]",
                "t.toml:4: 'seed' is in [vary] and in [zip]. Expected: one of them");
  ExpectRefusal("[run]\nseed = 1\n[zip]\nseed = [2]", "t.toml:2: 'seed' is in [run] and in [zip]");
  ExpectRefusal("zip = 3", "t.toml:1: a value that 'zip' cannot have. Expected: a table: [zip]");
}

TEST_F(SweepTableTest, OutputIsNamedAfterTheTable) {
  EXPECT_EQ(Parse("[run]\nseed = 1").output, folder_.In("t"));
}

TEST_F(SweepTableTest, KeysWithDotsMayBeTables) {
  for (const char* text : {"[run.controller]\nenable = true", "[run]\n\"controller.enable\" = true",
                           "[run]\ncontroller.enable = true"}) {
    EXPECT_EQ(Parse(text).fixed.at(0).key, "controller.enable") << text;
  }
}

TEST_F(SweepTableTest, RefusesWithPlaceAndExpectation) {
  ExpectRefusal("[run\n", "t.toml:");
  ExpectRefusal("", "t.toml: no [run] and no [vary]. Expected: ");
  ExpectRefusal("rank = 2", "t.toml:1: unknown key 'rank'; the nearest is ranks. Expected: ");
  ExpectRefusal("\nranks = 0",
                "t.toml:2: a value that 'ranks' cannot have. Expected: a whole number from 1");
  ExpectRefusal("ranks = 1.5", "t.toml:1: a value that 'ranks' cannot have");
  ExpectRefusal("run = 3", "t.toml:1: a value that 'run' cannot have. Expected: a table");
  ExpectRefusal("[run]\ntopolgy = \"fabric.txt\"",
                "t.toml:2: unknown key 'topolgy'; the nearest is topology");
  ExpectRefusal("[vary]\nCC_MOD = [1]", "t.toml:2: unknown key 'CC_MOD'; the nearest is CC_MODE");
  ExpectRefusal("[vary]\nCC_MODE = 1", "t.toml:2: 'CC_MODE' has a single value. Expected: a list");
  ExpectRefusal("[vary]\nCC_MODE = []", "t.toml:2: 'CC_MODE' has an empty list");
  ExpectRefusal("[vary]\nCC_MODE = [1,\n\"x\"]", "t.toml:3: ");
  ExpectRefusal("[run]\nCC_MODE = [1]",
                "t.toml:2: 'CC_MODE' has a value of another kind. Expected: text in quotes, a "
                "number, true or false; lists");
  ExpectRefusal("[run]\ntopology = \"none.txt\"",
                "t.toml:2: topology 'none.txt' is no file. Expected: ");
  ExpectRefusal("[run]\nsize = \"64 apples\"", "t.toml:2: size '64 apples'. Expected: bytes");
  ExpectRefusal("[run]\nCC_MODE = 1\n[vary]\nCC_MODE = [3]",
                "t.toml:2: 'CC_MODE' is in [run] and in [vary]. Expected: one of them");
  ExpectRefusal("[run]\nCC_MODE = 99", "t.toml:2: ");
}

/// toml++ 3.3 has undefined behaviour on U+00B4 where a word could begin.
TEST_F(SweepTableTest, LettersBeyondAsciiAreForStringsAndComments) {
  EXPECT_EQ(
      Parse("# \xc2\xb4 \"\noutput = \"\xc2\xb4 # \\\" '\" # \xc2\xb4\n[run]\nseed = 1").output,
      folder_.In("\xc2\xb4 # \" '"));
  const std::string refusal = ": a letter beyond ASCII. Expected: ";
  ExpectRefusal("[run]\n\xc2\xb4", "t.toml:2" + refusal);
  ExpectRefusal("output = \"a\" \xc2\xb4", "t.toml:1" + refusal);
  ExpectRefusal("output = \"\"\"a\\\n\xc2\xb4\"\"\"", "t.toml:2" + refusal);
  EXPECT_EQ(Parse("output='\xc2\xb4' # \xc2\xb4\n[run]\nseed = 1").output, folder_.In("\xc2\xb4"));
  ExpectRefusal("output = ['a','\xc2\xb4'] '\xc2\xb4'", "t.toml:1: ");
  ExpectRefusal("output = a'\xc2\xb4'", "t.toml:1" + refusal);
  ExpectRefusal("output = a='\xc2\xb4'", "t.toml:1" + refusal);
  ExpectRefusal("output = 'a''\xc2\xb4'", "t.toml:1" + refusal);
  ExpectRefusal("# \xe2\x80\xa8 a second line for TOML", "t.toml:1" + refusal);
}

TEST_F(SweepTableTest, RefusesHugeFiles) {
  const std::string path = folder_.In("huge.toml");
  std::ofstream(path) << std::string((1 << 20) + 1, '#');
  EXPECT_THROW(ReadSweepTable(path), UserError);
}

}  // namespace
}  // namespace heddle
