// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <utility>

#include "core/mpi/gather_records.h"
#include "tests/support/serving/simulate_serving.h"

namespace heddle::testing {
namespace {

Table RecordsOf(std::vector<ServingRecord> rows) {
  std::sort(rows.begin(), rows.end(), [](const ServingRecord& a, const ServingRecord& b) {
    return std::pair(a.request, a.instance) < std::pair(b.request, b.instance);
  });
  Table table{"serving/records", "", {}};
  const auto add = [&](const char* name, auto value) {
    std::vector<std::int64_t> values;
    for (const ServingRecord& row : rows) values.push_back(value(row));
    table.columns.push_back({name, "1", "", std::move(values)});
  };
  add("request", [](const auto& row) { return row.request; });
  add("instance", [](const auto& row) { return row.instance; });
  add("begun_ps", [](const auto& row) { return row.begun.ps; });
  add("computed_ps", [](const auto& row) { return row.computed.ps; });
  add("granted_ps", [](const auto& row) { return row.granted.ps; });
  add("sending_ps", [](const auto& row) { return row.sending.ps; });
  add("arrived_ps", [](const auto& row) { return row.arrived.ps; });
  add("first_ps", [](const auto& row) { return row.first.ps; });
  add("last_ps", [](const auto& row) { return row.last.ps; });
  add("preempted", [](const auto& row) { return row.preempted; });
  add("tokens", [](const auto& row) { return row.tokens; });
  add("cached", [](const auto& row) { return row.cached; });
  add("rejected", [](const auto& row) { return row.rejected ? 1 : 0; });
  return table;
}

Table InstancesOf(std::vector<InstanceTotals> rows) {
  std::sort(rows.begin(), rows.end(), [](const InstanceTotals& a, const InstanceTotals& b) {
    return a.instance < b.instance;
  });
  Table table{"serving/instances", "", {}};
  const auto add = [&](const char* name, auto value) {
    std::vector<std::int64_t> values;
    for (const InstanceTotals& row : rows) values.push_back(value(row));
    table.columns.push_back({name, "1", "", std::move(values)});
  };
  add("instance", [](const auto& row) { return row.instance; });
  add("steps", [](const auto& row) { return row.steps; });
  add("busy_ps", [](const auto& row) { return row.busy.ps; });
  add("collectives_ps", [](const auto& row) { return row.collectives.ps; });
  add("computed", [](const auto& row) { return row.computed; });
  add("generated", [](const auto& row) { return row.generated; });
  add("preempted", [](const auto& row) { return row.preempted; });
  add("most_blocks", [](const auto& row) { return row.most_blocks; });
  add("cached", [](const auto& row) { return row.cached; });
  return table;
}

}  // namespace

std::vector<Table> RecordTables(const Communicator& world, const ServingDriver& driver) {
  return {RecordsOf(GatherRecords(world, driver.records())),
          InstancesOf(GatherRecords(world, driver.totals()))};
}

}  // namespace heddle::testing
