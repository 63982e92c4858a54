// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/spill_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

TEST(SpillFile, GivesBackWhatItWasGiven) {
  SpillFile file;
  const std::string first = "some bytes", second(100'000, 'x');
  EXPECT_EQ(file.Append(first.data(), first.size()), 0);
  EXPECT_EQ(file.Append(second.data(), second.size()), 10);
  EXPECT_EQ(file.Append(first.data(), 0), 100'010);
  EXPECT_EQ(file.size(), 100'010);
  std::string read(6, ' ');
  file.Read(5, read.data(), read.size());
  EXPECT_EQ(read, "bytesx");
}

TEST(SpillFile, MoreThanThereIsIsAnError) {
  SpillFile file;
  file.Append("abc", 3);
  char bytes[4];
  try {
    file.Read(0, bytes, sizeof bytes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kInputOutput);
  }
}

TEST(SpillFile, AFolderThatIsNotThereIsAnError) {
  const char* before = std::getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  try {
    SpillFile file;
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kInputOutput);
    EXPECT_NE(std::string(error.what()).find("/no/such/folder"), std::string::npos) << error.what();
  }
  if (before != nullptr) {
    setenv("TMPDIR", old.c_str(), 1);
  } else {
    unsetenv("TMPDIR");
  }
}

}  // namespace
}  // namespace heddle
