// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_fct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/table.h"

namespace heddle {
namespace {

/// SimAI's address of a node, 11.(id / 256).(id % 256).1.
std::uint32_t Address(std::uint32_t node) { return 0x0b000001u + (node << 8); }

/// The rows of finished flows, sorted by completion.
std::vector<std::size_t> FinishedRows(const std::vector<std::int64_t>& start,
                                      const std::vector<std::int64_t>& fct) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < fct.size(); ++row) {
    if (fct[row] >= 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return start[a] + fct[a] < start[b] + fct[b];
  });
  return rows;
}

}  // namespace

std::size_t ExportFct(const Table& flows, const PathMetrics& metrics, Bytes payload,
                      std::ostream& out) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  const auto& source_port = GetColumn<std::uint16_t>(flows, "source_port");
  const auto& destination_port = GetColumn<std::uint16_t>(flows, "destination_port");
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  const auto& start = GetColumn<std::int64_t>(flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const std::vector<std::size_t> rows = FinishedRows(start, fct);
  fmt::memory_buffer text;
  for (const std::size_t row : rows) {
    const PairMetrics pair = metrics.Pair(NodeId(source[row]), NodeId(destination[row]));
    const Time ideal =
        pair.reachable() ? IdealCompletionTime(pair, Bytes{size[row]}, payload) : Time{0};
    fmt::format_to(std::back_inserter(text), "{:08x} {:08x} {} {} {} {} {} {}\n",
                   Address(source[row]), Address(destination[row]), source_port[row],
                   destination_port[row], size[row], start[row] / 1000, fct[row] / 1000,
                   ideal.ps / 1000);
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return fct.size() - rows.size();
}

}  // namespace heddle
