// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/fabric/gathered_records.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/mpi/gather_records.h"
#include "core/records/arrival_join.h"
#include "transport/run/fabric/record_tables.h"

namespace heddle {
namespace {

/// Whether a row comes first. What is never started has no number: its rows are ordered by what
/// else they contain.
bool ComesBefore(const FlowRecord& a, const FlowRecord& b) {
  if (a.flow != b.flow) return a.flow < b.flow;
  const auto rest = [](const FlowRecord& r) {
    return std::make_tuple(r.message, r.start.ps, r.origin.job, r.origin.operation,
                           r.origin.channel, r.origin.chunk, r.destination.value, r.size);
  };
  return rest(a) < rest(b);
}

/// Sorts by source and number; if a flow has several arrivals, the earliest comes first.
void SortByFlow(FlowRecords* records) {
  std::sort(records->flows.begin(), records->flows.end(), ComesBefore);
  std::sort(records->arrivals.begin(), records->arrivals.end(),
            [](const FlowArrival& a, const FlowArrival& b) {
              return a.flow != b.flow ? a.flow < b.flow : a.time < b.time;
            });
}

}  // namespace

Table GatherFlowTable(const Communicator& world, const FlowRecords& mine, bool origins,
                      bool controlled) {
  FlowRecords all{GatherRecords(world, mine.flows), GatherRecords(world, mine.arrivals)};
  SortByFlow(&all);
  Table table = FlowTable(all.flows, origins, controlled);
  bool taken = false;
  ArrivalJoin([&] {
    return ArrivalTable(std::exchange(taken, true) ? std::vector<FlowArrival>() : all.arrivals);
  }).AddReceived(&table);
  return table;
}

std::vector<Table> GatherStatisticsTables(const Communicator& world, const FlowStatistics& mine) {
  const auto sizes = GatherRecords(world, mine.Sizes());
  const auto completions = GatherRecords(world, mine.Completions());
  FlowStatistics all;
  all.Merge(sizes, completions, GatherRecords(world, mine.Slowdowns()));
  return FlowStatisticsTables(all);
}

}  // namespace heddle
