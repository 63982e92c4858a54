// SPDX-License-Identifier: GPL-2.0-only
/// Tables of experts: what is read, and which line is wrong.
#include "io/input/expert_table_text.h"

#include <gtest/gtest.h>

#include "tests/support/message_of.h"

namespace heddle {
namespace {

TEST(ExpertTableText, ReadsCountsInAnyOrder) {
  const ExpertTable table =
      ParseExpertCounts("\xEF\xBB\xBF# choices\n2 7\r\n\n0 10 # the popular one\n1\t0\n", "e.txt");
  EXPECT_EQ(table.file, "e.txt");
  EXPECT_EQ(table.counts, (std::vector<std::int64_t>{10, 0, 7}));
  EXPECT_TRUE(table.tokens.empty());
}

TEST(ExpertTableText, ReadsTokensOfRanks) {
  const ExpertTable table = ParseTokenExperts("2 5 0\n# none of rank 1\n0 1 2\n2 3 4\n", "e.txt");
  ASSERT_EQ(table.tokens.size(), 3U);
  EXPECT_EQ(table.tokens[0], (std::vector<std::vector<std::uint32_t>>{{1, 2}}));
  EXPECT_TRUE(table.tokens[1].empty());
  EXPECT_EQ(table.tokens[2], (std::vector<std::vector<std::uint32_t>>{{5, 0}, {3, 4}}));
}

TEST(ExpertTableText, NamesTheWrongLine) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& one : {Case{"", "no choice of any expert"},
                          {"0 0\n1 0\n", "no choice of any expert"},
                          {"0 1\n2 1\n", "no count of expert 1"},
                          {"0 1\n0 2\n", "e.txt:2: expert 0 twice"},
                          {"0 -1\n", "e.txt:1: count \"-1\""},
                          {"0 1 2\n", "e.txt:1: count \"1\""},
                          {"0\n", "e.txt:1: count \"\""},
                          {"\n65536 1\n", "e.txt:2: expert \"65536\""}})
    EXPECT_NE(MessageOf([&] { ParseExpertCounts(one.text, "e.txt"); }).find(one.message),
              std::string::npos)
        << one.text;
  for (const Case& one : {Case{"# none\n", "no token"},
                          {"0\n", "e.txt:1: no expert"},
                          {"0 1 2\n0 3\n", "e.txt:2: 1 experts"},
                          {"0 1 1\n", "e.txt:1: expert 1 twice"},
                          {"x 1\n", "e.txt:1: rank \"x\""},
                          {"0 1.5\n", "e.txt:1: expert \"1.5\""}})
    EXPECT_NE(MessageOf([&] { ParseTokenExperts(one.text, "e.txt"); }).find(one.message),
              std::string::npos)
        << one.text;
}

}  // namespace
}  // namespace heddle
