// SPDX-License-Identifier: GPL-2.0-only
#include "io/table_stream.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>

#include "io/merge_streams.h"
#include "io/result_format.h"
#include "io/result_reader.h"
#include "io/result_writer.h"
#include "io/row_log_reader.h"
#include "io/sorted_rows.h"
#include "io/table_rows.h"
#include "io_test_util.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U8 = std::vector<std::uint8_t>;

const StreamKeys kKeys = {{"monitors/queues", {"time_ps", "node", "priority"}},
                          {"pfc", {"time_ps"}}};

/// Queue samples of all nodes at times [first, last): shuffled, with rows of equal keys.
Table Queues(std::int64_t first, std::int64_t last, std::uint32_t nodes = 12) {
  Table table{"monitors/queues",
              "samples",
              {{"time_ps", "ps", "time of the sample", I64{}},
               {"node", "1", "switch", U32{}},
               {"priority", "1", "priority", U8{}},
               {"queued_bytes", "byte", "bytes", I64{}},
               {"share", "1", "share", std::vector<double>{}},
               {"why", "1", "text", std::vector<std::string>{}}}};
  const Table header = table;
  for (std::int64_t time = first; time < last; ++time) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (std::int64_t twin = 0; twin < 1 + node % 2; ++twin) {
        std::get<I64>(table.columns[0].data).push_back(time * 1000);
        std::get<U32>(table.columns[1].data).push_back(node);
        std::get<U8>(table.columns[2].data).push_back(static_cast<std::uint8_t>(time % 8));
        std::get<I64>(table.columns[3].data).push_back(-twin * time);
        std::get<std::vector<double>>(table.columns[4].data)
            .push_back(1.0 / static_cast<double>(node + 1));
        std::get<std::vector<std::string>>(table.columns[5].data)
            .push_back(std::string(node % 3, 'x'));
      }
    }
  }
  std::vector<std::size_t> rows(CheckedRows(table));
  std::iota(rows.begin(), rows.end(), 0u);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(static_cast<unsigned>(first)));
  Table shuffled = header;
  CopyRows(table, rows, &shuffled);
  return shuffled;
}

/// The rows whose node belongs to `rank` of `ranks`.
Table Share(const Table& table, std::uint32_t rank, std::uint32_t ranks) {
  const auto& node = ValuesOf<std::uint32_t>(table, "node");
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] * 7 % 11 % ranks == rank) rows.push_back(i);
  }
  Table share = WithoutRows(table);
  CopyRows(table, rows, &share);
  return share;
}

/// Sorts the parts and merges them up to a commit into `path`.
void MakeResult(const std::vector<std::string>& parts, std::uint64_t until, const std::string& path,
                const SortLimits& limits = {}) {
  ResultWriter writer(path, true);
  for (const std::string& part : parts) SortStream(part, until, limits);
  if (!parts.empty()) MergeStreams(parts, until, &writer);
  writer.Close();
}

/// A result merged from the part files of `ranks` ranks, which wrote the same blocks. Returns its
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

bool IsSorted(const Table& table, const std::vector<std::string>& keys) {
  const RowOrder order(table, keys);
  for (std::size_t i = 1; i < CheckedRows(table); ++i) {
    if (order.Compare(i - 1, order, i) > 0) return false;
  }
  return true;
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
  for (const SortLimits& limits : {SortLimits{1, 1 << 20, 4096}, SortLimits{200, 1 << 20, 1},
                                   SortLimits{200, 1 << 20, 13}, SortLimits{1 << 20, 5000, 100}}) {
    EXPECT_TRUE(ReadBytes(MergedBy(1, blocks, limits)) == alone) << limits.rows;
    EXPECT_TRUE(ReadBytes(MergedBy(3, blocks, limits)) == alone) << limits.rows;
  }
}

/// Runs of the sorted form of a part.
std::uint32_t CountRuns(const std::vector<Table>& blocks) {
  const std::string path = TempPath("runs.h5");
  TableStream stream(path, 0, kKeys);
  for (const Table& block : blocks) stream.Append(block);
  stream.Commit(1, {0});
  SortStream(stream.path(), kLastCommit, {100, 1 << 20, 50});
  std::uint32_t runs = 0;
  const RowLogReader sorted(SortedPartPath(stream.path()));
  for (const auto& block : sorted.blocks()) {
    runs = std::max(runs, block.run + 1);
  }
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

TEST(TableStream, RowsAtTheEdgesOfBlocksAreKept) {
  // Blocks of a part hold 8192 rows, of its sorted form 4096, those of the result
  // kResultChunkRows: one row less, as many, one more.
  for (const std::size_t rows :
       {std::size_t{4096}, std::size_t{8192}, std::size_t{kResultChunkRows}}) {
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
  EXPECT_EQ(ValuesOf<std::int64_t>(reader.ReadTable("pfc"), "time_ps"), (I64{3, 7}));
  EXPECT_TRUE(reader.HasTable("pfc"));
  EXPECT_FALSE(reader.HasTable("monitors"));
}

TEST(TableStream, TheFirstRowsOrCommitMakeTheFile) {
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

TEST(TableStream, PartsAreFoundByRank) {
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

TEST(TableStream, AKilledWriterLeavesWhatWasCommitted) {
  const std::string path = TempPath("r.h5");
  std::mt19937 random(7);
  std::size_t torn = 0;
  for (int round = 0; round < 25; ++round) {
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
    // Not before it has committed something; then at any moment.
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

TEST(TableStream, OurMistakesAreRefused) {
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

TEST(TableStream, PartsThatCannotBeMergedAreNamedAndStay) {
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
  SortStream(stream.path(), 1);
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

TEST(TableStream, SortedFilesMayLieElsewhere) {
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
      MessageOf([&] { SortStream(stream.path(), 1, {}, testing::TempDir() + "/no_directory/x"); },
                ExitCode::kInputOutput);
  EXPECT_NE(full.find("no_directory/x: cannot be made"), std::string::npos);
  fs::remove(other);
  RemoveStreams({stream.path()});
}

TEST(TableStream, OtherErrorsOfTheResultSayHowItCanBeMade) {
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
    MessageOf([&] { writer.WriteBlocks(header, count, [&] { return block; }); },
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
