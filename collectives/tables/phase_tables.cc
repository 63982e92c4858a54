// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/phase_tables.h"

#include <string>

#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"

namespace heddle {

Table GatherPhaseDelays(const Communicator& world, const std::vector<Job>& jobs,
                        const std::map<PhaseRecord::Key, PhaseDelays>& mine) {
  using Row = PhaseRecord;
  std::vector<Row> records;
  for (const auto& [key, delays] : mine) records.push_back({key, delays});
  std::map<Row::Key, PhaseDelays> all;
  for (const Row& record : GatherRecords(world, records)) all[record.key].Join(record.delays);
  std::vector<Row> rows;
  for (const auto& [key, delays] : all) rows.push_back({key, delays});
  const auto op_of = [&](const Row& r) -> const ProgramOp& {
    return jobs.at(r.job()).program.ops.at(r.operation());
  };
  Table table{"phase_delays", "what chunks of collectives waited for, by phase", {}};
  auto& columns = table.columns;
  columns.push_back(
      MakeColumn<std::uint32_t>("job", "1", "job", rows, [](const Row& r) { return r.job(); }));
  columns.push_back(MakeColumn<std::uint32_t>("operation", "1", "row of /operations, with the job",
                                              rows, [](const Row& r) { return r.operation(); }));
  columns.push_back(MakeColumn<std::uint32_t>("chunk_phase", "1",
                                              "0: the ready list; 1, 2, ...: a phase of the chunk",
                                              rows, [](const Row& r) { return r.phase(); }));
  columns.push_back(MakeColumn<std::uint32_t>("layer", "1", "index of the layer", rows,
                                              [&](const Row& r) { return op_of(r).layer; }));
  columns.push_back(MakeColumn<std::string>("phase", "1", "fwd, ig or wg", rows,
                                            [&](const Row& r) { return ToText(op_of(r).phase); }));
  columns.push_back(MakeColumn<std::int64_t>("chunks", "1", "chunks that had the phase behind them",
                                             rows, [](const Row& r) { return r.delays.chunks; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "queued_ps", "ps", "how long they had waited before it; sum over the chunks", rows,
      [](const Row& r) { return r.delays.queued.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("messages", "1", "messages that they received in it",
                                             rows, [](const Row& r) { return r.delays.messages; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "network_ps", "ps",
      "from when the receiver had sent its own message until one had come; sum over the messages",
      rows, [](const Row& r) { return r.delays.network.ps; }));
  return table;
}

}  // namespace heddle
