// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/rank_log.h"

#include <algorithm>
#include <filesystem>

#include "io/result/result_reader.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/table/result_format.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/row_log/queue_rows.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The rows whose node belongs to `rank` of `ranks`.
Table Share(const Table& table, std::uint32_t rank, std::uint32_t ranks) {
  const auto& node = GetColumn<std::uint32_t>(table, "node");
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] * 7 % 11 % ranks == rank) rows.push_back(i);
  }
  Table share = WithoutRows(table);
  CopyRows(table, rows, &share);
  return share;
}

/// Merges the row logs of `ranks` ranks, which wrote the same blocks, into a result. Returns its
/// path.
std::string MergedBy(std::uint32_t ranks, const std::vector<Table>& blocks,
                     const SortLimits& limits = {}) {
  const std::string path = TempPath("merged" + std::to_string(ranks) + ".h5");
  constexpr std::uint64_t kEnd = 1'000'000;
  std::vector<std::string> parts;
  std::vector<std::uint64_t> commits(ranks, 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    TableStream stream(path, rank, kKeys);
    for (const Table& block : blocks) {
      stream.Append(Share(block, rank, ranks));
      if (rank % 2 == 0) stream.Commit(++commits[rank], {0});
    }
    stream.Commit(kEnd, Time::Max());
    stream.Close();
    EXPECT_EQ(static_cast<std::uintmax_t>(stream.bytes()), fs::file_size(stream.path()));
    parts.push_back(stream.path());
  }
  EXPECT_EQ(FindStreamParts(path), parts);
  MakeResult(parts, kEnd, path, limits);
  RemoveStreams(parts);
  EXPECT_TRUE(FindStreamParts(path).empty());
  for (const std::string& part : parts) EXPECT_FALSE(fs::exists(SortedPartPath(part)));
  return path;
}

TEST(TableStream, AnyNumberOfPartsGivesTheSameFile) {
  const std::vector<Table> blocks = {Queues(0, 10), Queues(10, 10), Queues(10, 500),
                                     Queues(600, 601)};
  const std::string alone = ReadBytes(MergedBy(1, blocks));
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    EXPECT_TRUE(ReadBytes(MergedBy(ranks, blocks)) == alone) << ranks << " ranks";
  }
  const Table merged = ResultReader(MergedBy(4, blocks)).ReadTable("monitors/queues");
  EXPECT_EQ(CheckedRows(merged), 501u * 18);
  EXPECT_TRUE(IsSorted(merged, kKeys.at("monitors/queues")));
  EXPECT_EQ(merged.description, "samples");
  EXPECT_EQ(merged.columns[0].unit, "ps");
  EXPECT_EQ(merged.columns[0].description, "time of the sample");
}

TEST(TableStream, OneBlockAndManyGiveTheSameFile) {
  const std::string alone = ReadBytes(MergedBy(1, {Queues(0, 2000)}));
  std::vector<Table> blocks;
  for (std::int64_t time = 0; time < 2000; time += 40) blocks.push_back(Queues(time, time + 40));
  EXPECT_TRUE(ReadBytes(MergedBy(1, blocks)) == alone);
  EXPECT_TRUE(ReadBytes(MergedBy(3, blocks)) == alone);
}

TEST(TableStream, RowsMayComeInAnyOrder) {
  const std::string alone = ReadBytes(MergedBy(1, {Queues(0, 2000)}));
  std::vector<Table> blocks;
  for (std::int64_t time = 0; time < 2000; time += 40) blocks.push_back(Queues(time, time + 40));
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(5));
  EXPECT_TRUE(ReadBytes(MergedBy(1, blocks)) == alone);
  EXPECT_TRUE(ReadBytes(MergedBy(4, blocks)) == alone);
}

TEST(TableStream, ManySmallRunsGiveTheSameFile) {
  std::vector<Table> blocks;
  for (std::int64_t time = 0; time < 600; time += 7) {
    blocks.push_back(Queues(time, std::min<std::int64_t>(time + 7, 600)));
  }
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(6));
  const std::string alone = ReadBytes(MergedBy(1, blocks));
  for (const SortLimits& limits :
       {SortLimits{1, 1 << 20, 4096, 0}, SortLimits{200, 1 << 20, 1, 0},
        SortLimits{200, 1 << 20, 13, 0}, SortLimits{1 << 20, 5000, 100, 0},
        SortLimits{200, 1 << 20, 13, 1000}}) {
    EXPECT_TRUE(ReadBytes(MergedBy(1, blocks, limits)) == alone) << limits.rows;
    EXPECT_TRUE(ReadBytes(MergedBy(3, blocks, limits)) == alone) << limits.rows;
  }
}

TEST(TableStream, LogsGoOnBehindACommit) {
  const std::vector<Table> blocks = {Queues(0, 300), Queues(300, 400), Queues(400, 700)};
  const std::string alone = ReadBytes(MergedBy(1, blocks));
  const std::string path = TempPath("continued.h5");
  {
    TableStream stream(path, 0, kKeys);
    stream.Append(blocks[0]);
    stream.Commit(4, Time{400});
    stream.Append(Queues(5000, 5050));  // after the checkpoint: must be dropped
    Table other = Queues(1, 2);
    other.name = "pfc";
    stream.Append(other);
    stream.Commit(5, Time{500});
    stream.Append(Queues(6000, 6050));
  }
  // Two ranks continue; the log of the first grows, the second makes its own.
  TableStream first(path, 0, kKeys), second(path, 1, kKeys);
  first.Continue(4);
  second.Commit(4, Time{400});
  first.Append(Share(blocks[1], 0, 2));
  second.Append(Share(blocks[1], 1, 2));
  for (TableStream* stream : {&first, &second}) {
    stream->Commit(5, Time{501});
    stream->Close();
  }
  EXPECT_EQ(static_cast<std::uintmax_t>(first.bytes()), fs::file_size(first.path()));
  // One rank again: it has its own log and adopts the other one, to which it writes only commits.
  TableStream third(path, 0, kKeys), adopted(path, 1, kKeys);
  third.Continue(5);
  adopted.Continue(5);
  third.Append(blocks[2]);
  for (TableStream* stream : {&third, &adopted}) {
    stream->Commit(1'000'000, Time::Max());
    stream->Close();
  }
  const std::vector<std::string> parts = {third.path(), adopted.path()};
  MakeResult(parts, 1'000'000, path);
  EXPECT_TRUE(ReadBytes(path) == alone);
  RemoveStreams(parts);
}

TEST(TableStream, LogsThatDoNotReachThatFarAreRefused) {
  const std::string path = TempPath("short.h5");
  TableStream stream(path, 0, kKeys);
  stream.Append(Queues(0, 10));
  stream.Commit(1, Time{1});
  stream.Close();
  const std::string whole = ReadBytes(stream.path());
  const auto refusal = [&](std::uint64_t number) {
    TableStream again(path, 0, kKeys);
    return MessageOf([&] { again.Continue(number); }, ExitCode::kInputOutput);
  };
  EXPECT_NE(refusal(2).find("has no commit 2"), std::string::npos);
  WriteBytes(stream.path(), whole.substr(0, whole.size() - 1));
  EXPECT_NE(refusal(1).find("has no commit 1"), std::string::npos);
  EXPECT_EQ(ReadBytes(stream.path()).size(), whole.size() - 1);  // nothing was truncated
  fs::remove(stream.path());
  EXPECT_NE(refusal(1).find("No such file"), std::string::npos);
}

/// Counts the runs in the sorted form of a row log.
std::uint32_t CountRuns(const std::vector<Table>& blocks) {
  const std::string path = TempPath("runs.h5");
  TableStream stream(path, 0, kKeys);
  for (const Table& block : blocks) stream.Append(block);
  stream.Commit(1, {0});
  SortStream(stream.path(), kLastCommit, {100, 1 << 20, 50, 0});
  const std::uint32_t runs = RowLogReader(SortedPartPath(stream.path())).LastRun(0);
  EXPECT_EQ(RowLogReader(stream.path()).LastRun(0), runs) << "the row log has the same";
  RemoveStreams({stream.path()});
  return runs;
}

TEST(TableStream, RowsInOrderAreOneRun) {
  std::vector<Table> blocks;
  for (std::int64_t time = 0; time < 100; time += 5) blocks.push_back(Queues(time, time + 5));
  EXPECT_EQ(CountRuns(blocks), 1u);
  std::reverse(blocks.begin(), blocks.end());
  EXPECT_EQ(CountRuns(blocks), blocks.size());
}

TEST(TableStream, TablesOfFewRunsAreNotSortedAgain) {
  const std::string path = TempPath("few.h5");
  TableStream stream(path, 0, kKeys);
  for (const std::int64_t time : {20, 10, 0}) stream.Append(Queues(time, time + 10));
  stream.Append({"pfc", "", {{"time_ps", "ps", "", I64{7, 3, 9}}}});
  stream.Commit(1, {5});
  const auto sorted_tables = [&](std::uint32_t unsorted_runs) {
    SortStream(stream.path(), 1, {100, 1 << 20, 50, unsorted_runs});
    std::vector<std::string> names;
    const RowLogReader sorted(SortedPartPath(stream.path()));
    for (const LoggedTable& table : sorted.tables()) names.push_back(table.header.name);
    return names;
  };
  EXPECT_EQ(sorted_tables(3), std::vector<std::string>());
  EXPECT_EQ(sorted_tables(2), std::vector<std::string>{"monitors/queues"});
  EXPECT_EQ(sorted_tables(0), (std::vector<std::string>{"monitors/queues", "pfc"}));
  RemoveStreams({stream.path()});
}

TEST(TableStream, RowsInAnyOrderAreSorted) {
  // A row log of rows in no runs, as earlier versions wrote them.
  const std::string path = TempPath("unsorted.h5"), part = StreamPartPath(path, 0);
  const Table rows = Queues(0, 500);
  {
    RowLogWriter log(part);
    const std::uint32_t table = log.AddTable({WithoutRows(rows), kKeys.at("monitors/queues")});
    log.AddRows(table, rows, 0, 100);
    log.Commit(1, {0});
    log.Close();
  }
  MakeResult({part}, 1, path);
  EXPECT_TRUE(ReadBytes(path) == ReadBytes(MergedBy(1, {rows})));
  RemoveStreams({part});
}

TEST(TableStream, RowsAtTheEdgesOfBlocksAreKept) {
  // Blocks of a row log hold 2048 rows, of its sorted form 4096, of the result kResultChunkRows:
  // tests one row less, this number, one more.
  for (const std::size_t rows :
       {std::size_t{2048}, std::size_t{4096}, std::size_t{kResultChunkRows}}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::int64_t count = static_cast<std::int64_t>(rows) + more;
      const Table all = Queues(0, count, 1);
      ASSERT_EQ(CheckedRows(all), static_cast<std::size_t>(count));
      const Table merged = ResultReader(MergedBy(1, {all})).ReadTable("monitors/queues");
      Table sorted = WithoutRows(all);
      CopyRows(all, RowOrder(all, {"time_ps"}).Sorted(), &sorted);
      EXPECT_EQ(Digest(merged), Digest(sorted)) << count << " rows";
    }
  }
}

TEST(TableStream, TablesMayBeEmptyOrMissing) {
  const Table none = ResultReader(MergedBy(2, {Queues(5, 5)})).ReadTable("monitors/queues");
  EXPECT_EQ(CheckedRows(none), 0u);
  EXPECT_EQ(none.columns.size(), 6u);
  EXPECT_TRUE(ResultReader(MergedBy(2, {})).TableNames().empty());

  // A table that only one rank has, beside one that both have.
  const std::string path = TempPath("r.h5");
  Table pfc{"pfc", "", {{"time_ps", "ps", "", I64{7, 3}}}};
  TableStream first(path, 0, kKeys);
  first.Append(Queues(0, 3));
  first.Commit(1, {5});
  TableStream second(path, 1, kKeys);
  second.Append(pfc);
  second.Commit(1, {5});
  MakeResult({first.path(), second.path()}, 1, path);
  RemoveStreams({first.path(), second.path()});
  const ResultReader reader(path);
  EXPECT_EQ(reader.TableNames(), (std::vector<std::string>{"monitors/queues", "pfc"}));
  EXPECT_EQ(GetColumn<std::int64_t>(reader.ReadTable("pfc"), "time_ps"), (I64{3, 7}));
  EXPECT_TRUE(reader.HasTable("pfc"));
  EXPECT_FALSE(reader.HasTable("monitors"));
}

TEST(TableStream, RowsUpToAnEarlierCommitCanBeMerged) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 0, kKeys);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    stream.Append(Queues(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1));
    stream.Commit(10 * i, {static_cast<std::int64_t>(i)});
  }
  stream.Append(Queues(50, 60));  // never committed
  stream.Close();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    MakeResult({stream.path()}, 10 * i, path);
    EXPECT_EQ(CheckedRows(ResultReader(path).ReadTable("monitors/queues")), 18 * i);
  }
  EXPECT_NE(MessageOf([&] { MakeResult({stream.path()}, 15, path); }, ExitCode::kInputOutput)
                .find("no commit 15"),
            std::string::npos);
  RemoveStreams({stream.path()});
}

}  // namespace
}  // namespace heddle
