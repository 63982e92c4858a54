// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/flow_arrivals.h"

#include <algorithm>
#include <map>

#include "core/records/arrival_join.h"
#include "io/result/merge_row_logs.h"
#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/sort_row_log.h"
#include "io/table/result_format.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;

const StreamKeys kFlowArrivalsKeys = {{kFlowTable, {"src", "number"}},
                                      {kArrivalTable, {"src", "number"}}};

struct Flow {
  std::uint32_t src, number;
  std::int64_t start_ps;
};
struct Arrival {
  std::uint32_t src, number;
  std::int64_t time_ps;
};

Table FlowTable(const std::vector<Flow>& flows) {
  U32 src, number;
  I64 start, fct;
  for (const Flow& flow : flows) {
    src.push_back(flow.src);
    number.push_back(flow.number);
    start.push_back(flow.start_ps);
    fct.push_back(flow.number);
  }
  return {kFlowTable,
          "flows",
          {{"src", "1", "", src},
           {"number", "1", "", number},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"state", "1", "", std::vector<std::uint8_t>(flows.size())}}};
}

Table ArrivalTable(const std::vector<Arrival>& arrivals) {
  U32 src, number;
  I64 time;
  for (const Arrival& arrival : arrivals) {
    src.push_back(arrival.src);
    number.push_back(arrival.number);
    time.push_back(arrival.time_ps);
  }
  return {kArrivalTable,
          "",
          {{"src", "1", "", src}, {"number", "1", "", number}, {"time_ps", "ps", "", time}}};
}

/// Merges row logs, each with these tables, into a result.
std::string Merged(const std::vector<std::vector<Table>>& parts, std::uint32_t unsorted_runs = 9) {
  const std::string path = TempPath("r.h5");
  std::vector<std::string> paths;
  for (std::uint32_t rank = 0; rank < parts.size(); ++rank) {
    TableStream stream(path, rank, kFlowArrivalsKeys);
    for (const Table& table : parts[rank]) stream.Append(table);
    stream.Commit(1, {0});
    stream.Close();
    SortStream(stream.path(), 1, {10'000, 1 << 20, 100, unsorted_runs});
    paths.push_back(stream.path());
  }
  ResultWriter writer(path, true);
  MergeStreams(paths, 1, &writer);
  writer.Close();
  RemoveStreams(paths);
  return path;
}

TEST(FlowArrivals, TheEarliestArrivalCounts) {
  const std::string path =
      Merged({{FlowTable({{7, 1, 100}, {2, 0, 1000}, {7, 0, 50}})},
              {ArrivalTable({{7, 1, 400}, {1, 9, 5}, {2, 1, 6}, {9, 0, 7}, {7, 1, 300}}),
               FlowTable({{8, 0, 3}})},
              {ArrivalTable({{7, 1, 350}, {2, 0, 1000}})}});
  const ResultReader reader(path);
  EXPECT_EQ(reader.TableNames(), std::vector<std::string>{kFlowTable});
  const Table flows = reader.ReadTable(kFlowTable);
  ASSERT_EQ(flows.columns.size(), 6u);
  EXPECT_EQ(flows.columns[3].name, "fct_ps");
  EXPECT_EQ(flows.columns[4].name, "received_ps");
  EXPECT_EQ(flows.columns[4].unit, "ps");
  EXPECT_EQ(flows.columns[4].description,
            "from start to the arrival of the last byte at the receiver; -1: not arrived");
  EXPECT_EQ(flows.columns[5].name, "state");
  EXPECT_EQ(GetColumn<std::uint32_t>(flows, "src"), (U32{2, 7, 7, 8}));
  EXPECT_EQ(GetColumn<std::int64_t>(flows, "received_ps"), (I64{0, -1, 200, -1}));
}

TEST(FlowArrivals, SendersMayKnowOfArrivals) {
  Table known = FlowTable({{7, 1, 100}, {7, 2, 100}, {7, 3, 100}});
  known.columns.insert(known.columns.begin() + 4, ReceivedColumn({5, 5, -1}));
  const Table flows =
      ResultReader(Merged({{known}, {ArrivalTable({{7, 1, 106}, {7, 2, 104}, {7, 3, 107}})}}))
          .ReadTable(kFlowTable);
  EXPECT_EQ(flows.columns.size(), 6u);
  EXPECT_EQ(GetColumn<std::int64_t>(flows, "received_ps"), (I64{5, 4, 7}));
}

TEST(FlowArrivals, FlowsWithoutATableOfArrivalsStayAsTheyAre) {
  EXPECT_EQ(ResultReader(Merged({{FlowTable({{1, 0, 5}})}})).ReadTable(kFlowTable).columns.size(),
            5u);
  const Table joined =
      ResultReader(Merged({{FlowTable({{1, 0, 5}}), ArrivalTable({})}})).ReadTable(kFlowTable);
  EXPECT_EQ(GetColumn<std::int64_t>(joined, "received_ps"), I64{-1});
  EXPECT_TRUE(ResultReader(Merged({{ArrivalTable({{1, 2, 3}})}})).TableNames().empty());
  const Table none =
      ResultReader(Merged({{FlowTable({}), ArrivalTable({{1, 2, 3}})}})).ReadTable(kFlowTable);
  EXPECT_EQ(none.columns.size(), 6u);
}

TEST(FlowArrivals, ManyFlowsAsAMapSays) {
  std::mt19937 random(3);
  std::vector<std::vector<Flow>> flows(3);
  std::vector<std::vector<Arrival>> arrivals(3);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> earliest, start;
  for (std::uint32_t i = 0; i < 150'000; ++i) {
    const Flow flow{i % 700, i / 700, static_cast<std::int64_t>(random() % 1000)};
    start[{flow.src, flow.number}] = flow.start_ps;
    flows[random() % 3].push_back(flow);
    for (auto many = random() % 4; many > 1; --many) {
      const std::int64_t time = flow.start_ps + static_cast<std::int64_t>(random());
      auto& least = earliest.try_emplace({flow.src, flow.number}, time).first->second;
      least = std::min(least, time);
      arrivals[random() % 3].push_back({flow.src, flow.number, time});
    }
  }
  std::vector<std::vector<Table>> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    std::shuffle(flows[i].begin(), flows[i].end(), random);
    std::shuffle(arrivals[i].begin(), arrivals[i].end(), random);
    parts.push_back({FlowTable(flows[i]), ArrivalTable(arrivals[i])});
  }
  const std::string sorted = ReadBytes(Merged(parts, /*unsorted_runs=*/0));
  const std::string path = Merged(parts);
  EXPECT_TRUE(ReadBytes(path) == sorted);
  const Table merged = ResultReader(path).ReadTable(kFlowTable);
  const auto& src = GetColumn<std::uint32_t>(merged, "src");
  const auto& number = GetColumn<std::uint32_t>(merged, "number");
  const auto& received = GetColumn<std::int64_t>(merged, "received_ps");
  ASSERT_EQ(src.size(), start.size());
  std::size_t row = 0;
  for (const auto& [key, begin] : start) {
    ASSERT_EQ((std::pair{src[row], number[row]}), key);
    const auto arrival = earliest.find(key);
    ASSERT_EQ(received[row], arrival == earliest.end() ? -1 : arrival->second - begin);
    ++row;
  }
}

TEST(FlowArrivals, TablesOfOtherColumnsAreRefused) {
  const auto message = [](Table flows, Table arrivals) {
    return MessageOf([&] { Merged({{flows, arrivals}}); }, ExitCode::kInputOutput);
  };
  Table flows = FlowTable({{1, 0, 5}});
  flows.columns[3].name = "duration";
  EXPECT_NE(message(flows, ArrivalTable({})).find("no column fct_ps"), std::string::npos);
  flows = FlowTable({{1, 0, 5}});
  flows.columns.insert(flows.columns.begin() + 4, {"received_ps", "ps", "", U32{1}});
  EXPECT_NE(message(flows, ArrivalTable({})).find("no column received_ps"), std::string::npos);
  Table arrivals = ArrivalTable({{1, 0, 5}});
  arrivals.columns[2].data = std::vector<double>{1};
  EXPECT_NE(message(FlowTable({{1, 0, 5}}), arrivals).find("no column time_ps"), std::string::npos);
}

}  // namespace
}  // namespace heddle
