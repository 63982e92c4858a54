// SPDX-License-Identifier: GPL-2.0-only
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "core/goal/goal_store.h"
#include "io/goal/goal_binary.h"
#include "io/goal/goal_file.h"
#include "io/goal/goal_lines.h"
#include "io/goal/goal_text.h"
#include "io/goal/goal_writer.h"
#include "tests/support/io_test_util.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

/// Ranks in another order than that of their numbers, one of them idle.
std::string ThreeRanks(int steps) {
  std::string text = "num_ranks 3\n";
  for (const int rank : {2, 0}) {
    text += "rank " + std::to_string(rank) + " { // a block\n";
    for (int i = 0; i < steps; ++i) {
      const std::string n = std::to_string(i);
      text += "c" + n + ": calc " + n + "\ns" + n + ": send 8b to " + std::to_string(2 - rank) +
              " tag " + n + "\nr" + n + ": recv 8b from " + std::to_string(2 - rank) + " tag " + n +
              "\ns" + n + " requires c" + n + "\n";
      if (i > 3) text += "c" + n + " irequires r" + std::to_string(i - 3) + "\n";
    }
    text += "/* between\nblocks */ }\n";
  }
  return text + "rank 1 {\n}\n";
}

std::string Written(const TemporaryFolder& folder, const std::string& name,
                    const std::string& bytes) {
  std::ofstream(folder.In(name), std::ios::binary) << bytes;
  return folder.In(name);
}

std::string TextOf(const GoalSchedule& schedule) {
  std::ostringstream text;
  WriteGoalText(schedule, &text);
  return text.str();
}
std::string BinaryOf(const GoalSchedule& schedule) {
  std::ostringstream bytes;
  WriteGoalBinary(schedule, &bytes);
  return bytes.str();
}

TEST(GoalWindow, AFileIsTheSameScheduleAsItsBytes) {
  const TemporaryFolder folder;
  const std::string text = ThreeRanks(20'000);  // more than a part
  std::vector<std::string> warnings;
  const GoalSchedule all = ParseGoal(text, "a.goal", &warnings);
  EXPECT_EQ(all.store, nullptr);
  const std::string text_file = Written(folder, "a.goal", text);
  const std::string binary_file = Written(folder, "a.bin", BinaryOf(all));
  for (const std::string& file : {text_file, binary_file}) {
    for (const std::uint64_t window : {0U, 1U, 59'999U, 119'999U, 120'000U}) {
      const GoalSchedule read = ReadGoal(file, window, &warnings);
      EXPECT_EQ(read.store != nullptr, window > 0 && window < 120'000) << window;
      EXPECT_EQ(read.CountOperations(), 120'000u);
      EXPECT_EQ(TextOf(read), TextOf(all)) << file << " with a window of " << window;
      EXPECT_EQ(BinaryOf(read), BinaryOf(all)) << file << " with a window of " << window;
      EXPECT_EQ(Describe(read.At(2, 4)), "a send to 0, tag 1");
      EXPECT_TRUE(read.Has(0, 59'999));
      EXPECT_FALSE(read.Has(0, 60'000) || read.Has(1, 0) || read.Has(3, 0));
      if (window != 1) continue;
      EXPECT_LT(read.memory(), all.memory() * 3 / 4);  // one of two ranks was looked at
    }
  }
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(ReadGoal(text_file, 1, &warnings).PlaceOf(0, 0), text_file + ":100002");
}

TEST(GoalWindow, APipeIsReadLikeAFile) {
  const TemporaryFolder folder;
  const std::string text = ThreeRanks(2000), pipe = folder.In("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::string> warnings;
  const GoalSchedule all = ParseGoal(text, "a.goal", &warnings);
  for (const std::string& bytes : {text, BinaryOf(all)}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    const GoalSchedule read = ReadGoal(pipe, 100, &warnings);
    writer.join();
    EXPECT_EQ(TextOf(read), TextOf(all));
  }
}

TEST(GoalWindow, LinesAreTheSameInAnyParts) {
  const TemporaryFolder folder;
  const std::string text =
      "\xEF\xBB\xBFnum_ranks 2 // two\r\n\n/* a\nb */ rank 0 {\n  calc 1\n}\nrank 1 {\n}";
  const auto lines_of = [](GoalBytes* bytes, std::size_t part) {
    GoalLines lines(bytes, part);
    std::string_view line;
    std::vector<std::string> all;
    while (lines.Next(&line))
      all.push_back(std::to_string(lines.number()) + " " + std::string(line));
    return all;
  };
  GoalBytes memory(text, "a.goal");
  const std::vector<std::string> expected = lines_of(&memory, 1);
  EXPECT_EQ(expected, (std::vector<std::string>{"1 num_ranks 2", "4 rank 0 {", "5 calc 1", "6 }",
                                                "7 rank 1 {", "8 }"}));
  const std::string file = Written(folder, "a.goal", text);
  for (std::size_t part = 1; part < 2 * text.size(); ++part) {
    GoalBytes bytes(file);
    EXPECT_EQ(lines_of(&bytes, part), expected) << "parts of " << part;
  }
}

TEST(GoalWindow, FilesThatCannotBeReadAreRefused) {
  const TemporaryFolder folder;
  EXPECT_NE(MessageOf([&] { GoalBytes(folder.In("none")); }).find("none: cannot be read (No such"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] { GoalBytes(folder.In(".")); }).find("cannot be read (Is a directory)"),
            std::string::npos);
  const std::string file = Written(folder, "a.goal", "num_ranks 1\nrank 0 {\n}\n");
  GoalBytes bytes(file);
  Written(folder, "a.goal", "num");
  EXPECT_NE(MessageOf([&] { bytes.Read(0, 20); }).find("became shorter while it was read"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
