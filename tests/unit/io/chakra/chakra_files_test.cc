// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_files.h"

#include <filesystem>

#include "tests/support/chakra/chakra_bytes.h"
#include "tests/support/chakra/chakra_text.h"
#include "tests/support/io_test_util.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

using testing::WriteChakra;

TEST(ChakraFiles, FindsARankEach) {
  const TemporaryFolder folder;
  const std::string prefix = WriteChakra("ranks 12\n*: 1 comp 10\n", folder.In("a.b"));
  WriteBytes(folder.In("a.b.00.et"), "");
  WriteBytes(folder.In("a.b.et"), "");
  WriteBytes(folder.In("xa.b.12.et"), "");
  const std::vector<std::string> files = FindChakraFiles(prefix);
  ASSERT_EQ(files.size(), 12u);
  EXPECT_EQ(files[0], prefix + ".0.et");
  EXPECT_EQ(files[11], prefix + ".11.et");
  EXPECT_EQ(FindChakraFiles(prefix + ".3.et"), files);
  EXPECT_EQ(ReadChakra(prefix, {}).ranks.size(), 12u);
}

TEST(ChakraFiles, AFileOfAnotherNameIsATraceOfOneRank) {
  const TemporaryFolder folder;
  WriteBytes(folder.In("trace.bin"), testing::TraceBytes({testing::NodeHead(1, 4)}));
  EXPECT_TRUE(IsChakraPrefix(folder.In("trace.bin")));
  EXPECT_EQ(ReadChakra(folder.In("trace.bin"), {}).CountNodes(), 1u);
  WriteBytes(folder.In("step.goal"), "num_ranks 1\nrank 0 {\n}\n");
  EXPECT_FALSE(IsChakraPrefix(folder.In("step.goal")));
  EXPECT_TRUE(IsChakraPrefix(folder.In("step")));
}

TEST(ChakraFiles, NamesTheFirstMissingRank) {
  const TemporaryFolder folder;
  const std::string prefix = WriteChakra("ranks 5\n*: 1 comp 10\n", folder.In("a"));
  std::filesystem::remove(prefix + ".1.et");
  std::filesystem::remove(prefix + ".3.et");
  EXPECT_EQ(MessageOf([&] { ReadChakra(prefix, {}); }),
            prefix + ": 2 of 5 ranks have no file, the first is " + prefix +
                ".1.et. Expected: a file for each rank, from 0 on");
  EXPECT_EQ(MessageOf([&] { ReadChakra(folder.In("none"), {}); }),
            folder.In("none") + ": there is no file " + folder.In("none") +
                ".0.et. Expected: a file PREFIX.RANK.et for each rank, from 0 on");
  WriteBytes(prefix + ".0.et.gz", "");
  EXPECT_EQ(MessageOf([&] { ReadChakra(prefix, {}); }),
            prefix + ".0.et and " + prefix + ".0.et.gz are of one rank. Expected: one file a rank");
}

TEST(ChakraFiles, SaysWhatIsOdd) {
  const TemporaryFolder folder;
  const std::string prefix = WriteChakra(
      "ranks 2\n*: 1 comp 10 after 8 9 control 7\n*: 2 type 8\n*: 3 coll ALL_REDUCE 8 cpu\n",
      folder.In("a"));
  const std::vector<std::string> odd = WarnOfChakra(ReadChakra(prefix, {}));
  ASSERT_EQ(odd.size(), 4u);
  EXPECT_EQ(odd[0], prefix +
                        ": 4 data dependencies are on nodes that are not there, and count as "
                        "satisfied; the first is node 1 of " +
                        prefix + ".0.et");
  EXPECT_EQ(odd[3], prefix +
                        ": 2 nodes have the unknown type 8, and take no time; the first is node 2 "
                        "of " +
                        prefix + ".0.et");
}

}  // namespace
}  // namespace heddle
