// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/collective_tables.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collectives/execution/job_tables.h"
#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"

namespace heddle {
namespace {

auto KeyOf(const CollectiveRecord& r) { return std::tie(r.job, r.operation, r.group); }
auto KeyOf(const LayerRecord& r) { return std::tie(r.job, r.rank, r.layer); }
auto KeyOf(const StepRecord& r) {
  return std::tie(r.job, r.gpu.value, r.start.ps, r.end.ps, r.kind, r.operation, r.pass, r.layer,
                  r.phase);
}

/// Gathers all ranks' records at the root, by their keys.
template <class Record>
std::vector<Record> GatherSorted(const Communicator& world, const std::vector<Record>& mine) {
  std::vector<Record> all = GatherRecords(world, mine);
  std::sort(all.begin(), all.end(),
            [](const Record& a, const Record& b) { return KeyOf(a) < KeyOf(b); });
  return all;
}

/// Joins what each MPI rank recorded of a collective: one record a key.
std::vector<CollectiveRecord> Join(const std::vector<CollectiveRecord>& sorted) {
  std::vector<CollectiveRecord> joined;
  for (const CollectiveRecord& record : sorted) {
    if (joined.empty() || KeyOf(joined.back()) != KeyOf(record)) {
      joined.push_back(record);
      continue;
    }
    joined.back().Join(record);
  }
  return joined;
}

struct CollectiveRow {
  CollectiveRecord record;
  const Job* job;
  const ProgramOp* op;
  std::uint32_t pass, ranks;
  AlgorithmChoice choice;
  std::int64_t end_ps;   ///< -1: not all ranks finished
  std::int64_t time_ps;  ///< of the bandwidths; -1 likewise
  Time wait;             ///< of a receiver for its sender
  double algbw;          ///< byte/s
};

/// What bandwidths are computed from: a message between two ranks takes from when it is sent until
/// it has arrived, however early its receiver waited for it or late it asked.
Time TimeOf(const CollectiveRecord& record, const ProgramOp& op) {
  return IsBetweenTwo(op.spec) ? record.arrived - record.sent : record.end - record.start;
}

CollectiveRow MakeRow(const CollectiveRecord& record, const Job& job,
                      const AlgorithmOf& algorithm_of) {
  const auto ops = static_cast<std::uint32_t>(job.program.ops.size());
  const std::uint32_t index = record.operation % ops;
  const ProgramOp& op = job.program.ops[index];
  const std::uint32_t ranks = RanksOf(job, op);
  const bool whole = record.finished == ranks;
  const Time taken = whole ? TimeOf(record, op) : Time{};
  const bool waited = whole && IsBetweenTwo(op.spec) && record.sent > record.awaited;
  const double algbw = taken.ps > 0 ? static_cast<double>(op.spec.bytes) / taken.seconds() : 0;
  return {record,
          &job,
          &op,
          record.operation / ops,
          ranks,
          algorithm_of(record.job, index, record.group),
          whole ? record.end.ps : -1,
          whole ? taken.ps : -1,
          waited ? record.sent - record.awaited : Time{},
          algbw};
}

/// Rank of the root in its group; -1 for operations without a root.
std::int64_t RootOf(const CollectiveSpec& spec) {
  const bool rooted = spec.operation == Operation::kBroadcast ||
                      spec.operation == Operation::kReduce || IsBetweenTwo(spec);
  return rooted ? std::int64_t{spec.root} : -1;
}

Table CollectiveTable(const std::vector<CollectiveRow>& rows) {
  using Row = CollectiveRow;
  Table table{"collectives", "one row a collective of a group", {}};
  const auto add = [&](auto type, const char* name, const char* unit, const char* description,
                       auto get) {
    table.columns.push_back(MakeColumn<decltype(type)>(name, unit, description, rows, get));
  };
  constexpr std::uint32_t u32 = 0;  // these values select the types of columns
  constexpr std::int64_t i64 = 0;
  const std::string text;
  add(u32, "job", "1", "job", [](const Row& r) { return r.record.job; });
  add(u32, "operation", "1", "number within the job",
      [](const Row& r) { return r.record.operation; });
  add(u32, "pass", "1", "pass of the workload", [](const Row& r) { return r.pass; });
  add(u32, "micro_batch", "1", "micro-batch of the pass",
      [](const Row& r) { return r.op->micro_batch; });
  add(u32, "layer", "1", "index of the layer", [](const Row& r) { return r.op->layer; });
  add(text, "layer_name", "1", "name of the layer",
      [](const Row& r) { return r.job->workload.layers.at(r.op->layer).name; });
  add(text, "phase", "1", "fwd, ig or wg", [](const Row& r) { return ToText(r.op->phase); });
  add(text, "op", "1", "what is done", [](const Row& r) { return ToText(r.op->spec.operation); });
  add(text, "group_type", "1", "TP, DP, PP, EP or DP_EP",
      [](const Row& r) { return ToText(r.op->spec.group); });
  add(u32, "group", "1", "number of the group among those of its type",
      [](const Row& r) { return r.record.group; });
  add(u32, "ranks", "1", "ranks that take part", [](const Row& r) { return r.ranks; });
  add(i64, "root", "1", "rank of the group that is the root, or sends; -1: none",
      [](const Row& r) { return RootOf(r.op->spec); });
  add(i64, "peer", "1", "rank of the group that receives from the root alone; -1: none",
      [](const Row& r) {
        return IsBetweenTwo(r.op->spec) ? std::int64_t{r.op->spec.peer} : std::int64_t{-1};
      });
  add(text, "algorithm", "1", "NCCL's algorithm",
      [](const Row& r) { return ToText(r.choice.algorithm); });
  add(text, "protocol", "1", "NCCL's protocol",
      [](const Row& r) { return ToText(r.choice.protocol); });
  add(i64, "bytes", "byte", "the full buffer, by NCCL's conventions",
      [](const Row& r) { return r.op->spec.bytes; });
  add(i64, "start_ps", "ps", "when the first rank issued it",
      [](const Row& r) { return r.record.start.ps; });
  add(i64, "end_ps", "ps", "when the last rank finished it; -1: not all did",
      [](const Row& r) { return r.end_ps; });
  add(i64, "time_ps", "ps",
      "from start to end; between two ranks: from when the sender issued it until it had arrived; "
      "-1: not finished",
      [](const Row& r) { return r.time_ps; });
  add(i64, "wait_ps", "ps",
      "between two ranks: how long the receiver waited for the sender to issue it",
      [](const Row& r) { return r.wait.ps; });
  add(0.0, "algbw", "B/s", "bytes over time_ps; 0: not finished",
      [](const Row& r) { return r.algbw; });
  add(0.0, "busbw", "B/s", "algbw times nccl-tests' factor",
      [](const Row& r) { return r.algbw * BusFactor(r.op->spec.operation, r.ranks); });
  return table;
}

/// Finds the group of a step's operation; -1 for a compute step. Ranks of GPUs are looked up once a
/// job.
class GroupLookup {
 public:
  explicit GroupLookup(const std::vector<Job>& jobs) : jobs_(jobs), ranks_(jobs.size()) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      for (std::uint32_t r = 0; r < jobs[j].gpus.size(); ++r) ranks_[j][jobs[j].gpus[r]] = r;
    }
  }
  std::int64_t operator()(const StepRecord& step) const {
    if (step.kind == StepRecord::Kind::kCompute) return -1;
    const Job& job = jobs_.at(step.job);
    const ProgramOp& op = job.program.ops.at(step.operation % job.program.ops.size());
    return job.groups.GroupOf(op.spec.group, ranks_[step.job].at(step.gpu));
  }

 private:
  const std::vector<Job>& jobs_;
  std::vector<std::unordered_map<NodeId, std::uint32_t>> ranks_;
};

}  // namespace

Table GatherCollectives(const Communicator& world, const std::vector<Job>& jobs,
                        const std::vector<CollectiveRecord>& records,
                        const AlgorithmOf& algorithm_of) {
  std::vector<CollectiveRow> rows;
  for (const CollectiveRecord& record : Join(GatherSorted(world, records))) {
    rows.push_back(MakeRow(record, jobs.at(record.job), algorithm_of));
  }
  return CollectiveTable(rows);
}

Table GatherLayers(const Communicator& world, const std::vector<Job>& jobs,
                   const std::vector<LayerRecord>& records) {
  using Row = LayerRecord;
  const std::vector<Row> rows = GatherSorted(world, records);
  Table table{"layers", "what each layer cost each GPU, summed over all passes", {}};
  auto& columns = table.columns;
  columns.push_back(
      MakeColumn<std::uint32_t>("job", "1", "job", rows, [](const Row& r) { return r.job; }));
  columns.push_back(MakeColumn<std::uint32_t>("rank", "1", "rank of the job", rows,
                                              [](const Row& r) { return r.rank; }));
  columns.push_back(MakeColumn<std::uint32_t>("gpu", "1", "its GPU", rows,
                                              [](const Row& r) { return r.gpu.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("layer", "1", "index of the layer", rows,
                                              [](const Row& r) { return r.layer; }));
  columns.push_back(MakeColumn<std::string>(
      "name", "1", "name of the layer", rows,
      [&](const Row& r) { return jobs.at(r.job).workload.layers.at(r.layer).name; }));
  const auto add = [&](const char* kind, const char* description,
                       const Time(Row::*times)[kPhases]) {
    for (int p = 0; p < kPhases; ++p) {
      const std::string name = std::string(ToText(static_cast<Phase>(p))) + "_" + kind + "_ps";
      columns.push_back(MakeColumn<std::int64_t>(name.c_str(), "ps", description, rows,
                                                 [&](const Row& r) { return (r.*times)[p].ps; }));
    }
  };
  add("compute", "time of computing", &Row::compute);
  add("exposed", "time in which the GPU did nothing but wait for the communication", &Row::exposed);
  add("total", "time of the communication, from issue to finish", &Row::total);
  columns.push_back(MakeColumn<std::int64_t>(
      "wg_tail_ps", "ps", "of wg_exposed_ps, waited for after the last step of the program", rows,
      [](const Row& r) { return r.tail.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "pp_exposed_ps", "ps", "waited for in groups of pipeline stages; not in the exposed columns",
      rows, [](const Row& r) { return r.pipeline.ps; }));
  return table;
}

Table GatherSteps(const Communicator& world, const std::vector<Job>& jobs,
                  const std::vector<StepRecord>& records) {
  return StepTable(jobs, GatherSorted(world, records));
}

Table StepTable(const std::vector<Job>& jobs, const std::vector<StepRecord>& rows) {
  using Row = StepRecord;
  const GroupLookup group_of(jobs);
  const auto communicates = [](const Row& r) { return r.kind == Row::Kind::kCommunicate; };
  Table table{"steps", "the time line of each GPU", {}};
  auto& columns = table.columns;
  columns.push_back(
      MakeColumn<std::uint32_t>("job", "1", "job", rows, [](const Row& r) { return r.job; }));
  columns.push_back(
      MakeColumn<std::uint32_t>("gpu", "1", "GPU", rows, [](const Row& r) { return r.gpu.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("pass", "1", "pass of the workload", rows,
                                              [](const Row& r) { return r.pass; }));
  columns.push_back(MakeColumn<std::uint32_t>("layer", "1", "index of the layer", rows,
                                              [](const Row& r) { return r.layer; }));
  columns.push_back(MakeColumn<std::string>("phase", "1", "fwd, ig or wg", rows,
                                            [](const Row& r) { return ToText(r.phase); }));
  columns.push_back(MakeColumn<std::string>(
      "kind", "1", "compute or communicate", rows,
      [&](const Row& r) { return communicates(r) ? "communicate" : "compute"; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "operation", "1", "number within the job; -1: compute", rows,
      [&](const Row& r) { return communicates(r) ? std::int64_t{r.operation} : -1; }));
  columns.push_back(MakeColumn<std::int64_t>("group", "1", "group of the operation; -1: compute",
                                             rows, group_of));
  columns.push_back(MakeColumn<std::int64_t>("start_ps", "ps", "from here", rows,
                                             [](const Row& r) { return r.start.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("end_ps", "ps", "to here", rows,
                                             [](const Row& r) { return r.end.ps; }));
  return table;
}

}  // namespace heddle
