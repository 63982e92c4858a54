// SPDX-License-Identifier: GPL-2.0-only
/// Measures rows a second (of processor time) of the steps from flows to a result: append, sort,
/// merge with the join of arrivals, compression, writing. Usage: row_log_bench [ROWS [DIRECTORY]]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5/chunk_codec.h"
#include "io/result/merge_row_logs.h"
#include "io/result/result_writer.h"
#include "io/row_log/flow_arrivals.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/row_log/sort_row_log.h"
#include "io/row_log/table_merge.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;
using U8 = std::vector<std::uint8_t>;

/// Processor time of this process, which other work on the machine does not change.
double Now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <class Work>
double Seconds(Work&& work) {
  const double start = Now();
  work();
  return Now() - start;
}

void Print(const char* what, std::size_t rows, double seconds) {
  std::printf("%-28s %7.2f s %8.2f M rows/s\n", what, seconds,
              static_cast<double>(rows) / seconds * 1e-6);
}

std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Flows [first, last) in the order of their ends: of 1024 sources in turn, with times that vary
/// randomly.
Table Flows(std::size_t first, std::size_t last) {
  U32 src, dst, number, message;
  U16 sport, dport;
  U8 priority, state;
  I64 size, start, fct, ideal;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t random = Mix(i + 1);
    const auto near = i + random % 4096;  // ends are slightly out of order
    src.push_back(static_cast<std::uint32_t>(Mix(near) % 1024));
    dst.push_back(static_cast<std::uint32_t>(random >> 20) % 1024);
    number.push_back(static_cast<std::uint32_t>(i / 1024));
    message.push_back(number.back());
    sport.push_back(static_cast<std::uint16_t>(10000 + number.back() % 50000));
    dport.push_back(100);
    priority.push_back(3);
    size.push_back(static_cast<std::int64_t>(4096 << (random % 8)));
    start.push_back(static_cast<std::int64_t>(i) * 50'000 +
                    static_cast<std::int64_t>(random % 1'000'000));
    ideal.push_back(size.back() * 20 + 5'000'000);
    fct.push_back(ideal.back() + static_cast<std::int64_t>(Mix(random) % 30'000'000));
    state.push_back(0);
  }
  return {kFlowTable,
          "",
          {{"src", "1", "", src},
           {"dst", "1", "", dst},
           {"number", "1", "", number},
           {"message", "1", "", message},
           {"source_port", "1", "", sport},
           {"destination_port", "1", "", dport},
           {"priority", "1", "", priority},
           {"size_bytes", "byte", "", size},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"ideal_ps", "ps", "", ideal},
           {"state", "1", "", state}}};
}

Table ArrivalsOf(const Table& flows) {
  I64 time = GetColumn<std::int64_t>(flows, "start_ps");
  const I64& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  for (std::size_t i = 0; i < time.size(); ++i) time[i] += fct[i] - 1'000'000;
  return {kArrivalTable, "", {flows.columns[0], flows.columns[2], {"time_ps", "ps", "", time}}};
}

void Append(const std::string& result, const std::vector<Table>& tables, std::size_t rows) {
  TableStream stream(result, 0,
                     {{kFlowTable, {"src", "number"}}, {kArrivalTable, {"src", "number"}}});
  const double seconds = Seconds([&] {
    for (const Table& table : tables) stream.Append(table);
    stream.Commit(1, {0});
  });
  Print("sort and append", rows, seconds);
  std::printf("%-28s %7.2f B a flow\n", "log",
              static_cast<double>(stream.bytes()) / static_cast<double>(rows));
}

/// Merges and joins all blocks; further steps are timed separately.
void Merge(const std::string& part, std::size_t rows) {
  const RowLogReader log(part, kLastCommit, RowLogReader::Check::kLater);
  const std::vector<const RowLogReader*> logs = {&log};
  std::uint64_t read = 0;
  std::size_t chunks_in = 0, chunks_out = 0, merged = 0;
  ChunkEncoder encoder;
  double compression = 0;
  const double all = Seconds([&] {
    const auto source = JoinArrivals(std::make_unique<TableMerge>(logs, kFlowTable, &read),
                                     std::make_unique<TableMerge>(logs, kArrivalTable, &read));
    while (merged < source->rows()) {
      const Table block = source->NextBlock();
      compression += Seconds([&] {
        for (const Column& column : block.columns) {
          std::visit(
              [&](const auto& values) {
                const std::size_t bytes = values.size() * sizeof values[0];
                chunks_in += bytes;
                chunks_out += encoder
                                  .Encode(reinterpret_cast<const char*>(values.data()), bytes,
                                          sizeof values[0])
                                  .size();
              },
              column.data);
        }
      });
      merged += std::visit([](const auto& values) { return values.size(); }, block.columns[0].data);
    }
  });
  Print("merge and join", rows, all - compression);
  Print("compress 13 columns", rows, compression);
  std::printf("%-28s %7.2f B of %.2f B a flow, %.0f MB/s\n", "compressed",
              static_cast<double>(chunks_out) / static_cast<double>(rows),
              static_cast<double>(chunks_in) / static_cast<double>(rows),
              static_cast<double>(chunks_in) / compression * 1e-6);
}

int Main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::string result = std::string(argc > 2 ? argv[2] : ".") + "/row_log_bench.h5";
  const std::string part = StreamPartPath(result, 0);
  std::vector<Table> tables;
  for (std::size_t first = 0; first < rows; first += 100'000) {
    tables.push_back(Flows(first, std::min(first + 100'000, rows)));
    tables.push_back(ArrivalsOf(tables.back()));
  }
  Append(result, tables, rows);
  tables.clear();
  SortStream(part, 1);  // finds them sorted
  Merge(part, rows);
  const double seconds = Seconds([&] {
    ResultWriter writer(result, true);
    MergeStreams({part}, 1, &writer);
    writer.Close();
  });
  Print("result: merge to file", rows, seconds);
  std::printf("%-28s %7.2f B a flow\n", "result",
              static_cast<double>(std::filesystem::file_size(result)) / static_cast<double>(rows));
  RemoveStreams({part});
  std::filesystem::remove(result);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::Main(argc, argv); }
