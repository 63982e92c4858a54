// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

/// An empty folder for one test.
class NewFile : public ::testing::Test {
 protected:
  std::string In(const std::string& name) const { return folder_.In(name); }
  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(In(name)) << text;
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(In(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(NewFile, ReplacesWhatWasThere) {
  Put("a", "old and long");
  const int file = MakeNewFile(In("a"));
  ASSERT_GE(file, 0);
  EXPECT_EQ(write(file, "new", 3), 3);
  close(file);
  EXPECT_EQ(Get("a"), "new");
}

TEST_F(NewFile, FollowsNoLink) {
  Put("precious", "kept");
  std::filesystem::create_symlink("precious", In("a"));
  std::filesystem::create_symlink("nowhere", In("b"));
  std::FILE* a = MakeNewStream(In("a"));
  std::FILE* b = MakeNewStream(In("b"));
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  std::fputs("mine", a);
  std::fclose(a);
  std::fclose(b);
  EXPECT_EQ(Get("precious"), "kept");
  EXPECT_EQ(Get("a"), "mine");
  EXPECT_FALSE(std::filesystem::is_symlink(In("a")));
  EXPECT_FALSE(std::filesystem::exists(In("nowhere")));
}

TEST_F(NewFile, KeepsTheOtherNameOfAFile) {
  Put("precious", "kept");
  std::filesystem::create_hard_link(In("precious"), In("a"));
  const int file = MakeNewFile(In("a"));
  ASSERT_GE(file, 0);
  EXPECT_EQ(write(file, "x", 1), 1);
  close(file);
  EXPECT_EQ(Get("precious"), "kept");
}

TEST_F(NewFile, HasTheModeThatTheUmaskLeaves) {
  const mode_t before = umask(027);
  close(MakeNewFile(In("a")));
  umask(before);
  struct stat about;
  ASSERT_EQ(stat(In("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0640U);
}

TEST_F(NewFile, SaysWhyNot) {
  std::filesystem::create_directory(In("folder"));
  EXPECT_LT(MakeNewFile(In("folder")), 0);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_TRUE(std::filesystem::is_directory(In("folder")));
  EXPECT_EQ(MakeNewStream(In("no/such/folder")), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_TRUE(RemoveLeftOver(In("nothing")));
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  EXPECT_LT(MakeNewFile(In("pipe")), 0);
  EXPECT_EQ(errno, EEXIST);
}

TEST_F(NewFile, LeavesDevicesAlone) {
  const int file = MakeNewFile("/dev/null");
  ASSERT_GE(file, 0);
  close(file);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(RemoveLeftOver("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace heddle
