// SPDX-License-Identifier: GPL-2.0-only
/// Tables of a run's totals (docs/formats/result.md), made of rows that were gathered; without any,
/// those of a backend without packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/flow_statistics.h"
#include "transport/model/record/taken_flows.h"

namespace heddle {

/// Totals of a port.
struct PortRow {
  NodeId node;
  PortId port;
  std::int64_t sent_packets = 0, sent_bytes = 0, max_queued_bytes = 0, marked = 0, pauses = 0,
               paused_ps = 0;
};

/// What a tier's links carried from `from` to `to`.
struct TierLoadRow {
  std::string tier;
  std::uint32_t links = 0;  ///< directed
  double rate_bps = 0;      ///< of all links together
  Time from, to;
  std::int64_t bytes = 0;

  /// Returns the bytes as a share of what the links could carry at their rates.
  double utilisation() const {
    return static_cast<double>(bytes) * 8 / ((to - from).seconds() * rate_bps);
  }
  /// Returns the bytes that the links can carry from `from` to `to`.
  std::int64_t most_bytes() const {
    return static_cast<std::int64_t>((to - from).seconds() * rate_bps / 8);
  }
};

// Rows as given.
Table DropTable(const std::vector<DropRecord>& rows);
/// Returns the table "ports": a row a port, with its counts, and its paused time [ps].
Table PortTable(const std::vector<PortRow>& rows);
/// Returns the table "pause_causes": a row a port where pauses began.
Table PauseCauseTable(const std::vector<PauseCauseRecord>& rows);
/// Returns the table "tier_load": a row a tier and bin, with its utilisation.
Table TierLoadTable(const std::vector<TierLoadRow>& rows);
/// Returns the tables "flow_sizes", "slowdown_histogram" and "fct_histogram".
std::vector<Table> FlowStatisticsTables(const FlowStatistics& statistics);

/// Returns the table "flows" without the column received_ps. `origins`: with the columns that name
/// each flow's collective; `controlled`: with the one that names its request to the controller.
Table FlowTable(const std::vector<FlowRecord>& flows, bool origins, bool controlled);

/// Returns the table "recovery" of flows that lost packets or seemed to: what they waited and sent
/// again. In the order given.
Table RecoveryTable(const std::vector<FlowRecord>& flows);

/// Returns the tables "flows", with the column received_ps as far as the records have it,
/// "recovery" and "arrivals" of these records, as rows of a row log. Rows as given.
std::vector<Table> FlowRowTables(const FlowRecords& records, bool origins, bool controlled);

/// Returns the table "arrivals": src, number, time_ps; a flow has several rows if all its ACKs were
/// lost. Rows as given.
Table ArrivalTable(const std::vector<FlowArrival>& arrivals);

}  // namespace heddle
