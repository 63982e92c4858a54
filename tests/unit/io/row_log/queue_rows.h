// SPDX-License-Identifier: GPL-2.0-only
/// Rows of queue samples for tests of row logs, and the merging of logs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "io/result/merge_row_logs.h"
#include "io/result/result_writer.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/sort_row_log.h"
#include "io/table/table_rows.h"

namespace heddle {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U8 = std::vector<std::uint8_t>;

inline const StreamKeys kKeys = {{"monitors/queues", {"time_ps", "node", "priority"}},
                                 {"pfc", {"time_ps"}}};

/// Queue samples of all nodes at times [first, last): shuffled, with rows of equal keys.
inline Table Queues(std::int64_t first, std::int64_t last, std::uint32_t nodes = 12) {
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

/// Sorts the row logs and merges them up to a commit into `path`.
inline void MakeResult(const std::vector<std::string>& parts, std::uint64_t until,
                       const std::string& path, const SortLimits& limits = {}) {
  ResultWriter writer(path, true);
  for (const std::string& part : parts) SortStream(part, until, limits);
  if (!parts.empty()) MergeStreams(parts, until, &writer);
  writer.Close();
}

inline bool IsSorted(const Table& table, const std::vector<std::string>& keys) {
  const RowOrder order(table, keys);
  for (std::size_t i = 1; i < CheckedRows(table); ++i) {
    if (order.Compare(i - 1, order, i) > 0) return false;
  }
  return true;
}

}  // namespace heddle
