// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/output_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

class OutputLockTest : public ::testing::Test {
 protected:
  std::string output() const { return folder_.In("x.h5"); }
  bool HasFile() const { return std::filesystem::exists(LockPath(output())); }
  std::string Text() const {
    std::ifstream file(LockPath(output()));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string MessageOfASecondOne(bool force = false) const {
    try {
      OutputLock second(output(), force);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(OutputLockTest, IsExclusiveAndNamesItsHolder) {
  {
    const OutputLock lock(output(), false);
    EXPECT_EQ(Text(), OwnHolderText());
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    for (const bool force : {false, true}) {
      const std::string message = MessageOfASecondOne(force);
      EXPECT_NE(message.find("process " + std::to_string(getpid()) + " on " + host),
                std::string::npos)
          << message;
    }
    EXPECT_TRUE(HasFile()) << "the one that was refused has deleted it";
    const OutputLock other(folder_.In("y.h5"), false);
  }
  EXPECT_FALSE(HasFile());
  EXPECT_EQ(MessageOfASecondOne(), "");
}

TEST_F(OutputLockTest, MovesWithItsObject) {
  OutputLock outer;
  {
    OutputLock inner(output(), false);
    outer = std::move(inner);
  }
  EXPECT_TRUE(HasFile());
  EXPECT_NE(MessageOfASecondOne(), "");
}

TEST_F(OutputLockTest, OfAKilledProcessIsTakenOver) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const OutputLock lock(output(), false);
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const std::string message = MessageOfASecondOne();
  EXPECT_NE(message.find("process " + std::to_string(child)), std::string::npos) << message;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(HasFile());
  EXPECT_EQ(StateOfHolder(Text()), HolderState::kDead);
  {
    const OutputLock lock(output(), false);
    EXPECT_EQ(Text(), OwnHolderText());
  }
  EXPECT_FALSE(HasFile());
}

TEST_F(OutputLockTest, AFileOfAnotherRunIsNotDeleted) {
  {
    const OutputLock lock(output(), false);
    std::filesystem::rename(LockPath(output()), folder_.In("moved"));
    std::ofstream(LockPath(output())) << "host other\nprocess 1\n";
  }
  EXPECT_TRUE(HasFile());
}

TEST_F(OutputLockTest, LinksAreNotFollowedAndPipesRefused) {
  std::ofstream(folder_.In("precious")) << "text";
  std::filesystem::create_symlink(folder_.In("precious"), LockPath(output()));
  EXPECT_EQ(MessageOfASecondOne(), "");
  EXPECT_EQ(std::filesystem::file_size(folder_.In("precious")), 4u);
  ASSERT_EQ(mkfifo(LockPath(output()).c_str(), 0600), 0);
  EXPECT_NE(MessageOfASecondOne(true).find("cannot be made"), std::string::npos);
}

TEST_F(OutputLockTest, NoFolderNoLock) {
  EXPECT_THROW(OutputLock(folder_.In("nowhere/x.h5"), false), FileError);
}

TEST(StateOfHolder, ComparesHostProcessAndStart) {
  const std::string own = OwnHolderText();
  EXPECT_EQ(StateOfHolder(own), HolderState::kAlive);
  EXPECT_EQ(StateOfHolder(""), HolderState::kNone);
  EXPECT_EQ(StateOfHolder("nonsense"), HolderState::kNone);
  const std::size_t start = own.find("start ");
  ASSERT_NE(start, std::string::npos);
  EXPECT_EQ(StateOfHolder(own.substr(0, start) + "start 1\n"), HolderState::kDead)
      << "the number is used by another process now";
  EXPECT_EQ(StateOfHolder("host elsewhere" + own.substr(own.find('\n'))), HolderState::kUnknown);
}

}  // namespace
}  // namespace heddle
