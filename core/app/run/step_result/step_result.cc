// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/step_result/step_result.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/tables/collective_tables.h"
#include "collectives/tables/job_tables.h"
#include "core/app/base/cli/commands.h"
#include "core/app/run/output/progress.h"
#include "core/app/run/recorder/failure_table.h"
#include "core/app/run/recorder/run_attributes.h"
#include "core/app/run/step_result/step_timeline.h"
#include "core/mpi/communicator.h"
#include "io/result/graph_table.h"
#include "io/result/result_writer.h"
#include "transport/run/backends/backend.h"

namespace heddle {
namespace {

/// A run of nothing: its tables of flows, ports and ranks have no rows.
class NoBackend final : public Backend {
 public:
  explicit NoBackend(const Graph& graph) : routes_(graph) {}
  void Drive(FlowDriver* /*driver*/) override {}
  bool carries_collectives() const override { return true; }
  const Routes& routes() const override { return routes_; }
  std::string Describe() const override { return ""; }

 private:
  Routes routes_;
};

Job JobOf(const RecordedStep& recorded, const StepTimeline& line) {
  Job job{"analytical", recorded.workload, recorded.groups, {}, recorded.gpus, {}};
  job.program.ops = line.ops;
  job.placement = recorded.placement;
  return job;
}

std::vector<FinishRecord> FinishesOf(const RecordedStep& recorded, Time end) {
  std::vector<FinishRecord> finishes;
  for (std::uint32_t rank = 0; rank < recorded.gpus.size(); ++rank) {
    FinishRecord record;
    record.rank = rank;
    record.end = end;
    finishes.push_back(record);
  }
  return finishes;
}

void WriteJobTables(const RecordedStep& recorded, const StepTimeline& line, ResultWriter* writer) {
  const Communicator alone = Communicator::Serial();
  const std::vector<Job> jobs = {JobOf(recorded, line)};
  const std::vector<FinishRecord> finishes = FinishesOf(recorded, line.end);
  writer->Write(GatherJobs(alone, jobs, finishes));
  writer->Write(GatherRanks(alone, jobs, finishes));
  const Table operations = OperationTable(jobs);
  writer->Write(operations);
  if (!line.ops.empty()) writer->Write(CollectiveRows(operations).Make(line.parts));
  if (line.ops.empty()) writer->Write(CollectiveRows(operations).Make({}));
  writer->Write(GatherLayers(alone, jobs, line.layers));
  writer->Write(StepTable(jobs, line.steps));
}

void WriteOtherTables(const RecordedStep& recorded, ResultWriter* writer) {
  const Communicator alone = Communicator::Serial();
  const NoBackend none(recorded.graph);
  writer->Write(none.GatherFlows(alone, {}));
  writer->Write(none.FlowRows({})[1]);  // recovery
  const TotalTables totals = none.GatherTotals(alone);
  for (const Table* table : {&totals.drops, &totals.ports, &totals.pause_causes})
    writer->Write(*table);
  for (const Table& table : totals.statistics) writer->Write(table);
  writer->Write(FailureTable({}));
  for (const Table& table : GraphTables(recorded.graph)) writer->Write(table);
  writer->Write(GatherRankWork(alone, none, {}, PeakMemoryMib()));
  writer->Write(ProgressTable({}));
}

RunFigures FiguresOf(const RecordedStep& recorded, const StepTimeline& line) {
  RunFigures figures;
  figures.has_flows = false;
  figures.run_seconds = recorded.seconds;
  figures.end = figures.last_event = line.end;
  figures.collectives = FlowSample();
  return figures;
}

}  // namespace

Graph FabricOfRates(const GpuRates& rates, std::uint32_t gpus, std::uint32_t gpus_per_server,
                    const std::string& gpu_type) {
  const std::uint32_t servers = (gpus + gpus_per_server - 1) / gpus_per_server;
  const auto rate_of = [](double bytes) {
    const double bits = std::clamp(bytes * 8, static_cast<double>(kLowestLinkRate.bps),
                                   static_cast<double>(kHighestLinkRate.bps));
    return BitRate{std::llround(bits)};
  };
  Graph graph(gpus, servers, servers + 1, gpus_per_server, gpu_type);
  const std::uint32_t switches = gpus + servers, core = switches + servers;
  graph.ReserveLinks(2 * std::size_t{gpus} + servers);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const std::uint32_t server = gpu / gpus_per_server;
    graph.AddLink({NodeId(gpu), NodeId(gpus + server), rate_of(rates.nvlink), {}});
    graph.AddLink({NodeId(gpu), NodeId(switches + server), rate_of(rates.network), {}});
  }
  for (std::uint32_t server = 0; server < servers; ++server)
    graph.AddLink(
        {NodeId(switches + server), NodeId(core), rate_of(rates.network * gpus_per_server), {}});
  return graph;
}

void WriteStepResult(const std::string& path, bool force, const RecordedStep& recorded) {
  const StepTimeline line =
      TimelineOf(recorded.workload, recorded.groups, recorded.step, recorded.gpus[0]);
  const RunFigures figures = FiguresOf(recorded, line);
  ResultWriter writer(path, force);
  WriteJobTables(recorded, line, &writer);
  WriteOtherTables(recorded, &writer);
  std::vector<Attribute> root = {{"heddle_version", VersionText()},
                                 {"command_line", recorded.command_line},
                                 {"backend", std::string("analytical")},
                                 {"seed", std::int64_t{1}}};
  root.insert(root.end(), recorded.inputs.begin(), recorded.inputs.end());
  for (Attribute& found : OutcomeAttributes(figures)) root.push_back(std::move(found));
  writer.WriteAttributes(root);
  RunArguments arguments;
  arguments.engine = arguments.partitioner = arguments.grain = "none";
  RunBooks books;
  books.started = UtcNow();
  writer.WriteGroupAttributes("run", RunAttributes(arguments, 1, Time{0}, figures, 0, books));
  writer.Close();
}

}  // namespace heddle
