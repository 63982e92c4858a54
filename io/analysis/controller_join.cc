// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/controller_join.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/table.h"
#include "core/containers/flat_map.h"

namespace heddle {
namespace {

std::uint64_t KeyOf(std::uint32_t source, std::uint32_t request) {
  return (static_cast<std::uint64_t>(source) << 32) | request;
}

}  // namespace

std::vector<std::uint32_t> DecisionsOfFlows(const Table& flows, const Table& requests) {
  const auto& source = GetColumn<std::uint32_t>(requests, "src");
  const auto& number = GetColumn<std::uint32_t>(requests, "request");
  const auto& flow_source = GetColumn<std::uint32_t>(flows, "src");
  const auto& flow_request = GetColumn<std::uint32_t>(flows, "request");
  FlatMap last;
  for (std::size_t row = source.size(); row-- > 0;) {
    const std::uint64_t key = KeyOf(source[row], number[row]);
    if (number[row] != kNoRow && last.Find(key) == FlatMap::kNone)
      last.Insert(key, static_cast<std::uint32_t>(row));
  }
  std::vector<std::uint32_t> decisions(flow_source.size(), kNoRow);
  for (std::size_t flow = 0; flow < flow_source.size(); ++flow) {
    if (flow_request[flow] != kNoRow)
      decisions[flow] = last.Find(KeyOf(flow_source[flow], flow_request[flow]));
  }
  return decisions;
}

std::vector<std::uint32_t> FlowsOfDecisions(const Table& flows, const Table& requests) {
  const auto& source = GetColumn<std::uint32_t>(requests, "src");
  const auto& number = GetColumn<std::uint32_t>(requests, "request");
  const auto& flow_source = GetColumn<std::uint32_t>(flows, "src");
  const auto& flow_request = GetColumn<std::uint32_t>(flows, "request");
  FlatMap first;
  for (std::size_t flow = 0; flow < flow_source.size(); ++flow) {
    const std::uint64_t key = KeyOf(flow_source[flow], flow_request[flow]);
    if (flow_request[flow] != kNoRow && first.Find(key) == FlatMap::kNone)
      first.Insert(key, static_cast<std::uint32_t>(flow));
  }
  std::vector<std::uint32_t> rows(source.size(), kNoRow);
  for (std::size_t row = 0; row < source.size(); ++row) {
    if (number[row] != kNoRow) rows[row] = first.Find(KeyOf(source[row], number[row]));
  }
  return rows;
}

std::vector<std::size_t> HopsOfDecisions(const Table& requests, const Table& paths) {
  const std::size_t decisions = GetColumn<std::uint32_t>(requests, "src").size();
  const auto& row = GetColumn<std::int64_t>(paths, "row");
  std::vector<std::size_t> first(decisions + 1, 0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] < (i > 0 ? row[i - 1] : 0) || static_cast<std::size_t>(row[i]) >= decisions) {
      throw UserError(fmt::format(
          "table {}: row {} is of decision {}. Expected: decisions in order, of {} in table {}",
          paths.name, i, row[i], decisions, requests.name));
    }
    first[static_cast<std::size_t>(row[i]) + 1] = i + 1;
  }
  for (std::size_t i = 1; i <= decisions; ++i) first[i] = std::max(first[i], first[i - 1]);
  return first;
}

}  // namespace heddle
