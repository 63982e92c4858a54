// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/collective_tables.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collectives/tables/job_tables.h"
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
    return job.all_groups().GroupOf(op, ranks_[step.job].at(step.gpu));
  }

 private:
  const std::vector<Job>& jobs_;
  std::vector<std::unordered_map<NodeId, std::uint32_t>> ranks_;
};

}  // namespace

std::vector<CollectivePart> PartsOf(const std::vector<Job>& jobs,
                                    const std::vector<CollectiveRecord>& records,
                                    const PlanOf& plan_of) {
  std::vector<CollectivePart> parts;
  parts.reserve(records.size());
  for (const CollectiveRecord& r : records) {
    const auto ops = static_cast<std::uint32_t>(jobs.at(r.job).program.ops.size());
    const CollectivePlan plan = plan_of(r.job, r.operation % ops, r.group);
    parts.push_back({r.job, r.operation, r.group, r.finished, r.start, r.end, r.sent, r.arrived,
                     plan.ideal, plan.choice.algorithm, plan.choice.protocol});
  }
  return parts;
}

Table GatherCollectives(const Communicator& world, const std::vector<Job>& jobs,
                        const std::vector<CollectiveRecord>& records, const PlanOf& plan_of) {
  std::vector<CollectivePart> joined;
  JoinParts(PartsOf(jobs, GatherSorted(world, records), plan_of), &joined);
  return CollectiveRows(OperationTable(jobs)).Make(joined);
}

std::vector<LayerRecord> GatherSortedLayers(const Communicator& world,
                                            const std::vector<LayerRecord>& records) {
  return GatherSorted(world, records);
}

Table GatherLayers(const Communicator& world, const std::vector<Job>& jobs,
                   const std::vector<LayerRecord>& records) {
  return LayerTable(jobs, GatherSortedLayers(world, records));
}

Table LayerTable(const std::vector<Job>& jobs, const std::vector<LayerRecord>& rows) {
  using Row = LayerRecord;
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
