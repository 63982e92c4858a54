// SPDX-License-Identifier: GPL-2.0-only
/// The table of flows with direct access to its columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"

namespace heddle {

/// The table must outlive it. Throws UserError if a column is missing.
struct FlowView {
  /// `job`, `operation`, `channel` and `chunk` stay null if the table has no column "operation".
  explicit FlowView(const Table& table)
      : number(GetColumn<std::uint32_t>(table, "number")),
        src(GetColumn<std::uint32_t>(table, "src")),
        dst(GetColumn<std::uint32_t>(table, "dst")),
        source_port(GetColumn<std::uint16_t>(table, "source_port")),
        destination_port(GetColumn<std::uint16_t>(table, "destination_port")),
        size(GetColumn<std::int64_t>(table, "size_bytes")),
        start(GetColumn<std::int64_t>(table, "start_ps")),
        fct(GetColumn<std::int64_t>(table, "fct_ps")),
        ideal(GetColumn<std::int64_t>(table, "ideal_ps")) {
    const auto& last = table.columns;
    const auto of_jobs = [](const Column& column) { return column.name == "operation"; };
    if (std::none_of(last.begin(), last.end(), of_jobs)) return;
    job = &GetColumn<std::uint16_t>(table, "job");
    operation = &GetColumn<std::uint32_t>(table, "operation");
    channel = &GetColumn<std::uint16_t>(table, "channel");
    chunk = &GetColumn<std::uint32_t>(table, "chunk");
  }

  /// Returns fct / ideal; 0 without an ideal time. Only for finished flows.
  double slowdown(std::size_t i) const {
    return ideal[i] > 0 ? static_cast<double>(fct[i]) / static_cast<double>(ideal[i]) : 0;
  }
  /// Returns when the flow completed [ps]; Time::Max() if it did not.
  std::int64_t end(std::size_t i) const { return fct[i] < 0 ? Time::Max().ps : start[i] + fct[i]; }
  /// Whether they are messages of one connection of a job, which come one after the other.
  bool Follow(std::size_t i, std::size_t j) const {
    if (job == nullptr || src[i] != src[j] || dst[i] != dst[j]) return false;
    return (*job)[i] == (*job)[j] && (*channel)[i] == (*channel)[j] &&
           ((*operation)[i] != (*operation)[j] || (*chunk)[i] != (*chunk)[j]);
  }
  /// Whether both were active at one time, and neither had to wait for the other.
  bool Compete(std::size_t i, std::size_t j) const {
    return i != j && start[j] < end(i) && start[i] < end(j) && !Follow(i, j);
  }

  const std::vector<std::uint32_t>&number, &src, &dst;
  const std::vector<std::uint16_t>&source_port, &destination_port;
  const std::vector<std::int64_t>&size, &start, &fct, &ideal;
  // Columns of flows of jobs; null for traces.
  const std::vector<std::uint16_t>*job = nullptr, *channel = nullptr;
  const std::vector<std::uint32_t>*operation = nullptr, *chunk = nullptr;
};

}  // namespace heddle
