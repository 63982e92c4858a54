// SPDX-License-Identifier: GPL-2.0-only
#include "io/table_stream.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "io/result_format.h"
#include "io/result_reader.h"
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

/// A result merged from the part files of `ranks` ranks, which wrote the same blocks. Returns its
/// path.
std::string MergedBy(std::uint32_t ranks, const std::vector<Table>& blocks) {
  const std::string path = TempPath("merged" + std::to_string(ranks) + ".h5");
  std::vector<std::string> parts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    TableStream stream(path, rank, kKeys);
    for (const Table& block : blocks) {
      stream.Append(Share(block, rank, ranks));
      if (rank % 2 == 0) stream.Flush();
    }
    stream.Close();
    EXPECT_EQ(stream.started(), !blocks.empty());
    if (stream.started()) parts.push_back(stream.path());
  }
  ResultWriter writer(path, true);
  if (!parts.empty()) MergeStreams(parts, &writer);
  writer.Close();
  RemoveStreams(parts);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    EXPECT_FALSE(fs::exists(StreamPartPath(path, rank)));
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

TEST(TableStream, RowsAtTheEdgesOfBlocksAreKept) {
  // Blocks of a part hold kPartBlockRows, those of the result kResultChunkRows: one row less, as
  // many, one more.
  for (const std::size_t rows : {kPartBlockRows, std::size_t{kResultChunkRows}}) {
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
  first.Close();
  TableStream second(path, 1, kKeys);
  second.Append(pfc);
  second.Close();
  ResultWriter writer(path, true);
  MergeStreams({first.path(), second.path()}, &writer);
  writer.Close();
  RemoveStreams({first.path(), second.path()});
  const ResultReader reader(path);
  EXPECT_EQ(reader.TableNames(), (std::vector<std::string>{"monitors/queues", "pfc"}));
  EXPECT_EQ(ValuesOf<std::int64_t>(reader.ReadTable("pfc"), "time_ps"), (I64{3, 7}));
  EXPECT_TRUE(reader.HasTable("pfc"));
  EXPECT_FALSE(reader.HasTable("monitors"));
}

TEST(TableStream, NothingAppendedMakesNoFile) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 3, kKeys);
  stream.Flush();
  stream.Close();
  EXPECT_FALSE(stream.started());
  EXPECT_EQ(stream.path(), path + ".part.rank3");
  EXPECT_FALSE(fs::exists(stream.path()));
}

TEST(TableStream, AKilledWriterLeavesWhatWasFlushed) {
  const std::string path = TempPath("r.h5");
  for (const int flushes : {1, 2, 7}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      TableStream stream(path, 0, kKeys);
      for (int i = 0; i < flushes; ++i) {
        stream.Append(Queues(i * 1000, i * 1000 + 700));
        stream.Flush();
      }
      // More than a chunk, so that HDF5 has work on the disk that the kill cuts.
      stream.Append(Queues(100'000, 101'300));
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ResultWriter writer(path, true);
    MergeStreams({StreamPartPath(path, 0)}, &writer);
    writer.Close();
    const Table merged = ResultReader(path).ReadTable("monitors/queues");
    const std::size_t rows = static_cast<std::size_t>(flushes) * 700 * 18;
    ASSERT_EQ(CheckedRows(merged), rows);
    Table expected = WithoutRows(merged);
    for (int i = 0; i < flushes; ++i) {
      const Table block = Queues(i * 1000, i * 1000 + 700);
      CopyRows(block, RowOrder(block, kKeys.at("monitors/queues")).Sorted(), &expected);
    }
    EXPECT_EQ(Digest(merged), Digest(expected));
    RemoveStreams({StreamPartPath(path, 0)});
  }
}

TEST(TableStream, AnUnclosedStreamLeavesAllRows) {
  const std::string path = TempPath("r.h5");
  { TableStream(path, 0, kKeys).Append(Queues(0, 5)); }
  ResultWriter writer(path, true);
  MergeStreams({StreamPartPath(path, 0)}, &writer);
  writer.Close();
  EXPECT_EQ(CheckedRows(ResultReader(path).ReadTable("monitors/queues")), 90u);
  EXPECT_NE(MessageOf([&] {
              ResultReader reader(StreamPartPath(path, 0));
            }).find("not a result of heddle"),
            std::string::npos);
  RemoveStreams({StreamPartPath(path, 0)});
}

TEST(TableStream, OurMistakesAreRefused) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 0, kKeys);
  const auto message = [&](const Table& table) {
    return MessageOf([&] { stream.Append(table); }, ExitCode::kInvariantViolated);
  };
  stream.Append(Queues(10, 20));
  EXPECT_NE(message(Queues(19, 21)).find("starts before the end"), std::string::npos);
  EXPECT_NE(message(Queues(0, 5)).find("starts before the end"), std::string::npos);
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
  stream.Close();
  message(Queues(21, 22));
  RemoveStreams({stream.path()});
}

TEST(TableStream, PartsThatCannotBeMergedAreNamedAndStay) {
  const std::string path = TempPath("r.h5");
  TableStream stream(path, 0, kKeys);
  stream.Append(Queues(0, 5));
  stream.Close();
  ResultWriter writer(path, true);
  const auto message = [&](const std::string& part) {
    return MessageOf([&] { MergeStreams({stream.path(), part}, &writer); }, ExitCode::kInputOutput);
  };
  const std::string missing = StreamPartPath(path, 1);
  EXPECT_EQ(message(missing).find(missing + ": cannot read this part"), 0u);
  EXPECT_NE(message(missing).find("The rows are still in " + stream.path() + " to " + missing),
            std::string::npos);
  const std::string good = ReadBytes(stream.path());
  for (std::size_t size = 0; size < good.size(); size += good.size() / 50) {
    WriteBytes(missing, good.substr(0, size));
    message(missing);
  }
  EXPECT_TRUE(ReadBytes(stream.path()) == good);
  MessageOf([&] { TableStream(path + "/none", 0, kKeys).Append(Queues(0, 1)); },
            ExitCode::kInputOutput);
  RemoveStreams({stream.path(), missing});
  MessageOf([&] { RemoveStreams({missing}); }, ExitCode::kInputOutput);
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
