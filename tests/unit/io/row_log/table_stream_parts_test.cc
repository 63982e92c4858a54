// SPDX-License-Identifier: GPL-2.0-only
/// The files of a log: when they exist, what a killed writer leaves, and which logs cannot be
/// merged.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log_reader.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/row_log/queue_rows.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

TEST(TableStreamParts, TheFirstRowsOrCommitMakeTheFile) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 3, kKeys);
  EXPECT_EQ(stream.path(), path + ".part.rank3");
  EXPECT_FALSE(fs::exists(stream.path()));
  EXPECT_EQ(stream.bytes(), 0);
  stream.Commit(1, {0});
  EXPECT_TRUE(fs::exists(stream.path()));
  stream.Close();
  RemoveStreams({stream.path()});
  TableStream none(path, 3, kKeys);
  none.Close();
  EXPECT_FALSE(none.started());
  EXPECT_FALSE(fs::exists(none.path()));
}

TEST(TableStreamParts, PartsAreFoundByRank) {
  const std::string path = TempPath("r.h5");
  const std::vector<std::string> others = {path + ".part",        path + ".part.rank",
                                           path + ".part.rank01", path + ".part.rank1.sorted",
                                           path + ".part.rank1x", path + ".part.rank-1",
                                           path + "x.part.rank1", path + ".part.rank99999999999"};
  std::vector<std::string> parts;
  for (const std::uint32_t rank : {0u, 2u, 10u}) parts.push_back(StreamPartPath(path, rank));
  for (const std::string& file : others) WriteBytes(file, "");
  for (const std::string& file : parts) WriteBytes(file, "");
  EXPECT_EQ(FindStreamParts(path), parts);
  EXPECT_TRUE(FindStreamParts(path + "/none").empty());
  RemoveStreams(parts);
  for (const std::string& file : others) fs::remove(file);
}

TEST(TableStreamParts, AKilledWriterLeavesWhatWasCommitted) {
  const std::string path = TempPath("r.h5");
  std::mt19937 random(7);
  std::size_t torn = 0;
  for (int round = 0; round < 25 || (torn == 0 && round < 200); ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      TableStream stream(path, 0, kKeys);
      const Table block = Queues(0, 300);
      for (std::uint64_t commit = 1;; ++commit) {
        for (int i = 0; i < 3; ++i) stream.Append(block);
        stream.Commit(commit, {static_cast<std::int64_t>(commit) * 1000});
      }
    }
    // Not before its first commit; then at any moment.
    const auto begun = std::chrono::steady_clock::now();
    std::error_code error;
    while (!(fs::file_size(StreamPartPath(path, 0), error) > 1'000'000 && !error) &&
           std::chrono::steady_clock::now() - begun < std::chrono::seconds(20)) {
      usleep(1000);
    }
    usleep(random() % 20'000);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const RowLogReader log(StreamPartPath(path, 0));
    ASSERT_FALSE(log.commits().empty());
    const std::uint64_t last = log.commits().back().number;
    EXPECT_EQ(log.commits().back().time.ps, static_cast<std::int64_t>(last) * 1000);
    EXPECT_EQ(log.commits().size(), last);
    std::uint64_t rows = 0;
    for (const auto& each : log.blocks()) rows += CheckedRows(log.ReadBlock(each));
    EXPECT_EQ(rows, last * 3 * 300 * 18);
    if (log.tail_bytes() > 0) ++torn;
    if (round == 0) {
      MakeResult({StreamPartPath(path, 0)}, 1, path);
      const Table merged = ResultReader(path).ReadTable("monitors/queues");
      EXPECT_EQ(CheckedRows(merged), 3u * 300 * 18);
      EXPECT_TRUE(IsSorted(merged, kKeys.at("monitors/queues")));
    }
    RemoveStreams({StreamPartPath(path, 0)});
  }
  EXPECT_GT(torn, 0u) << "every kill came between a commit and the next write";
}

TEST(TableStreamParts, OurMistakesAreRefused) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 0, kKeys);
  const auto message = [&](const Table& table) {
    return MessageOf([&] { stream.Append(table); }, ExitCode::kInvariantViolated);
  };
  stream.Append(Queues(10, 20));
  Table other = Queues(20, 21);
  other.columns[3].unit = "bit";
  EXPECT_NE(message(other).find("queued_bytes [bit]"), std::string::npos);
  other = Queues(20, 21);
  other.columns[1].data = I64(18);
  EXPECT_NE(message(other).find("table monitors/queues had the columns"), std::string::npos);
  other = Queues(20, 21);
  other.columns.pop_back();
  message(other);
  other = Queues(20, 21);
  other.columns[1].data = U32(17);
  EXPECT_NE(message(other).find("differ in length"), std::string::npos);
  EXPECT_NE(message({"flows", "", {{"src", "1", "", U32{}}}}).find("no keys"), std::string::npos);
  EXPECT_NE(message({"pfc", "", {{"time", "ps", "", I64{1}}}}).find("no key column time_ps"),
            std::string::npos);
  EXPECT_NE(
      message({"pfc", "", {{"time_ps", "ps", "", std::vector<double>{1}}}}).find("no integer"),
      std::string::npos);
  stream.Append(Queues(20, 21));
  stream.Commit(4, {0});
  const auto commit = [&](std::uint64_t number) {
    return MessageOf([&] { stream.Commit(number, {0}); }, ExitCode::kInvariantViolated);
  };
  EXPECT_NE(commit(4).find("commit 4 of " + stream.path() + " comes after commit 4"),
            std::string::npos);
  stream.Close();
  message(Queues(21, 22));
  commit(5);
  RemoveStreams({stream.path()});
}

TEST(TableStreamParts, PartsThatCannotBeMergedAreNamedAndStay) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 0, kKeys);
  stream.Append(Queues(0, 5));
  stream.Commit(1, {0});
  stream.Close();
  ResultWriter writer(path, true);
  const std::string missing = StreamPartPath(path, 1);
  const std::vector<std::string> parts = {stream.path(), missing};
  const auto message = [&](std::uint64_t until) {
    return MessageOf([&] { MergeStreams(parts, until, &writer); }, ExitCode::kInputOutput);
  };
  SortStream(stream.path(), 1, {100, 1 << 20, 50, 0});
  EXPECT_EQ(message(1).find(SortedPartPath(missing) + ": cannot be read"), 0u);
  const std::string good = ReadBytes(SortedPartPath(stream.path()));
  for (std::size_t size = 0; size < good.size(); size += good.size() / 50) {
    WriteBytes(SortedPartPath(missing), good.substr(0, size));
    EXPECT_NE(message(1).find(SortedPartPath(missing)), std::string::npos);
  }
  WriteBytes(SortedPartPath(missing), good);
  EXPECT_NE(message(2).find("not sorted up to the end"), std::string::npos);
  const std::string advice =
      MessageOf([&] { WithPartsKept(parts, [&] { MergeStreams(parts, 2, &writer); }); },
                ExitCode::kInputOutput);
  EXPECT_NE(advice.find("They stay in " + stream.path() + " to " + missing + ": `heddle recover " +
                        path + " -o OTHER` makes the result of them"),
            std::string::npos)
      << advice;
  for (const std::string& part : parts) EXPECT_FALSE(fs::exists(SortedPartPath(part)));
  EXPECT_TRUE(fs::exists(stream.path()));
  MessageOf([&] { TableStream(path + "/none", 0, kKeys).Append(Queues(0, 1)); },
            ExitCode::kInputOutput);
  RemoveStreams({stream.path()});
  MessageOf([&] { RemoveStreams({missing}); }, ExitCode::kInputOutput);
}

TEST(TableStreamParts, SortedFilesMayLieElsewhere) {
  const std::string path = TempPath("r.h5");
  const std::string other = TempPath("other");
  TableStream stream(path, 0, kKeys);
  stream.Append(Queues(0, 5));
  stream.Commit(1, {0});
  SortStream(stream.path(), kLastCommit, {}, other);
  EXPECT_FALSE(fs::exists(SortedPartPath(stream.path())));
  ResultWriter writer(path, true);
  MergeStreams({stream.path()}, kLastCommit, &writer, {other});
  writer.Close();
  EXPECT_EQ(CheckedRows(ResultReader(path).ReadTable("monitors/queues")), 90u);
  const std::string full =
      MessageOf([&] { SortStream(stream.path(), 1, {}, ::testing::TempDir() + "/no_directory/x"); },
                ExitCode::kInputOutput);
  EXPECT_NE(full.find("no_directory/x: cannot be made"), std::string::npos);
  fs::remove(other);
  RemoveStreams({stream.path()});
}

TEST(TableStreamParts, OtherErrorsOfTheResultSayHowItCanBeMade) {
  const std::string part = TempPath("r.h5") + ".part.rank0";
  WriteBytes(part, std::string(1234, 'x'));
  const auto fail = [&](const std::vector<std::string>& parts) {
    return MessageOf([&] { WithPartsKept(parts, [] { throw FileError("r.h5: full"); }); },
                     ExitCode::kInputOutput);
  };
  EXPECT_EQ(fail({part}).find("r.h5: full. The rows that were still to be written are about 1234 "),
            0u);
  EXPECT_EQ(fail({}), "r.h5: full");
  MessageOf([&] { WithPartsKept({part}, [] { throw UserError("x"); }); }, ExitCode::kBadInput);
  fs::remove(part);
}

TEST(ResultWriterBlocks, WrongBlocksAreOurMistake) {
  const Table rows = Queues(0, 1);
  ResultWriter writer(TempPath("r.h5"), true);
  int number = 0;
  const auto write = [&](std::uint64_t count, const Table& block) {
    Table header = WithoutRows(rows);
    header.name = "t" + std::to_string(++number);
    MessageOf([&] { writer.WriteBlocks(header, count, LongestTexts(rows), [&] { return block; }); },
              ExitCode::kInvariantViolated);
  };
  write(17, rows);
  write(19, rows);
  write(18, WithoutRows(rows));
  Table fewer = rows;
  fewer.columns.pop_back();
  write(18, fewer);
}

}  // namespace
}  // namespace heddle
