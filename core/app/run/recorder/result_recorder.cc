// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/result_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "collectives/tables/collective_tables.h"
#include "collectives/tables/job_tables.h"
#include "collectives/tables/phase_tables.h"
#include "collectives/tables/stand_ins.h"
#include "core/app/run/estimate/memory_estimate.h"
#include "core/app/run/estimate/size_estimate.h"
#include "core/app/run/recorder/failure_table.h"
#include "core/mpi/gather_records.h"
#include "core/records/collective_rows.h"
#include "io/result/graph_table.h"
#include "io/row_log/collective_parts.h"
#include "io/table/table_rows.h"
#include "transport/model/record/sorted_flows.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostFlows = 200'000;  // rows kept in memory for the summary, at most
constexpr std::uint64_t kMostCollectives = 50'000;

constexpr int kCollectives = 1, kLayers = 2;  ///< places in job_tables_

/// The sort keys of each table that is written during the run.
StreamKeys RowKeys() {
  const std::vector<std::string> pair = {"time_ps", "src", "dst", "source_port"};
  return {{"flows", {"src", "number"}},
          {"arrivals", {"src", "number"}},
          {"recovery", {"src", "number"}},
          {"steps", {"job", "gpu", "start_ps", "end_ps", "operation"}},
          {kCollectivePartTable, {"job", "operation", "group"}},
          {"monitors/queues", {"time_ps", "node", "port", "priority"}},
          {"monitors/links", {"time_ps", "node", "port"}},
          {"monitors/rates", pair},
          {"monitors/cnps", pair},
          {"pfc", {"time_ps", "node", "port", "priority"}},
          {"monitors/cast", {"time_ps", "src", "dst", "connection", "priority", "queue_pair"}}};
}

}  // namespace

ResultRecorder::ResultRecorder(const RecordedRun& run) : run_(run), least_times_(*run.input.graph) {
  ChooseFlows();
  ChooseCollectives();
  if (run_.arguments.output.empty()) return;
  AgreeOnErrors(run_.world, [this] {
    if (!run_.world.is_root()) return;
    about_ = InputAttributes(run_.arguments, run_.input);
    identity_ = IdentityOf(run_.arguments, run_.input, about_);
  });
}

ResultRows ResultRecorder::RowsToWrite() const {
  if (run_.arguments.output.empty()) return {};
  const bool time_line = run_.programs != nullptr && run_.programs->timeline;
  const RunFigures& figures = run_.figures;
  return PlannedRows(run_.input, {figures.flows, figures.sample, figures.planned_collectives,
                                  figures.collectives.value_or(FlowSample{0}), time_line});
}

void ResultRecorder::Open(const std::optional<FlushPoint>& resumed) {
  if (run_.arguments.output.empty()) return;
  resumed_ = resumed.has_value();
  output_ = std::make_unique<ResultFiles>(run_.arguments.output, run_.arguments.force,
                                          flush_interval(), run_.world, RowKeys(), resumed);
}

/// Rows of flows go to the result, and also stay in memory for the summary if there are few.
void ResultRecorder::ChooseFlows() {
  RunFigures& figures = run_.figures;
  const auto every = static_cast<std::int64_t>(figures.sample.every);
  const bool few = every == 0 || figures.flows / every <= kMostFlows;
  const bool path_log = !run_.input.transport.controller.log.empty();
  figures.paths_by_flow = run_.input.transport.sprayed_by().empty();
  figures.keeps_flows = path_log || (few && !run_.arguments.quiet);
  const bool needed = figures.keeps_flows || !run_.arguments.output.empty();
  run_.backend.RecordFlows(needed ? figures.sample : FlowSample{0});
}

/// Without a result, collectives are recorded for the summary only, if it can list them.
void ResultRecorder::ChooseCollectives() {
  if (run_.programs == nullptr) return;
  too_many_ = run_.figures.planned_collectives > kMostCollectives;
  run_.programs->records_collectives =
      run_.arguments.output.empty() ? !too_many_ : !run_.figures.collectives->none();
}

bool ResultRecorder::GathersCollectives() const {
  return run_.programs != nullptr && run_.programs->records_collectives &&
         !run_.arguments.output.empty();
}

void ResultRecorder::DescribeRecords(EstimateSource* source) const {
  source->flushes = !run_.arguments.output.empty() &&
                    ParseEngineKind(run_.arguments.engine) == EngineKind::kDomain;
  if (run_.programs == nullptr || !run_.programs->records_collectives) return;
  source->collectives = static_cast<double>(run_.figures.planned_collectives);
  if (!too_many_) source->shown_collectives = source->collectives;
}

bool ResultRecorder::HasManyRecords() const {
  if (run_.programs == nullptr) return false;
  const ExecutionContext& found = *run_.programs;
  const std::size_t most = std::max(found.collectives.size(), found.steps.size());
  return most * MostOfOne(found) > kMostUnflushed;
}

std::string ResultRecorder::CollectivesNote() const {
  if (run_.programs == nullptr || !run_.figures.collectives) return "";
  const bool result = !run_.arguments.output.empty();
  const FlowSample sample = *run_.figures.collectives;
  if (result && sample.none()) return "collectives      not recorded (--record collectives=all)\n";
  if (too_many_) {
    return fmt::format(
        "collectives      too many to list here; {}\n",
        result ? "heddle export RESULT --nccl-tests - lists them" : "a result (-o FILE) has them");
  }
  if (result && !sample.all())
    return fmt::format("                 of a sample: one operation in {}\n", sample.every);
  return "";
}

std::string ResultRecorder::EstimateSize(std::vector<std::string>* warnings) {
  if (run_.arguments.output.empty()) return "";
  const ResultRows rows = RowsToWrite();
  if (output_) output_->set_need(DescribeNeed(rows));
  const std::string warning = WarningOfRoom(run_.arguments.output, rows);
  if (!warning.empty()) warnings->push_back(warning);
  return DescribeSize(run_.input, rows, run_.figures.has_flows);
}

Time ResultRecorder::flush_interval() const {
  const RunArguments& arguments = run_.arguments;
  return arguments.output.empty() || arguments.flush == "auto" ? Time{0}
                                                               : ParseTime(arguments.flush);
}

void ResultRecorder::Start(Time begin) {
  if (!output_) return;
  GatherJobTables();
  output_->Append([this](const Sink& to) { WriteFlows({}, to); });
  const TrafficEnd end = EndSoFar();
  output_->Flush(begin, {[&](const Sink& to) { TakeRows(end, false, to); },
                         [this] { return Totals(GatherTotals(), {}); }});
  output_->ExpectOneFolder();
}

/// Under ns-3's engines a domain may be past the cut, so rows are not flushed before the end.
void ResultRecorder::FlushAt(const ProgressState& state, double wall_seconds, bool now) {
  if (!output_ || ParseEngineKind(run_.arguments.engine) != EngineKind::kDomain) return;
  TakeFlows({});
  if (!now && !output_->due(HasManyRecords())) return;
  run_.figures.end = run_.figures.last_event = state.now;
  books_.progress.push_back(
      {books_.earlier_seconds + wall_seconds, state.now, state.flows_finished, state.packet_hops,
       state.events, state.blocked_seconds / std::max(state.wall_seconds, 1e-9), state.memory_mib});
  GatherJobTables();
  const TrafficEnd end = EndSoFar();
  output_->Flush(state.now, {[&](const Sink& to) { TakeRows(end, false, to); },
                             [this] { return Totals(GatherTotals(), {}); }});
  if (now) output_->Sync();
}

Outcome ResultRecorder::GatherOutcome() {
  TakeFlows(run_.backend.OpenFlows());
  Outcome outcome = GatherTotals();
  outcome.flows = run_.backend.GatherFlows(run_.world, kept_);
  std::vector<FlowRecord> recovered;
  std::copy_if(kept_.flows.begin(), kept_.flows.end(), std::back_inserter(recovered),
               [](const FlowRecord& flow) { return flow.recovery.any(); });
  outcome.recovered = GatherRecords(run_.world, recovered);
  return outcome;
}

void ResultRecorder::Finish(const Outcome& outcome, const EngineReport& report,
                            const std::function<void()>& before_result) {
  GatherJobTables();
  if (output_) {
    const TrafficEnd end = EndSoFar();
    output_->Finish(
        {[&](const Sink& to) { TakeRows(end, true, to); }, [&] { return Totals(outcome, report); }},
        before_result, [this](const Table& block) { Watch(block); });
    for (auto& [name, rows] : samples_) rows = run_.world.Sum(rows);
  } else {
    before_result();
  }
  TakeShownCollectives();
}

/// Takes the result's collectives for the summary, or without a result all that were recorded.
void ResultRecorder::TakeShownCollectives() {
  if (run_.programs == nullptr) return;
  if (!output_) {
    shown_ =
        GatherCollectives(run_.world, run_.input.jobs,
                          OfAllGroups(*run_.programs, run_.programs->TakeCollectives()), Plans());
  }
  if (!shown_.columns.empty()) job_tables_[kCollectives] = std::move(shown_);
}

std::vector<std::string> ResultRecorder::EmptyMonitors() const {
  std::vector<std::string> empty;
  for (const auto& [name, rows] : samples_) {
    if (rows == 0 && !resumed_) empty.push_back(name);
  }
  if (run_.input.transport.monitors.all && empty.size() < samples_.size()) empty.clear();
  return empty;
}

/// Keeps the collectives that go into the result for the summary, unless they are too many.
void ResultRecorder::Watch(const Table& block) {
  if (block.name != kCollectiveTable || too_many_) return;
  if (shown_.columns.empty()) shown_ = WithoutRows(block);
  AppendRows(block, 0, CheckedRows(block), &shown_);
}

void ResultRecorder::Discard() {
  if (output_) output_->Discard();
}

void ResultRecorder::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kRecords, MemoryOf(kept_.flows) + MemoryOf(kept_.arrivals));
  if (output_) account->Add(Structure::kOutput, output_->memory());
}

/// Takes the flows that ended since the last call, and the `open` ones, for the result and the
/// summary. Collective.
void ResultRecorder::TakeFlows(const std::vector<FlowRecord>& open) {
  const std::vector<FlowArrival> no_arrivals;
  std::vector<FlowLists> lists = run_.backend.NewFlows();
  lists.push_back({&open, &no_arrivals});
  if (run_.figures.keeps_flows) {
    for (const FlowLists& list : lists) kept_.Append(list);
  }
  if (output_) {
    output_->Append([&](const Sink& to) { WriteFlows(lists, to); });
  } else if (!run_.figures.keeps_flows) {
    for (const FlowLists& list : lists) KeepUnfinished(*list.flows);
  }
  run_.backend.DropFlows();
}

/// Writes these flows, and a table of each kind if there are none.
void ResultRecorder::WriteFlows(std::vector<FlowLists> lists, const Sink& to) {
  constexpr std::size_t kBlock = 2048;
  SortedFlows sorted(std::move(lists), kBlock);
  FlowRecords block;
  while (sorted.Next(&block)) {
    for (const Table& table : run_.backend.FlowRows(block)) to(table);
    if (!run_.figures.keeps_flows) KeepUnfinished(block.flows);
  }
}

/// For the summary, which lists them in any case.
void ResultRecorder::KeepUnfinished(const std::vector<FlowRecord>& flows) {
  std::copy_if(flows.begin(), flows.end(), std::back_inserter(kept_.flows),
               [](const FlowRecord& flow) { return flow.state != FlowState::kFinished; });
}

/// The rows that this rank recorded since the last flush; samples before `end`, all if `is_end`.
void ResultRecorder::TakeRows(TrafficEnd end, bool is_end, const Sink& to) {
  if (run_.input.transport.monitors.any()) {
    for (const Table& table : run_.backend.TakeSamples(end, is_end)) {
      samples_[table.name] +=
          static_cast<std::int64_t>(GetColumn<std::int64_t>(table, "time_ps").size());
      to(table);
    }
  }
  if (run_.programs == nullptr) return;
  if (run_.programs->timeline) {
    const std::vector<StepRecord> steps = std::exchange(run_.programs->steps, {});
    to(StepTable(run_.input.jobs, OfAllRanks(*run_.programs, steps)));
  }
  to(TakeCollectives());
}

/// What this rank saw of collectives since the last flush. A sample has operations with all their
/// groups.
Table ResultRecorder::TakeCollectives() {
  std::vector<CollectiveRecord> records = run_.programs->TakeCollectives();
  const FlowSample sample = *run_.figures.collectives;
  const auto left_out = [&](const CollectiveRecord& record) {
    return !sample.KeepsKey((std::uint64_t{record.job} << 32) | record.operation);
  };
  records.erase(std::remove_if(records.begin(), records.end(), left_out), records.end());
  return CollectivePartTable(
      PartsOf(run_.input.jobs, OfAllGroups(*run_.programs, records), Plans()));
}

/// Real machines have rates of their own, so theirs have no least time.
PlanOf ResultRecorder::Plans() {
  const bool simulated = run_.arguments.backend != "physical";
  return [this, simulated](std::uint32_t job, std::uint32_t op, std::uint32_t group) {
    PlacedJob& placed = *run_.programs->jobs[job];
    const std::uint32_t stand_in = placed.StandInFor(op, group);
    const PlannedCollective& collective = placed.Collective(op, stand_in);
    const Time ideal = simulated ? least_times_.Of(collective, job, stand_in) : Time{};
    return CollectivePlan{collective.choice, ideal};
  };
}

/// Gathers all totals except those of the flows.
Outcome ResultRecorder::GatherTotals() {
  run_.figures.flows_digest = static_cast<std::uint64_t>(
      run_.world.Sum(static_cast<std::int64_t>(run_.backend.flow_digest())));
  return {run_.backend.GatherTotals(run_.world), Table(), {}};
}

/// Gathers the tables of the jobs at the root.
void ResultRecorder::GatherJobTables() {
  job_tables_.clear();
  if (run_.programs == nullptr) return;
  const Communicator& world = run_.world;
  const std::vector<Job>& jobs = run_.input.jobs;
  const ExecutionContext& found = *run_.programs;
  const std::vector<FinishRecord> finishes = OfAllRanks(found, found.finishes);
  job_tables_.push_back(GatherJobs(world, jobs, finishes));
  job_tables_.push_back(CollectiveRows(OperationTable(jobs)).Make({}));  // filled at the end
  // A summary needs no more than the GPUs that stand for others (StepTimes).
  layers_ = GatherSortedLayers(world, found.layers);
  job_tables_.push_back(LayerTable(jobs, layers_));
  job_tables_.push_back(GatherRanks(world, jobs, finishes));
  job_tables_.push_back(OperationTable(jobs));
  if (found.options.phased.on())
    job_tables_.push_back(GatherPhaseDelays(world, jobs, found.phase_delays));
}

LongTable ResultRecorder::Layers() const {
  const ExecutionContext& programs = *run_.programs;
  const std::vector<Job>& jobs = run_.input.jobs;
  const LayerBlocks all(programs, jobs, layers_);
  LongTable table{LayerTable(jobs, {}), all.rows(), {}, nullptr};
  for (const Column& column : table.header.columns) {
    const bool text = std::holds_alternative<std::vector<std::string>>(column.data);
    table.text_bytes.push_back(text ? all.longest_name() : 0);
  }
  table.blocks = [this, &programs, &jobs] {
    auto blocks = std::make_shared<LayerBlocks>(programs, jobs, layers_);
    return [blocks] { return blocks->Next(); };
  };
  return table;
}

/// All of the result except its rows, at the root. Collective.
RunTotals ResultRecorder::Totals(const Outcome& outcome, const EngineReport& report) {
  const Communicator& world = run_.world;
  RunTotals totals;
  Table ranks = GatherRankWork(world, run_.backend, report, PeakMemoryMib());
  std::vector<Table> own = run_.own_tables();
  if (!world.is_root()) return totals;
  for (std::size_t i = 0; i < job_tables_.size(); ++i) {  // collectives are rows of the logs
    if (i != kCollectives && i != kLayers) totals.tables.push_back(job_tables_[i]);
  }
  if (!job_tables_.empty()) totals.long_tables.push_back(Layers());
  for (const Table* table : {&outcome.drops, &outcome.ports, &outcome.pause_causes})
    totals.tables.push_back(*table);
  totals.tables.insert(totals.tables.end(), outcome.statistics.begin(), outcome.statistics.end());
  totals.tables.insert(totals.tables.end(), outcome.controller.begin(), outcome.controller.end());
  for (Table& table : own) totals.tables.push_back(std::move(table));
  totals.tables.push_back(FailureTable(run_.input.failure_events));
  for (Table& table : GraphTables(*run_.input.graph)) totals.tables.push_back(std::move(table));
  totals.tables.push_back(std::move(ranks));
  totals.tables.push_back(ProgressTable(books_.progress));
  totals.attributes = about_;
  const std::vector<Attribute> found = OutcomeAttributes(run_.figures);
  totals.attributes.insert(totals.attributes.end(), found.begin(), found.end());
  totals.run = RunAttributes(run_.arguments, world.size(), run_.backend.Lookahead(), run_.figures,
                             output_->seconds(), books_);
  for (const RunFact& fact : run_.backend.RunFacts())
    std::visit([&](const auto& value) { totals.run.push_back({fact.name, value}); }, fact.value);
  totals.run.push_back({kIdentityAttribute, IdentityDigest(identity_)});
  const std::vector<Attribute> expected = EstimateAttributes(run_.estimate);
  totals.run.insert(totals.run.end(), expected.begin(), expected.end());
  return totals;
}

}  // namespace heddle
