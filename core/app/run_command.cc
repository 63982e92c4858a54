// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run`: inputs in, completion times out, on any number of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "collectives/flow_coordinator.h"
#include "core/app/commands.h"
#include "core/app/controller_summary.h"
#include "core/app/input_agreement.h"
#include "core/app/job_setup.h"
#include "core/app/json_log.h"
#include "core/app/lost_rank.h"
#include "core/app/memory_report.h"
#include "core/app/output_text.h"
#include "core/app/path_log.h"
#include "core/app/patience_option.h"
#include "core/app/profile_arguments.h"
#include "core/app/profile_file.h"
#include "core/app/profile_record.h"
#include "core/app/progress.h"
#include "core/app/recording.h"
#include "core/app/run_announcement.h"
#include "core/app/run_checkpoint.h"
#include "core/app/run_end.h"
#include "core/app/run_flags.h"
#include "core/app/run_forecast.h"
#include "core/app/run_input.h"
#include "core/app/run_record.h"
#include "core/app/run_stall.h"
#include "core/app/run_summary.h"
#include "core/app/terminal.h"
#include "core/app/traffic_sources.h"
#include "core/app/workload_summary.h"
#include "core/engine_session.h"
#include "io/hdf5_library.h"
#include "transport/fabric.h"

namespace heddle {
namespace {

constexpr double kTerminalInterval =
    0.2;  // s between two cuts where the line of progress is rewritten in place

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run, from the command line to the exit code. Every rank goes through the same steps.
class Run {
 public:
  Run(const RunArguments& arguments, const Communicator& world, JsonLog* log,
      std::optional<SignalScope>* signals)
      : arguments_(arguments),
        world_(world),
        log_(*log),
        signals_(signals),
        progress_(arguments.quiet || !world.is_root()) {}

  int Execute() {
    environment_ = SharedEnvironment(world_);
    AgreeOnErrors(world_, [this] { ResolveTraffic(environment_, &arguments_); });
    AgreeOnInputs(world_, GivenInputs(arguments_));
    AgreeOnErrors(world_, [this] { Prepare(); });
    AgreeOnInputs(world_, DerivedInputs(input_));
    record_ = std::make_unique<RunRecord>(RecordedRun{
        arguments_, input_, world_, *fabric_, coordinator_.get(), figures_, forecast_.estimate()});
    Estimate();
    if (arguments_.estimate) return ReportEstimate();
    const std::optional<FlushPoint> resumed = Restore();
    if (resumed) progress_.GoOn(StateNow());
    record_->Open(resumed);
    if (!resumed && checkpoint_ && world_.is_root()) RemoveCheckpoint(arguments_.output);
    if (world_.is_root()) Introduce();
    AgreeOnErrors(world_, [this] { LogStart(); });
    record_->Start(resumed ? resumed->until : Time{0});
    Simulate();
    if (checkpoint_) checkpoint_->AfterRun();
    if (!arguments_.profile.empty()) WriteProfile();
    if (report_.stopped) return 0;
    const Outcome outcome = record_->GatherOutcome();
    CollectFigures();
    const bool stalled = Stalled();
    if (stalled) figures_.deadlock = FindDeadlock(world_, *fabric_);
    record_->Finish(outcome, report_);
    if (!arguments_.output.empty() && world_.is_root()) RemoveCheckpoint(arguments_.output);
    AgreeOnErrors(world_, [&] {
      if (!path_log().empty() && !outcome.controller.empty()) WritePathLog(path_log(), outcome);
    });
    const std::string waiting = stalled && coordinator_ ? GatherWaiting(world_, *coordinator_) : "";
    if (world_.is_root()) Report(outcome);
    const EstimateError error =
        forecast_.Report(world_, figures_, arguments_.quiet, arguments_.memory_report);
    log_.Figures(figures_, arguments_.output, error);
    if (stalled) {
      const NameOfCollective names = CollectiveNames(coordinator_.get());
      throw SharedError(ExitCode::kStalled,
                        world_.is_root() ? waiting + DescribeUnfinished(*input_.graph, outcome,
                                                                        figures_.deadlock, names)
                                         : "");
    }
    return 0;
  }

  /// For the message of a run that a rank was lost of.
  LostRun State() const {
    return {fabric_ ? fabric_->now() : Time{0}, arguments_.output,
            checkpoint_ && checkpoint_->saved(), record_ && record_->flushed()};
  }

 private:
  void Prepare() {
    LoadRun(arguments_, world_.size(), environment_, &input_);
    const FabricLayout layout{input_.domains.domain_of, input_.domains.nodes, input_.assignment};
    fabric_ = std::make_unique<Fabric>(*input_.graph, input_.transport, layout, world_.rank(),
                                       world_.size(), arguments_.seed, input_.failures);
    if (!input_.jobs.empty()) {
      PrepareJobs();
    } else {
      std::vector<PlannedFlow> plan =
          PlanFlows(input_.flows, input_.transport.nic.qps_per_connection);
      planned_ = static_cast<std::int64_t>(plan.size());
      figures_.sample = ParseRecording(arguments_.record).SampleOf(plan.size());
      fabric_->Plan(std::move(plan));
      for (const FlowRequest& flow : input_.flows) expected_bytes_ += flow.size.count;
    }
    figures_.flows = planned_;
    PreparePathLog();
    if (!arguments_.profile.empty() && world_.is_root()) CheckProfilePath(arguments_);
  }

  void PrepareJobs() {
    const Recording recording = ParseRecording(arguments_.record);
    const bool timeline =
        !arguments_.output.empty() && recording.KeepsTimeLine(CountSteps(input_.jobs));
    coordinator_ =
        std::make_unique<FlowCoordinator>(*input_.graph, input_.jobs, input_.collectives, timeline);
    std::uint64_t flows = 0;
    for (const auto& job : coordinator_->context().jobs) flows += job->CountFlows();
    planned_ = static_cast<std::int64_t>(flows) * input_.transport.nic.qps_per_connection;
    figures_.sample = recording.SampleOf(flows);
    fabric_->Drive(coordinator_.get());
  }

  /// What the run will take; refuses it if the memory will not do. Before anything is written.
  void Estimate() {
    const auto every = static_cast<std::int64_t>(figures_.sample.every);
    EstimateSource source;
    source.input = &input_;
    source.fabric = fabric_.get();
    source.coordinator = coordinator_.get();
    source.rows = record_->RowsToWrite();
    if (figures_.keeps_flows && every > 0) source.kept_rows = planned_ / every;
    source.now = AccountMemory({});
    forecast_.Estimate(world_, source, !arguments_.estimate && !arguments_.ignore_memory);
  }

  int ReportEstimate() {
    AgreeOnErrors(world_, [this] { LogStart(); });
    if (!world_.is_root()) return 0;
    for (const std::string& line : input_.warnings) PrintWarning(line);
    const std::string size = record_->EstimateSize(&input_.warnings);
    if (!arguments_.quiet) std::fputs(DescribeEstimate(forecast_.estimate(), size).c_str(), stdout);
    std::fflush(stdout);
    return 0;
  }

  /// For people: the root says what is about to happen.
  void Introduce() {
    const std::string size = record_->EstimateSize(&input_.warnings);
    for (const std::string& line : input_.warnings) PrintWarning(line);
    if (arguments_.quiet) return;
    const PlannedRun run{arguments_,      input_,   *fabric_,
                         world_.size(),   planned_, Bytes{expected_bytes_},
                         figures_.sample, size};
    std::fputs(Announce(run).c_str(), stdout);
    std::fputs(DescribeShortly(forecast_.estimate()).c_str(), stdout);
    std::fflush(stdout);
  }

  void LogStart() {
    log_.Start({&arguments_, &input_, world_.size(), planned_, fabric_->Lookahead(),
                &forecast_.estimate()});
    for (const std::string& line : input_.warnings) log_.Warning(line);
  }

  void Simulate() {
    figures_.setup_seconds = world_.Max(SecondsSince(start_));
    EngineSetup setup;
    setup.post_office = &fabric_->post_office();
    setup.lookahead = fabric_->Lookahead();
    setup.two_sides = fabric_->two_sides();
    setup.neighbours = fabric_->NeighbourRanks();
    setup.exchange = ParseExchangeKind(arguments_.exchange);
    if (record_->flush_interval().ps > 0) {
      setup.report_interval = std::min(setup.report_interval, record_->flush_interval().seconds());
      setup.cut_share = 1;  // as often as the user wants
    }
    if (!arguments_.profile.empty()) {
      setup.profile = &profile_;
      fabric_->CountNotices();
    }
    SetLimits(arguments_, &setup);
    setup.on_cut = [this](const Cut& cut) { OnCut(cut); };
    if (checkpoint_) {
      setup.orders = checkpoint_->orders();
      setup.longest_interval = std::min(setup.longest_interval, checkpoint_->longest_interval());
      setup.report_interval = std::min(setup.report_interval, setup.longest_interval);
    }
    if (progress_.in_place())
      setup.report_interval = std::min(setup.report_interval, kTerminalInterval);
    try {
      report_ = RunEngine(ParseEngineKind(arguments_.engine), world_, setup);
      progress_.Done();
      const bool saved = checkpoint_ && checkpoint_->orders()->end;
      if (!report_.stopped && !saved)
        CheckHeldPaths(world_, *fabric_);  // else messages are under way
    } catch (const SharedError& error) {
      if (error.code() == ExitCode::kInvariantViolated) record_->Discard();
      throw;
    }
  }

  /// How far the run was that this one goes on with; nothing if it begins.
  std::optional<FlushPoint> Restore() {
    if (!RunCheckpoint::Possible(arguments_)) {
      signals_->reset();  // there may have been more hope before the environment was read
      return std::nullopt;
    }
    const SavedRun run{fabric_.get(), coordinator_.get(), record_->kept(), &figures_.keeps_flows,
                       record_->books()};
    checkpoint_ = std::make_unique<RunCheckpoint>(arguments_, input_, record_->about(), run, world_,
                                                  start_, signals_);
    return checkpoint_->Restore();
  }

  /// What this rank has allocated, by data structure.
  MemoryAccount AccountMemory(const Cut& cut) const {
    MemoryAccount account;
    AddInputMemory(input_, &account);
    fabric_->AddMemory(&account);
    if (coordinator_) coordinator_->AddMemory(&account);
    account.Add(Structure::kExchange, cut.exchange_memory);
    record_->AddMemory(&account);
    return account;
  }

  void WriteProfile() {
    const RunProfile profile = GatherProfile(world_, input_, fabric_.get(), profile_, report_);
    AgreeOnErrors(world_, [&] {
      if (world_.is_root()) WriteText(arguments_.profile, ProfileText(profile));
    });
    if (!world_.is_root() || arguments_.quiet) return;
    std::fputs(DescribeProfile(profile, arguments_.profile, arguments_.topology).c_str(), stdout);
  }

  /// Where a run that goes on begins. Collective.
  ProgressState StateNow() const {
    const DomainBooks books = CheckConservation(world_, *fabric_);
    ProgressState state{Time{world_.Max(fabric_->now().ps)}, books.flows_finished, planned_,
                        books.link_packets};
    state.events = world_.Sum(static_cast<std::int64_t>(fabric_->events()));
    return state;
  }

  void OnCut(const Cut& cut) {
    forecast_.Watch(AccountMemory(cut));
    figures_.books = CheckConservation(world_, *fabric_);
    const DomainBooks& books = figures_.books;
    ProgressState state{cut.now, books.flows_finished, planned_, books.link_packets};
    AddEngineFigures(world_, cut, fabric_->events(), &state);
    // Data and ACKs received, in the proportion of a full packet: good enough for a share.
    const double per_payload = 1 + static_cast<double>(kHeaderBytes + kAckBytes) /
                                       static_cast<double>(input_.transport.payload);
    const auto on_wire =
        static_cast<std::int64_t>(static_cast<double>(expected_bytes_) * per_payload);
    state.done = coordinator_ ? books.flows_finished : books.received_bytes;
    state.expected = coordinator_ ? planned_ : on_wire;
    if (state.wall_seconds > 0)
      log_.Progress(progress_.Show(state));  // ns-3's engines have no clock, and no cut but the end
    const CheckpointWish wish = checkpoint_ ? checkpoint_->WishAt(cut) : CheckpointWish::kNone;
    const bool saves = wish == CheckpointWish::kSave || wish == CheckpointWish::kSaveAndEnd;
    const double now = SecondsSince(start_);
    record_->FlushAt(state, now, wish != CheckpointWish::kNone);
    if (saves) checkpoint_->Save(cut, record_->point(), wish == CheckpointWish::kSaveAndEnd, now);
    if (wish >= CheckpointWish::kEnd) checkpoint_->End();
  }

  void CollectFigures() {
    figures_.run_seconds = record_->books()->earlier_seconds + world_.Max(report_.wall_seconds);
    figures_.events =
        static_cast<std::uint64_t>(world_.Sum(static_cast<std::int64_t>(fabric_->events())));
    figures_.blocked_share =
        world_.AllGather(report_.blocked_seconds / std::max(report_.wall_seconds, 1e-9));
    figures_.memory_mib = world_.AllGather(PeakMemoryMib());
    const Time fabric_end{world_.Max(fabric_->now().ps)};
    if (coordinator_) {
      // A message smaller than its number of queue pairs has fewer of them: how many there were is
      // known now.
      if (input_.transport.nic.qps_per_connection > 1)
        figures_.flows = figures_.books.flows_started;
      figures_.end = Time{world_.Max(coordinator_->end().ps)};
      figures_.last_event = std::max(figures_.end, fabric_end);
      return;
    }
    figures_.end = figures_.last_event = fabric_end;
  }

  /// Whether there is work that did not end, now that nothing is left to happen. Collective.
  bool Stalled() const {
    return coordinator_ ? world_.Sum(coordinator_->finished()) < world_.Sum(coordinator_->gpus())
                        : figures_.books.flows_finished < planned_;
  }

  const std::string& path_log() const { return input_.transport.controller.log; }

  void PreparePathLog() {
    if (path_log().empty()) return;
    if (!input_.transport.controller.enabled) {
      input_.warnings.push_back(
          "controller.log: nothing is written, as there is no controller (CC_ENABLE=1 or "
          "--set controller.enable=true)");
      return;
    }
    if (!figures_.sample.all()) {
      throw UserError(
          "controller.log: not all choices are kept, as not all flows are. Expected: --record "
          "flows=all");
    }
    if (world_.is_root())
      CheckPathLog(path_log(), arguments_);  // nobody else writes it, or need have its folder
  }

  void Report(const Outcome& outcome) const {
    if (arguments_.quiet) return;
    std::fputs(Summarize(*input_.graph, fabric_->routes(), outcome, figures_).c_str(), stdout);
    if (fabric_->controller() != nullptr)
      std::fputs(SummarizeController(fabric_->controller()->figures()).c_str(), stdout);
    const std::vector<Table>& jobs = record_->job_tables();
    if (coordinator_) std::fputs(SummarizeJobs(jobs[0], jobs[1], jobs[2]).c_str(), stdout);
    std::printf("digest of flows  %016llx\n",
                static_cast<unsigned long long>(figures_.flows_digest));
    if (!arguments_.output.empty()) std::printf("result           %s\n", arguments_.output.c_str());
    if (!path_log().empty() && fabric_->controller() != nullptr)
      std::printf("path log         %s\n", path_log().c_str());
    std::fflush(stdout);
  }

  RunArguments arguments_;
  const Communicator& world_;
  RunForecast forecast_;
  Clock::time_point start_ = Clock::now();
  Environment environment_;
  RunInput input_;
  std::unique_ptr<FlowCoordinator> coordinator_;  ///< of jobs; null for traces
  std::unique_ptr<Fabric> fabric_;
  JsonLog& log_;
  std::optional<SignalScope>*
      signals_;  ///< heeded from the program's start, if the run can be saved
  Progress progress_;
  EngineReport report_;
  WindowProfile profile_;  ///< filled if --profile asks for it
  RunFigures figures_;
  std::int64_t expected_bytes_ = 0;  ///< payload of a trace
  std::int64_t planned_ = 0;         ///< queue pairs
  std::unique_ptr<RunRecord> record_;
  std::unique_ptr<RunCheckpoint> checkpoint_;  ///< null if the run cannot be saved
};

/// Errors that all ranks share end in order, with the root's words; one rank's own error ends all
/// the others.
int ExecuteOnAllRanks(const RunArguments& arguments) {
  // From the first moment: what the user asks for while MPI starts and inputs are read is done at
  // the first window's edge.
  std::optional<SignalScope> signals;
  if (RunCheckpoint::Possible(arguments) && !arguments.estimate) signals.emplace();
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(ParseEngineKind(arguments.engine), &argc, &argv);
  const Communicator world = Communicator::World();
  JsonLog log;
  try {
    Run run(arguments, world, &log, &signals);
    const PatienceScope patience(
        world.rank(), world.size(), PatienceOf(arguments),
        [&](const RollCall& call) { GiveUp(DescribeLoss(call, world, run.State()), &log); });
    AgreeOnErrors(world, [&] {
      if (world.is_root()) log = OpenJsonLog(arguments);
    });
    run.Execute();
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
  } catch (const std::exception&
               error) {  // before the session's end, which would wait for the other ranks
    PrintError(fmt::format("rank {}: internal error: {}", world.rank().value, error.what()));
    Communicator::Abort(ExitCode::kInvariantViolated);
  }
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments) {
  RunArguments run;
  if (!ParseRunArguments(arguments, &run)) return 0;
  ParseEngineKind(run.engine);
  ParseExchangeKind(run.exchange);
  return ExecuteOnAllRanks(run);
}

}  // namespace heddle
