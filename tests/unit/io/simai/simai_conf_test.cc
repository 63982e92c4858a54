// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/simai_conf.h"

#include "core/options/options.h"
#include "io/simai/unused_simai_keys.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

class SimaiConfTest : public ::testing::Test {
 protected:
  SimaiConfTest() {
    options_.Add({"transport.window", "HAS_WIN", "", "", ""}, &window_);
    options_.Add({"switch.buffer", "BUFFER_SIZE", "", "MiB", ""}, &buffer_, 1, 4096);
    options_.Add({"failure.link_down", "LINK_DOWN", "", "", ""}, &link_down_, {});
    options_.Add({"ecn.kmax", "KMAX_MAP", "", "", ""}, &kmax_, {});
    DeclareUnusedSimaiKeys(&options_);
  }
  void Parse(const std::string& text) { ParseSimaiConf(text, "SimAI.conf", &options_); }

  bool window_ = true;
  std::int64_t buffer_ = 16;
  std::string link_down_, kmax_;
  OptionSet options_;
};

TEST_F(SimaiConfTest, ReadsKeysCommentsAndLists) {
  Parse(
      "# a comment\n\nHAS_WIN 0 \r\n\tBUFFER_SIZE   32 # MiB\nLINK_DOWN 0 1  2\t\n"
      "KMAX_MAP 2 25000000000 400 50000000000 800\nFCT_OUTPUT_FILE a#b.txt\n   # end\n"
      "MON_END 20000");
  EXPECT_FALSE(window_);
  EXPECT_EQ(buffer_, 32);
  EXPECT_EQ(link_down_, "0 1  2");
  EXPECT_EQ(kmax_, "2 25000000000 400 50000000000 800");
  EXPECT_EQ(options_.given_but_unused(), (std::vector<std::string>{"FCT_OUTPUT_FILE", "MON_END"}));
}

TEST_F(SimaiConfTest, LastLineNeedsNoLineEnd) {
  Parse("HAS_WIN 0");
  EXPECT_FALSE(window_);
}

TEST_F(SimaiConfTest, MistakesNameTheLine) {
  EXPECT_EQ(MessageOf([&] { Parse("HAS_WIN 1\n\nBUFER_SIZE 3\n"); }),
            "SimAI.conf:3: unknown option 'BUFER_SIZE'. Expected: a known option; the nearest is "
            "BUFFER_SIZE");
  EXPECT_EQ(MessageOf([&] { Parse("HAS_WIN\n"); }),
            "SimAI.conf:1: key HAS_WIN has no value. Expected: KEY value");
  EXPECT_EQ(MessageOf([&] { Parse("HAS_WIN # 1\n"); }),
            "SimAI.conf:1: key HAS_WIN has no value. Expected: KEY value");
  EXPECT_EQ(MessageOf([&] { Parse("HAS_WIN 1\nBUFFER_SIZE 8\nHAS_WIN 0"); }),
            "SimAI.conf:3: key \"HAS_WIN\" was already given on line 1. Expected: each key once; "
            "remove line 1 or line 3");
  EXPECT_EQ(MessageOf([&] { Parse("BUFFER_SIZE 8 9"); }),
            "SimAI.conf:1: option switch.buffer (BUFFER_SIZE): found '8 9'. Expected: an integer "
            "from 1 to 4096 (MiB), or a size with its unit, such as 32MiB");
}

TEST_F(SimaiConfTest, ReadsFiles) {
  const std::string path = TempPath("SimAI.conf");
  WriteBytes(path, "HAS_WIN 0");
  ReadSimaiConf(path, &options_);
  EXPECT_FALSE(window_);
  const std::string message = MessageOf([&] { ReadSimaiConf(path + ".none", &options_); });
  EXPECT_NE(message.find(path + ".none: cannot be read"), std::string::npos) << message;
  MessageOf([&] { ReadSimaiConf(::testing::TempDir(), &options_); });
}

TEST_F(SimaiConfTest, DamagedTextOnlyGivesErrors) {
  ExpectOnlyErrors("# x\nHAS_WIN 0\nBUFFER_SIZE 32\nLINK_DOWN 0 1 2\nKMAX_MAP 1 5 6\nMON_END 9\n",
                   [&](const std::string& text) { Parse(text); });
}

TEST(UnusedSimaiKeys, EveryKeyHasAReason) {
  OptionSet options;
  DeclareUnusedSimaiKeys(&options);
  EXPECT_EQ(options.unused_keys().size(), 17u);
  for (const UnusedKey& key : options.unused_keys()) EXPECT_GT(key.reason.size(), 20u);
}

}  // namespace
}  // namespace heddle
