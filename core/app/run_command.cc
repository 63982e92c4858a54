// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run`: inputs in, completion times out, on any number of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>

#include "collectives/collective_tables.h"
#include "collectives/flow_coordinator.h"
#include "collectives/job_tables.h"
#include "core/app/commands.h"
#include "core/app/controller_summary.h"
#include "core/app/json_log.h"
#include "core/app/path_log.h"
#include "core/app/progress.h"
#include "core/app/run_output.h"
#include "core/app/run_result.h"
#include "core/app/run_setup.h"
#include "core/app/size_estimate.h"
#include "core/app/summary.h"
#include "core/app/terminal.h"
#include "core/app/workload_setup.h"
#include "core/app/workload_summary.h"
#include "io/graph_table.h"
#include "io/result_writer.h"
#include "transport/fabric.h"
#include "transport/flow_tables.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostFlows = 200'000;  // whose rows are kept in memory, for the summary
constexpr double kTerminalInterval = 0.2;     // s between two cuts where the line of progress is rewritten in place

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One run, from the command line to the exit code. Every rank goes through the same steps.
class Run {
 public:
  Run(const RunArguments& arguments, const Communicator& world, JsonLog* log)
      : arguments_(arguments), world_(world), log_(*log), progress_(arguments.quiet || !world.is_root()) {}

  int Execute() {
    environment_ = SharedEnvironment(world_);
    AgreeOnErrors(world_, [this] {
      ResolveTraffic(environment_, &arguments_);
      Prepare();
    });
    OpenOutput();
    if (world_.is_root()) EstimateSize();
    if (world_.is_root()) Warn();
    if (world_.is_root() && !arguments_.quiet) Announce();
    AgreeOnErrors(world_, [this] { LogStart(); });
    // From here on a killed run can be recovered, and a disk that is full has been found.
    if (output_) output_->Flush(Time{0}, {[this] { return TakeRows(Time{0}); }, [this] { return Totals(Gather()); }});
    Simulate();
    fresh_ = TakeFlows(fabric_.get());
    const std::vector<FlowRecord> open = OpenFlows(*fabric_);
    fresh_.flows.insert(fresh_.flows.end(), open.begin(), open.end());
    Keep(fresh_);
    Outcome outcome = Gather();
    outcome.flows = GatherFlows(world_, *fabric_, kept_);
    CollectFigures();
    GatherJobTables();
    if (output_) output_->Finish({[this] { return TakeRows(Time::Max()); }, [&] { return Totals(outcome); }});
    AgreeOnErrors(world_, [&] {
      if (!path_log().empty() && !outcome.controller.empty()) WritePathLog(path_log(), outcome);
    });
    const bool stalled = coordinator_ ? world_.Sum(coordinator_->finished()) < world_.Sum(coordinator_->gpus())
                                      : figures_.books.flows_finished < planned_;
    const std::string waiting = stalled && coordinator_ ? GatherWaiting() : "";
    const std::string deadlock = stalled ? FindDeadlock(world_, *fabric_) : "";
    if (world_.is_root()) Report(outcome);
    log_.Figures(figures_, flows_digest_, arguments_.output);
    if (stalled) {
      throw SharedError(ExitCode::kStalled,
                        world_.is_root() ? waiting + DescribeUnfinished(*input_.graph, outcome, deadlock, CollectiveNames()) : "");
    }
    return 0;
  }

 private:
  void Prepare() {
    LoadRun(arguments_, world_.size(), environment_, &input_);
    const FabricLayout layout{input_.domains.domain_of, input_.domains.nodes, input_.assignment};
    fabric_ = std::make_unique<Fabric>(*input_.graph, input_.transport, layout, world_.rank(), world_.size(),
                                       arguments_.seed, input_.failures);
    if (!input_.jobs.empty()) {
      PrepareJobs();
    } else {
      std::vector<PlannedFlow> plan = PlanFlows(input_.flows, input_.transport.nic.qps_per_connection);
      planned_ = static_cast<std::int64_t>(plan.size());
      figures_.sample = ParseRecording(arguments_.record).SampleOf(plan.size());
      fabric_->Plan(std::move(plan));
      for (const FlowRequest& flow : input_.flows) expected_bytes_ += flow.size.count;
    }
    figures_.flows = planned_;
    ChooseRecords();
    PreparePathLog();
    if (world_.is_root() && !arguments_.output.empty()) about_ = InputAttributes(arguments_, input_);
  }

  void PrepareJobs() {
    const Recording recording = ParseRecording(arguments_.record);
    const bool timeline = !arguments_.output.empty() && recording.KeepsTimeLine(CountSteps(input_.jobs));
    coordinator_ = std::make_unique<FlowCoordinator>(*input_.graph, input_.jobs, input_.collectives, timeline);
    std::uint64_t flows = 0;
    for (const auto& job : coordinator_->context().jobs) flows += job->CountFlows();
    planned_ = static_cast<std::int64_t>(flows) * input_.transport.nic.qps_per_connection;
    figures_.sample = recording.SampleOf(flows);
    fabric_->Drive(coordinator_.get());
  }

  /// What orders the rows of each table that is written while the run goes on.
  static StreamKeys RowKeys() {
    const std::vector<std::string> pair = {"time_ps", "src", "dst", "source_port"};
    return {{"flows", {"src", "number"}},
            {"arrivals", {"src", "number"}},
            {"steps", {"job", "gpu", "start_ps", "end_ps", "operation"}},
            {"monitors/queues", {"time_ps", "node", "port", "priority"}},
            {"monitors/links", {"time_ps", "node", "port"}},
            {"monitors/rates", pair},
            {"monitors/cnps", pair},
            {"pfc", {"time_ps", "node", "port", "priority"}}};
  }

  void EstimateSize() {
    if (arguments_.output.empty()) return;
    const ResultRows rows =
        PlannedRows(input_, planned_, figures_.sample, coordinator_ && coordinator_->context().timeline);
    size_ = DescribeSize(input_, rows);
    output_->set_need(DescribeNeed(rows));
    const std::string warning = WarningOfRoom(arguments_.output, rows);
    if (!warning.empty()) input_.warnings.push_back(warning);
  }

  void Warn() const {
    for (const std::string& line : input_.warnings) PrintWarning(line);
  }

  void LogStart() {
    log_.Start({&arguments_, &input_, world_.size(), planned_, fabric_->Lookahead()});
    for (const std::string& line : input_.warnings) log_.Warning(line);
  }

  void Announce() const {
    std::printf("%s\n", VersionText().c_str());
    std::printf("topology         %s: %u GPUs, %u NVSwitches, %u switches, %zu links\n", arguments_.topology.c_str(),
                input_.graph->gpu_count(), input_.graph->nvswitch_count(), input_.graph->switch_count(),
                input_.graph->links().size());
    if (coordinator_) {
      std::fputs(DescribeJobs(input_.jobs).c_str(), stdout);
      std::printf("flows            %lld%s\n", static_cast<long long>(planned_), DescribeSample().c_str());
    } else {
      std::printf("flows            %s: %zu flows, %s%s\n",
                  (arguments_.trace.empty() ? arguments_.flows : arguments_.trace).c_str(), input_.flows.size(),
                  ToText(Bytes{expected_bytes_}).c_str(), DescribeSample().c_str());
    }
    if (!size_.empty()) std::printf("result           %s\n", size_.c_str());
    for (const std::string& line : input_.environment) std::printf("environment      %s\n", line.c_str());
    std::printf("engine           %s, %u rank%s, %zu domains (%s), lookahead %s\n", arguments_.engine.c_str(), world_.size(),
                world_.size() == 1 ? "" : "s", input_.domains.nodes.size(), arguments_.partitioner.c_str(),
                input_.domains.lookahead == Time::Max() ? "none" : ToText(fabric_->Lookahead()).c_str());
    std::printf("transport        congestion control %s, ECN %s, PFC %s, %s\n", fabric_->context().control.name(),
                fabric_->context().marks ? "on" : "off", input_.transport.pfc.enabled ? "on" : "off",
                input_.transport.reliability.selective_repeat ? "selective repeat" : "go-back-N");
    if (input_.transport.controller.enabled) {
      std::printf("controller       %s\n", DescribeController(input_.transport.controller).c_str());
    }
    if (!input_.failures.empty()) std::printf("failures         %zu changes of links\n", input_.failures.size());
    const std::vector<std::string>& unused = input_.options.given_but_unused();
    if (!unused.empty()) {
      std::string keys;
      for (const std::string& key : unused) keys += (keys.empty() ? "" : " ") + key;
      std::printf("keys not used    %s (heddle options says why)\n", keys.c_str());
    }
    std::fflush(stdout);
  }

  std::string DescribeSample() const {
    const FlowSample sample = figures_.sample;
    if (sample.all()) return "";
    return sample.none() ? ", not kept one by one (--record flows=all)" : fmt::format(", one in {} kept", sample.every);
  }

  void Simulate() {
    figures_.setup_seconds = world_.Max(SecondsSince(start_));
    EngineSetup setup;
    setup.post_office = &fabric_->post_office();
    setup.lookahead = fabric_->Lookahead();
    setup.neighbours = fabric_->NeighbourRanks();
    if (output_ && FlushInterval().ps > 0) {
      setup.report_interval = std::min(setup.report_interval, FlushInterval().seconds());
      setup.cut_share = 1;  // as often as the user wants
    }
    setup.on_cut = [this](const Cut& cut) { OnCut(cut); };
    if (progress_.in_place()) setup.report_interval = std::min(setup.report_interval, kTerminalInterval);
    try {
      report_ = RunEngine(ParseEngineKind(arguments_.engine), world_, setup);
    progress_.Done();
    } catch (const SharedError& error) {
      if (output_ && error.code() == ExitCode::kInvariantViolated) output_->Discard();
      throw;
    }
  }

  /// Rows of flows go to the result, and stay in memory for the summary if they are few.
  void ChooseRecords() {
    const auto every = static_cast<std::int64_t>(figures_.sample.every);
    const bool few = every == 0 || planned_ / every <= kMostFlows;
    figures_.keeps_flows = !path_log().empty() || (few && !arguments_.quiet);
    const bool needed = figures_.keeps_flows || !arguments_.output.empty();
    fabric_->RecordFlows(needed ? figures_.sample : FlowSample{0});
  }

  /// Zero: automatic.
  Time FlushInterval() const { return arguments_.flush == "auto" ? Time{0} : ParseTime(arguments_.flush); }

  void OpenOutput() {
    if (arguments_.output.empty()) return;
    output_ = std::make_unique<RunOutput>(arguments_.output, arguments_.force, FlushInterval(), world_, RowKeys());
  }

  /// What this rank has written down since the last flush, samples until `time`.
  std::vector<Table> TakeRows(Time time) {
    std::vector<Table> rows = {FlowTable(*fabric_, fresh_.flows), ArrivalTable(fresh_.arrivals)};
    fresh_ = FlowRecords();
    if (input_.transport.monitors.any()) {
      for (Table& table : TakeMonitorTables(*fabric_, time)) rows.push_back(std::move(table));
    }
    if (coordinator_ && coordinator_->context().timeline) {
      rows.push_back(StepTable(input_.jobs, std::exchange(coordinator_->context().steps, {})));
    }
    return rows;
  }

  /// For the summary: all rows, or those of flows that did not finish.
  void Keep(const FlowRecords& records) {
    if (figures_.keeps_flows) return kept_.Append(records);
    std::copy_if(records.flows.begin(), records.flows.end(), std::back_inserter(kept_.flows),
                 [](const FlowRecord& flow) { return flow.state != FlowState::kFinished; });
  }

  /// Under ns-3's engines a domain may have run beyond the cut: rows wait for the end.
  void FlushAt(const Cut& cut, const ProgressState& state) {
    if (!output_ || ParseEngineKind(arguments_.engine) != EngineKind::kDomain || !output_->due()) return;
    fresh_ = TakeFlows(fabric_.get());
    Keep(fresh_);
    figures_.end = figures_.last_event = cut.now;
    progress_rows_.push_back({SecondsSince(start_), cut.now, state.flows_finished, state.packet_hops, state.events,
                              state.blocked_seconds / std::max(state.wall_seconds, 1e-9), state.memory_mib});
    GatherJobTables();
    output_->Flush(cut.now, {[&] { return TakeRows(cut.now); }, [this] { return Totals(Gather()); }});
  }

  /// All of the result but the rows; whole at the root. Collective.
  RunTotals Totals(const Outcome& outcome) {
    RunTotals totals;
    Table ranks = GatherRankWork(world_, *fabric_, report_, PeakMemoryMib());
    flows_digest_ = static_cast<std::uint64_t>(world_.Sum(static_cast<std::int64_t>(fabric_->flow_digest())));
    if (!world_.is_root()) return totals;
    totals.tables = job_tables_;
    for (const Table* table : {&outcome.drops, &outcome.ports, &outcome.pause_causes}) totals.tables.push_back(*table);
    totals.tables.insert(totals.tables.end(), outcome.statistics.begin(), outcome.statistics.end());
    totals.tables.insert(totals.tables.end(), outcome.controller.begin(), outcome.controller.end());
    totals.tables.push_back(ShapeTable(*input_.graph));
    totals.tables.push_back(LinkTable(*input_.graph));
    totals.tables.push_back(std::move(ranks));
    totals.tables.push_back(ProgressTable(progress_rows_));
    totals.attributes = about_;
    const std::vector<Attribute> found = OutcomeAttributes(figures_, flows_digest_, figures_.sample.text());
    totals.attributes.insert(totals.attributes.end(), found.begin(), found.end());
    totals.run = RunAttributes(arguments_, world_.size(), fabric_->Lookahead(), figures_, output_->seconds(), started_);
    return totals;
  }

  void OnCut(const Cut& cut) {
    figures_.books = CheckConservation(world_, *fabric_);
    const DomainBooks& books = figures_.books;
    ProgressState state{cut.now, books.flows_finished, planned_, books.link_packets};
    AddEngineFigures(world_, cut, fabric_->events(), &state);
    // Data and ACKs received, in the proportion of a full packet: good enough for a share.
    const double per_payload = 1 + static_cast<double>(kHeaderBytes + kAckBytes) / static_cast<double>(input_.transport.payload);
    const auto on_wire = static_cast<std::int64_t>(static_cast<double>(expected_bytes_) * per_payload);
    state.done = coordinator_ ? books.flows_finished : books.received_bytes;
    state.expected = coordinator_ ? planned_ : on_wire;
    if (state.wall_seconds > 0) log_.Progress(progress_.Show(state));  // ns-3's engines have no clock, and no cut but the end
    FlushAt(cut, state);
  }

  void CollectFigures() {
    figures_.run_seconds = world_.Max(report_.wall_seconds);
    figures_.events = static_cast<std::uint64_t>(world_.Sum(static_cast<std::int64_t>(fabric_->events())));
    figures_.blocked_share = world_.AllGather(report_.blocked_seconds / std::max(report_.wall_seconds, 1e-9));
    figures_.memory_mib = world_.AllGather(PeakMemoryMib());
    flows_digest_ = static_cast<std::uint64_t>(world_.Sum(static_cast<std::int64_t>(fabric_->flow_digest())));
    const Time fabric_end{world_.Max(fabric_->now().ps)};
    if (coordinator_) {
      // A message smaller than its number of queue pairs has fewer of them: how many there were is known now.
      if (input_.transport.nic.qps_per_connection > 1) figures_.flows = figures_.books.flows_started;
      figures_.end = Time{world_.Max(coordinator_->end().ps)};
      figures_.last_event = std::max(figures_.end, fabric_end);
      return;
    }
    figures_.end = figures_.last_event = fabric_end;
  }

  /// All but the flows.
  Outcome Gather() const {
    Outcome outcome{Table(), GatherDrops(world_, *fabric_), GatherPorts(world_, *fabric_),
                    GatherPauseCauses(world_, *fabric_), ControllerTables(*fabric_), GatherFlowStatistics(world_, *fabric_)};
    outcome.statistics.push_back(GatherTierLoad(world_, *fabric_));
    return outcome;
  }

  /// What the jobs did; the whole is at the root.
  void GatherJobTables() {
    job_tables_.clear();
    if (!coordinator_) return;
    const ExecutionContext& found = coordinator_->context();
    const AlgorithmOf algorithm = [this](std::uint32_t job, std::uint32_t op, std::uint32_t group) {
      return coordinator_->context().jobs[job]->Collective(op, group).choice;
    };
    job_tables_.push_back(GatherJobs(world_, input_.jobs, found.finishes));
    job_tables_.push_back(GatherCollectives(world_, input_.jobs, found.collectives, algorithm));
    job_tables_.push_back(GatherLayers(world_, input_.jobs, found.layers));
    job_tables_.push_back(GatherRanks(world_, input_.jobs, found.finishes));
    job_tables_.push_back(OperationTable(input_.jobs));
  }

  /// The GPUs with the lowest numbers that wait, whichever ranks they are on; the text is at the root.
  std::string GatherWaiting() const {
    constexpr std::size_t kMostLines = 10;
    const std::int64_t open = world_.Sum(coordinator_->gpus()) - world_.Sum(coordinator_->finished());
    std::string mine;
    for (const auto& [gpu, line] : coordinator_->Waiting(kMostLines)) mine += fmt::format("{:010}  {}\n", gpu.value, line);
    std::vector<std::string> lines;
    for (const std::vector<char>& part : world_.Gather({mine.begin(), mine.end()})) {
      for (auto at = part.begin(); at != part.end();) {
        const auto end = std::find(at, part.end(), '\n');
        lines.emplace_back(at, end);
        at = end + 1;
      }
    }
    std::sort(lines.begin(), lines.end());
    lines.resize(std::min(lines.size(), kMostLines));
    std::string text = fmt::format("{} GPU{} did not come to the end of {} program{}:", open, open == 1 ? "" : "s",
                                   open == 1 ? "its" : "their", open == 1 ? "" : "s");
    for (const std::string& line : lines) text += "\n" + line.substr(10);
    if (open > static_cast<std::int64_t>(kMostLines)) text += fmt::format("\n  ... and {} more", open - kMostLines);
    return text + "\n";
  }

  /// What a flow of a job belongs to; empty for traces.
  NameOfCollective CollectiveNames() const {
    if (!coordinator_) return nullptr;
    return [this](std::uint32_t job, std::uint32_t operation) {
      return fmt::format("job {}, {}", job, coordinator_->context().jobs[job]->NameOf(operation));
    };
  }

  const std::string& path_log() const { return input_.transport.controller.log; }

  void PreparePathLog() {
    if (path_log().empty()) return;
    if (!input_.transport.controller.enabled) {
      input_.warnings.push_back("controller.log: nothing is written, as there is no controller (CC_ENABLE=1 or "
                                "--set controller.enable=true)");
      return;
    }
    if (!figures_.sample.all()) {
      throw UserError("controller.log: not all choices are kept, as not all flows are. Expected: --record flows=all");
    }
    if (world_.is_root()) CheckPathLog(path_log(), arguments_);  // nobody else writes it, or need have its folder
  }

  void Report(const Outcome& outcome) const {
    if (arguments_.quiet) return;
    std::fputs(Summarize(*input_.graph, fabric_->routes(), outcome, figures_).c_str(), stdout);
    if (fabric_->controller() != nullptr) std::fputs(SummarizeController(fabric_->controller()->figures()).c_str(), stdout);
    if (coordinator_) std::fputs(SummarizeJobs(job_tables_[0], job_tables_[1], job_tables_[2]).c_str(), stdout);
    std::printf("digest of flows  %016llx\n", static_cast<unsigned long long>(flows_digest_));
    if (!arguments_.output.empty()) std::printf("result           %s\n", arguments_.output.c_str());
    if (!path_log().empty() && fabric_->controller() != nullptr) std::printf("path log         %s\n", path_log().c_str());
    std::fflush(stdout);
  }

  RunArguments arguments_;
  const Communicator& world_;
  Clock::time_point start_ = Clock::now();
  Environment environment_;
  RunInput input_;
  std::unique_ptr<FlowCoordinator> coordinator_;  ///< of jobs; null for traces
  std::unique_ptr<Fabric> fabric_;
  JsonLog& log_;
  Progress progress_;
  EngineReport report_;
  RunFigures figures_;
  std::int64_t expected_bytes_ = 0;
  std::int64_t planned_ = 0;  ///< queue pairs
  std::string size_;          ///< that the result is expected to have; empty without one
  std::uint64_t flows_digest_ = 0;
  FlowRecords fresh_, kept_;       ///< not yet written; all
  std::vector<Table> job_tables_;  ///< jobs, collectives, layers, ...
  std::vector<Attribute> about_;   ///< what is run, at the root
  std::vector<ProgressRow> progress_rows_;
  std::string started_ = UtcNow();
  std::unique_ptr<RunOutput> output_;
};

[[noreturn]] void EndAtOnce(const Communicator& world, ExitCode code) {
  std::fflush(nullptr);
  if (world.size() == 1) std::_Exit(static_cast<int>(code));
  Communicator::Abort(code);
}

/// A log that cannot be written must not hide the error that it should tell of.
void LogEnd(const Error& error, JsonLog* log) {
  try {
    log->Error(error.code(), error.what());
    log->End(error.code());
  } catch (const FileError& failure) {
    PrintError(failure.what());
  }
}

/// Errors that all ranks share end in order, with the root's words; one rank's own error ends all the others.
int ExecuteOnAllRanks(const RunArguments& arguments) {
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(ParseEngineKind(arguments.engine), &argc, &argv);
  const Communicator world = Communicator::World();
  JsonLog log;
  try {
    AgreeOnErrors(world, [&] {
      if (world.is_root()) log = OpenJsonLog(arguments);
    });
    Run(arguments, world, &log).Execute();
    AgreeOnErrors(world, [&] { log.End(ExitCode::kDone); });
    return static_cast<int>(ExitCode::kDone);
  } catch (const SharedError& error) {
    if (world.is_root()) PrintError(error.what());
    LogEnd(error, &log);
    if (Hdf5CannotEnd()) EndAtOnce(world, error.code());
    return static_cast<int>(error.code());
  } catch (const Error& error) {
    PrintError(fmt::format("rank {}: {}", world.rank().value, error.what()));
    LogEnd(error, &log);
    Communicator::Abort(error.code());
  } catch (const std::bad_alloc&) {
    PrintError(fmt::format("rank {}: out of memory", world.rank().value));
    Communicator::Abort(ExitCode::kTooLittleMemory);
  }
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments) {
  RunArguments run;
  if (!ParseRunArguments(arguments, &run)) return 0;
  ParseEngineKind(run.engine);
  return ExecuteOnAllRanks(run);
}

}  // namespace heddle
