// SPDX-License-Identifier: GPL-2.0-only
/// The table of flows with direct access to its columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"

namespace heddle {

/// The table must outlive it. Throws UserError if a column is missing.
struct FlowView {
  /// `job`, `operation`, `channel` and `chunk` stay null if the table has no column "operation",
  /// `state` if it has no such column.
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
    const auto has = [&](const char* name) {
      return std::any_of(table.columns.begin(), table.columns.end(),
                         [&](const Column& column) { return column.name == name; });
    };
    if (has("state")) state = &GetColumn<std::uint8_t>(table, "state");
    if (!has("operation")) return;
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
  /// Whether the flow started; true if the table does not say it.
  bool started(std::size_t i) const {
    return state == nullptr || static_cast<FlowState>((*state)[i]) != FlowState::kNotStarted;
  }
  /// Whether they are messages of one connection of a job, which come one after the other.
  bool Follow(std::size_t i, std::size_t j) const {
    if (job == nullptr || src[i] != src[j] || dst[i] != dst[j]) return false;
    return (*job)[i] == (*job)[j] && (*channel)[i] == (*channel)[j] &&
           ((*operation)[i] != (*operation)[j] || (*chunk)[i] != (*chunk)[j]);
  }
  /// Whether both were active at one time, and neither had to wait for the other.
  bool Compete(std::size_t i, std::size_t j) const {
    const bool active = i != j && started(i) && started(j);
    return active && start[j] < end(i) && start[i] < end(j) && !Follow(i, j);
  }

  const std::vector<std::uint32_t>&number, &src, &dst;
  const std::vector<std::uint16_t>&source_port, &destination_port;
  const std::vector<std::int64_t>&size, &start, &fct, &ideal;
  const std::vector<std::uint8_t>* state = nullptr;
  // Columns of flows of jobs; null for traces.
  const std::vector<std::uint16_t>*job = nullptr, *channel = nullptr;
  const std::vector<std::uint32_t>*operation = nullptr, *chunk = nullptr;
};

}  // namespace heddle
