// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/job_tables.h"

#include <algorithm>
#include <string>

#include "collectives/schedule/collective_spec.h"
#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"

namespace heddle {
namespace {

constexpr Time kUnfinished{-1};

/// End of each rank of each job; kUnfinished for those without a record.
std::vector<std::vector<Time>> EndsByRank(const std::vector<Job>& jobs,
                                          const std::vector<FinishRecord>& all) {
  std::vector<std::vector<Time>> ends;
  ends.reserve(jobs.size());
  for (const Job& job : jobs) ends.emplace_back(job.gpus.size(), kUnfinished);
  for (const FinishRecord& finish : all)
    ends.at(finish.job).at(finish.rank) = std::max(finish.end, kUnfinished);
  return ends;
}

/// The latest of the ends; kUnfinished if any is unfinished.
Time EndOf(const std::vector<Time>& ends) {
  if (ends.empty() || *std::min_element(ends.begin(), ends.end()) < Time{}) return kUnfinished;
  return *std::max_element(ends.begin(), ends.end());
}

struct JobRow {
  std::uint32_t number;
  const Job* job;
  Time end;
};

struct RankRow {
  std::uint32_t job, rank;
  NodeId gpu;
  Time end;
};

struct OperationRow {
  std::uint32_t job, number;
  const ProgramOp* op;
  std::uint32_t ranks;
};

/// Rank of the root in its group; -1 for operations without a root.
std::int64_t RootOf(const CollectiveSpec& spec) {
  const bool rooted = spec.operation == Operation::kBroadcast ||
                      spec.operation == Operation::kReduce || IsBetweenTwo(spec);
  return rooted ? std::int64_t{spec.root} : -1;
}

}  // namespace

std::uint32_t RanksOf(const Job& job, const ProgramOp& op) {
  if (IsBetweenTwo(op.spec)) return 2;
  return job.all_groups().SizeOf(op);
}

Table GatherJobs(const Communicator& world, const std::vector<Job>& jobs,
                 const std::vector<FinishRecord>& finishes) {
  const std::vector<std::vector<Time>> ends = EndsByRank(jobs, GatherRecords(world, finishes));
  std::vector<JobRow> rows;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) rows.push_back({j, &jobs[j], EndOf(ends[j])});
  Table table{"jobs", "one row a job", {}};
  const auto text = [&](const char* name, const char* description, auto get) {
    table.columns.push_back(MakeColumn<std::string>(name, "1", description, rows, get));
  };
  const auto number = [&](const char* name, const char* description, auto get) {
    table.columns.push_back(MakeColumn<std::uint32_t>(name, "1", description, rows, get));
  };
  const auto time = [&](const char* name, const char* description, auto get) {
    table.columns.push_back(MakeColumn<std::int64_t>(name, "ps", description, rows, get));
  };
  number("job", "number of the job", [](const JobRow& r) { return r.number; });
  text("name", "name of the job", [](const JobRow& r) { return r.job->name; });
  text("workload", "name of its workload", [](const JobRow& r) { return r.job->workload.name; });
  number("gpus", "GPUs, one a rank", [](const JobRow& r) { return r.job->gpus.size(); });
  number("tp", "tensor parallel size", [](const JobRow& r) { return r.job->groups.tensor(); });
  number("dp", "data parallel size", [](const JobRow& r) { return r.job->groups.data(); });
  number("pp", "pipeline stages", [](const JobRow& r) { return r.job->groups.pipeline(); });
  number("ep", "expert parallel size", [](const JobRow& r) { return r.job->groups.expert(); });
  number("cp", "context parallel size", [](const JobRow& r) { return r.job->groups.context(); });
  number("vpp", "virtual pipeline stages",
         [](const JobRow& r) { return r.job->workload.virtual_pipeline; });
  number("ga", "micro-batches of a pass",
         [](const JobRow& r) { return r.job->workload.gradient_accumulation; });
  text("placement", "how ranks were put on GPUs",
       [](const JobRow& r) { return ToText(r.job->placement); });
  time("start_ps", "when its programs began", [](const JobRow& r) { return r.job->start.ps; });
  number("passes", "passes of the workload", [](const JobRow& r) { return r.job->program.passes; });
  time("end_ps", "when the last of its GPUs ended; -1: not all did",
       [](const JobRow& r) { return r.end.ps; });
  return table;
}

Table GatherRanks(const Communicator& world, const std::vector<Job>& jobs,
                  const std::vector<FinishRecord>& finishes) {
  const std::vector<std::vector<Time>> ends = EndsByRank(jobs, GatherRecords(world, finishes));
  std::vector<RankRow> rows;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    for (std::uint32_t r = 0; r < jobs[j].gpus.size(); ++r)
      rows.push_back({j, r, jobs[j].gpus[r], ends[j][r]});
  }
  Table table{"ranks", "one row a rank of a job", {}};
  auto& columns = table.columns;
  columns.push_back(
      MakeColumn<std::uint32_t>("job", "1", "job", rows, [](const RankRow& r) { return r.job; }));
  columns.push_back(MakeColumn<std::uint32_t>("rank", "1", "rank of the job", rows,
                                              [](const RankRow& r) { return r.rank; }));
  columns.push_back(MakeColumn<std::uint32_t>("gpu", "1", "its GPU", rows,
                                              [](const RankRow& r) { return r.gpu.value; }));
  columns.push_back(MakeColumn<std::int64_t>("end_ps", "ps",
                                             "when its program ended; -1: it did not", rows,
                                             [](const RankRow& r) { return r.end.ps; }));
  return table;
}

Table OperationTable(const std::vector<Job>& jobs) {
  std::vector<OperationRow> rows;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    const std::vector<ProgramOp>& ops = jobs[j].program.ops;
    for (std::uint32_t k = 0; k < ops.size(); ++k)
      rows.push_back({j, k, &ops[k], RanksOf(jobs[j], ops[k])});
  }
  using Row = OperationRow;
  Table table{"operations", "communications of one pass of each job", {}};
  const auto text = [&](const char* name, const char* description, auto get) {
    table.columns.push_back(MakeColumn<std::string>(name, "1", description, rows, get));
  };
  const auto number = [&](const char* name, const char* description, auto get) {
    table.columns.push_back(MakeColumn<std::uint32_t>(name, "1", description, rows, get));
  };
  number("job", "job", [](const Row& r) { return r.job; });
  number("operation", "number within the pass", [](const Row& r) { return r.number; });
  number("micro_batch", "micro-batch", [](const Row& r) { return r.op->micro_batch; });
  number("layer", "index of the layer", [](const Row& r) { return r.op->layer; });
  text("phase", "fwd, ig or wg", [](const Row& r) { return ToText(r.op->phase); });
  text("op", "what is done", [](const Row& r) { return ToText(r.op->spec.operation); });
  text("group_type", "TP, DP, PP, EP, DP_EP, ALL, CP or LISTED",
       [](const Row& r) { return ToText(r.op->spec.group); });
  number("ranks", "ranks that take part", [](const Row& r) { return r.ranks; });
  table.columns.push_back(MakeColumn<std::int64_t>("bytes", "byte",
                                                   "the full buffer, by NCCL's conventions", rows,
                                                   [](const Row& r) { return r.op->spec.bytes; }));
  table.columns.push_back(MakeColumn<double>(
      "bus_factor", "1", "bus bandwidth over algorithm bandwidth, as in nccl-tests", rows,
      [](const Row& r) { return BusFactor(r.op->spec.operation, r.ranks); }));
  text("layer_name", "name of the layer",
       [&](const Row& r) { return jobs[r.job].workload.layers.at(r.op->layer).name; });
  table.columns.push_back(MakeColumn<std::int64_t>(
      "root", "1", "rank of the group that is the root, or sends; -1: none", rows,
      [](const Row& r) { return RootOf(r.op->spec); }));
  table.columns.push_back(MakeColumn<std::int64_t>(
      "peer", "1", "rank of the group that receives from the root alone; -1: none", rows,
      [](const Row& r) {
        return IsBetweenTwo(r.op->spec) ? std::int64_t{r.op->spec.peer} : std::int64_t{-1};
      }));
  return table;
}

}  // namespace heddle
