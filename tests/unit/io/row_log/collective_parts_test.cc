// SPDX-License-Identifier: GPL-2.0-only
/// /collectives made of the parts that processes logged.
#include "io/row_log/collective_parts.h"

#include <algorithm>

#include "core/records/collective_rows.h"
#include "io/result/merge_row_logs.h"
#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/sort_row_log.h"
#include "io/schema/result_schema.h"
#include "io/table/table_rows.h"
#include "tests/support/io_test_util.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

const StreamKeys kCollectivePartKeys = {{kCollectivePartTable, {"job", "operation", "group"}}};

/// Two jobs: three operations a pass, and one.
Table Operations() {
  return TableOf("operations", 4,
                 {{"job", U32{0, 0, 0, 1}},
                  {"operation", U32{0, 1, 2, 0}},
                  {"layer", U32{4, 5, 6, 7}},
                  {"layer_name", Texts{"first", "second", "a long name of a layer", "other"}},
                  {"phase", Texts{"fwd", "ig", "wg", "wg"}},
                  {"op", Texts{"ALLREDUCE", "ALLTOALL", "BROADCAST", "REDUCE"}},
                  {"group_type", Texts{"TP", "EP", "DP", "DP"}},
                  {"ranks", U32{4, 4, 2, 2}},
                  {"bytes", I64{1000, 2000, 3000, 4000}},
                  {"bus_factor", F64{1.5, 0.75, 1, 1}},
                  {"root", I64{-1, -1, 1, 0}},
                  {"peer", I64{-1, -1, -1, -1}}});
}

CollectivePart Part(std::uint32_t job, std::uint32_t operation, std::uint32_t group,
                    std::uint32_t finished, std::int64_t start, std::int64_t end) {
  CollectivePart part;
  part.job = job;
  part.operation = operation;
  part.group = group;
  part.finished = finished;
  if (start >= 0) part.start = Time{start};
  part.end = Time{end};
  part.algorithm = Algorithm::kTree;
  part.protocol = Protocol::kLl;
  return part;
}

/// Logs `flushes` of each rank and merges them as a run does.
Table Merge(const std::string& path,
            const std::vector<std::vector<std::vector<CollectivePart>>>& ranks,
            std::size_t* blocks = nullptr, const Table& operations = Operations()) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    TableStream log(path, rank, kCollectivePartKeys);
    for (const auto& parts : ranks[rank]) log.Append(CollectivePartTable(parts));
    log.Commit(1, Time{1});
    log.Close();
    SortStream(log.path(), 1);
    logs.push_back(log.path());
  }
  ResultWriter writer(path, true);
  MergeOptions options{&operations, nullptr};
  if (blocks != nullptr) options.watch = [&](const Table&) { ++*blocks; };
  MergeStreams(logs, 1, &writer, {}, options);
  writer.Close();
  RemoveStreams(logs);
  return ResultReader(path).ReadTable(kCollectiveTable);
}

TEST(CollectiveParts, PartsOfRanksAndFlushesAreOneRow) {
  const Table table =
      Merge(TempPath("r.h5"),
            {{{Part(0, 4, 0, 0, 100, 0), Part(1, 0, 0, 2, 7, 9)}, {Part(0, 4, 0, 1, -1, 500)}},
             {{Part(0, 4, 0, 2, 90, 700)}, {Part(0, 0, 1, 3, 5, 6), Part(0, 4, 0, 1, -1, 600)}}});
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "operation"), (U32{0, 4, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "job"), (U32{0, 0, 1}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "pass"), (U32{0, 1, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "group"), (U32{1, 0, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "start_ps"), (I64{5, 90, 7}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "end_ps"), (I64{-1, 700, 9})) << "3 of 4 finished";
  EXPECT_EQ(GetColumn<std::string>(table, "layer_name"), (Texts{"first", "second", "other"}));
  EXPECT_EQ(GetColumn<std::string>(table, "op"), (Texts{"ALLREDUCE", "ALLTOALL", "REDUCE"}));
  EXPECT_EQ(GetColumn<std::string>(table, "algorithm"), (Texts{"TREE", "TREE", "TREE"}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "root"), (I64{-1, -1, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps"), (I64{-1, 610, 2}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "wait_ps"), (I64{0, 0, 0}));
  const double algbw = 2000 / 610e-12;
  EXPECT_DOUBLE_EQ(GetColumn<double>(table, "algbw")[1], algbw);
  EXPECT_DOUBLE_EQ(GetColumn<double>(table, "busbw")[1], algbw * 0.75);
  EXPECT_EQ(GetColumn<double>(table, "busbw")[0], 0);
}

/// A message from rank 1 to 0, in two passes: first its receiver waits from 10 on, and the sender
/// sends from 40 to 45; then the sender sends at 120, and the message lies there from 125 until the
/// receiver asks for it at 190. Two processes log it, in flushes between all of these times.
TEST(CollectiveParts, AMessageBetweenTwoIsJoinedOfSenderAndReceiver) {
  const auto issued = [](std::uint32_t pass, std::int64_t start) {
    return Part(0, pass, 0, 0, start, 0);
  };
  const auto sent = [&](std::uint32_t pass, std::int64_t start) {
    CollectivePart part = issued(pass, start);
    part.sent = Time{start};
    return part;
  };
  const auto arrived = [](std::uint32_t pass, std::int64_t time) {
    CollectivePart part = Part(0, pass, 0, 0, -1, 0);
    part.arrived = Time{time};
    return part;
  };
  const auto done = [](std::uint32_t pass, std::int64_t end) {
    return Part(0, pass, 0, 1, -1, end);
  };
  Table operations = TableOf("operations", 1,
                             {{"job", U32{0}},
                              {"operation", U32{0}},
                              {"layer_name", Texts{"first"}},
                              {"phase", Texts{"fwd"}},
                              {"op", Texts{"SENDRECV"}},
                              {"group_type", Texts{"PP"}},
                              {"ranks", U32{2}},
                              {"bytes", I64{1000}},
                              {"bus_factor", F64{1}},
                              {"root", I64{1}},
                              {"peer", I64{0}}});
  const Table table = Merge(TempPath("r.h5"),
                            {{{sent(0, 40)}, {done(0, 44), sent(1, 120)}, {done(1, 124)}},
                             {{issued(0, 10)},
                              {arrived(0, 43)},
                              {arrived(0, 45), done(0, 45)},
                              {arrived(1, 125)},
                              {issued(1, 190), done(1, 190)}}},
                            nullptr, operations);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "peer"), (I64{0, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "start_ps"), (I64{10, 120}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "end_ps"), (I64{45, 190}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps"), (I64{5, 5}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "wait_ps"), (I64{30, 0}));
  EXPECT_DOUBLE_EQ(GetColumn<double>(table, "algbw")[0], 1000 / 5e-12);
}

/// The same collectives on any number of ranks, with any flushes, are the same table.
TEST(CollectiveParts, TheTableDoesNotDependOnWhoLoggedWhat) {
  constexpr std::uint32_t kCollectives = 150'000;  // three blocks
  std::mt19937 random(1);
  const auto log = [&](std::size_t ranks) {
    std::vector<std::vector<std::vector<CollectivePart>>> logs(ranks);
    for (auto& flushes : logs) flushes.resize(3);
    for (std::uint32_t i = 0; i < kCollectives; ++i) {
      const std::int64_t start = i, end = 2 * i + 10;
      for (int part = 0; part < 2; ++part) {
        auto& flush = logs[random() % ranks][random() % 3];
        flush.push_back(
            Part(0, i / 2, i % 2, part == 0 ? 1 : 3, part == 0 ? start : -1, part == 0 ? 0 : end));
      }
    }
    std::size_t blocks = 0;
    const Table table = Merge(TempPath("r.h5"), logs, &blocks);
    EXPECT_EQ(blocks, 3U);
    EXPECT_EQ(RowCount(table.columns.front()), kCollectives);
    return Digest(table);
  };
  const std::uint64_t one = log(1);
  EXPECT_EQ(log(3), one);
  EXPECT_EQ(log(4), one);
}

TEST(CollectiveParts, WithoutRowsThereIsATable) {
  const Table table = Merge(TempPath("r.h5"), {{{}}});
  EXPECT_EQ(RowCount(table.columns.front()), 0U);
  std::vector<std::string> names, expected;
  for (const Column& column : table.columns) names.push_back(column.name);
  for (const ColumnSchema& column : FindTableSchema(kCollectiveTable)->columns)
    expected.push_back(column.name);
  EXPECT_EQ(names, expected);
}

TEST(CollectiveParts, LogsOfAnotherRunAreRefused) {
  const std::string path = TempPath("r.h5");
  TableStream log(path, 0, kCollectivePartKeys);
  log.Append(CollectivePartTable({Part(7, 0, 0, 1, 1, 2)}));
  log.Commit(1, Time{1});
  log.Close();
  SortStream(log.path(), 1);
  const auto message = [&](const Table* operations) {
    ResultWriter writer(path, true);
    return MessageOf(
        [&] {
          MergeStreams({log.path()}, 1, &writer, {}, {operations, nullptr});
        },
        ExitCode::kInputOutput);
  };
  const Table operations = Operations();
  EXPECT_NE(message(&operations).find("job 7, of which table operations has no row"),
            std::string::npos);
  EXPECT_NE(message(nullptr).find("there is no table operations"), std::string::npos);
  RemoveStreams({log.path()});
}

}  // namespace
}  // namespace heddle
