// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/run.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/physical_arguments.h"
#include "core/app/run/arguments/profile_arguments.h"
#include "core/app/run/arguments/recording.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/execution/finished_run.h"
#include "core/app/run/execution/rank_hosts.h"
#include "core/app/run/execution/run_announcement.h"
#include "core/app/run/output/path_log.h"
#include "core/app/run/output/run_json.h"
#include "core/app/run/output/run_summary.h"
#include "core/app/run/recorder/profile_record.h"
#include "core/app/run/setup/input_agreement.h"
#include "core/app/run/setup/physical_setup.h"
#include "core/app/run/setup/profile_file.h"
#include "core/app/run/traffic/make_prices.h"
#include "core/app/run/traffic/make_traffic.h"
#include "core/base/printable.h"
#include "core/system/process_memory.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

// Wall-clock time between two cuts if the line of progress is rewritten in place [s].
constexpr double kTerminalInterval = 0.2;
// The longest between two cuts while rows of collectives gather, which the estimate of memory takes
// for granted [s].
constexpr double kCollectivesInterval = 1.0;

}  // namespace

Run::Run(const RunArguments& arguments, const Communicator& world, JsonLog* log,
         std::optional<SignalScope>* signals)
    : arguments_(arguments),
      world_(world),
      log_(*log),
      signals_(signals),
      progress_(arguments.quiet || !world.is_root()) {}

void Run::Execute() {
  ReadInputs();
  if (WasFinished()) return EndAgain();
  Estimate();
  if (arguments_.estimate) return ReportEstimate();
  Begin();
  Simulate();
  if (checkpoint_) checkpoint_->AfterRun();
  if (!arguments_.profile.empty()) RecordProfile();
  if (report_.stopped) {
    WriteProfile();
    if (arguments_.json && world_.is_root())
      PrintJson(RunWithoutFigures("stopped", arguments_.output));
    return;
  }
  Finish();
}

bool Run::WasFinished() {
  if (arguments_.estimate || arguments_.checkpoint.restart.empty()) return false;
  bool finished = false;
  AgreeOnErrors(world_, [&] {
    if (world_.is_root()) finished = IsFinished(arguments_, record_->identity());
  });
  return world_.Max(std::int64_t{finished}) != 0;
}

void Run::EndAgain() {
  AgreeOnErrors(world_, [&] {
    if (!world_.is_root()) return;
    log_.Start(
        {&arguments_, &input_, world_.size(), traffic_->plan().flows, backend_->Lookahead()});
    EndFinishedRun(arguments_, path_log());
    if (arguments_.json)
      PrintJson(RunWithoutFigures("complete already", arguments_.output));
    else if (!arguments_.quiet)
      std::printf("result           %s, complete already\n",
                  PrintableLines(arguments_.output).c_str());
    std::fflush(stdout);
  });
}

LostRun Run::State() const {
  return {backend_ ? backend_->now() : Time{0},
          arguments_.output,
          checkpoint_ && checkpoint_->saved(),
          record_ && record_->flushed(),
          hosts_,
          backend_ ? backend_->WaitsFor() : ""};
}

void Run::ReadInputs() {
  environment_ = SharedEnvironment(world_);
  AgreeOnErrors(world_, [this] { ResolveTraffic(environment_, &arguments_); });
  AgreeOnInputs(world_, GivenInputs(arguments_));
  if (IsPhysical(arguments_)) hosts_ = RankHosts(world_);
  AgreeOnErrors(world_, [this] { Prepare(); });
  AgreeOnInputs(world_, DerivedInputs(input_));
  record_ = std::make_unique<ResultRecorder>(
      RecordedRun{arguments_, input_, world_, *backend_, traffic_->programs(), figures_,
                  forecast_.estimate(), [this] { return traffic_->Tables(world_); }});
}

void Run::Prepare() {
  LoadRun(arguments_, world_.size(), environment_, &input_);
  if (IsPhysical(arguments_)) SetUpPhysical(world_.size(), arguments_.gpus_per_rank, &input_);
  const BackendKind kind = ParseBackendKind(arguments_.backend);
  prices_ = MakePrices(kind, input_);
  backend_ =
      MakeBackend(kind, {*input_.graph, input_.transport, input_.domains.domain_of,
                         input_.domains.nodes, input_.assignment, world_.rank(), world_.size(),
                         arguments_.seed, input_.failures, prices_.get(), input_.physical});
  traffic_ =
      MakeTraffic(input_, *backend_, ParseRecording(arguments_.record), !arguments_.output.empty());
  backend_->Drive(traffic_->driver());
  TakePlan();
  PreparePathLog();
}

void Run::TakePlan() {
  const TrafficPlan& plan = traffic_->plan();
  figures_.has_flows = !backend_->carries_collectives();
  figures_.flows = plan.flows;
  figures_.measured = backend_->measures();
  figures_.sample = plan.kept_flows;
  figures_.planned_collectives = plan.operations;
  figures_.collectives = plan.kept_operations;
}

void Run::PreparePathLog() {
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
  if (world_.is_root()) CheckPathLog(path_log(), arguments_);  // other ranks may lack its folder
}

void Run::Estimate() {
  const auto every = static_cast<std::int64_t>(figures_.sample.every);
  EstimateSource source;
  source.input = &input_;
  source.backend = backend_.get();
  source.traffic = traffic_.get();
  source.rows = record_->RowsToWrite();
  record_->DescribeRecords(&source);
  if (figures_.keeps_flows && every > 0) source.kept_rows = traffic_->plan().flows / every;
  source.now = AccountMemory({});
  forecast_.Estimate(world_, source, !arguments_.estimate && !arguments_.ignore_memory);
}

void Run::ReportEstimate() {
  AgreeOnErrors(world_, [this] { LogStart(); });
  if (!world_.is_root()) return;
  for (const std::string& line : input_.warnings) PrintWarning(line);
  const std::string size = record_->EstimateSize(&input_.warnings);
  if (!arguments_.quiet) std::fputs(DescribeEstimate(forecast_.estimate(), size).c_str(), stdout);
  std::fflush(stdout);
}

void Run::Begin() {
  const std::optional<FlushPoint> resumed = Restore();
  if (resumed) progress_.GoOn(StateNow());
  record_->Open(resumed);
  if (!resumed && checkpoint_ && world_.is_root()) RemoveCheckpoint(arguments_.output);
  if (world_.is_root()) Introduce();
  AgreeOnErrors(world_, [this] { LogStart(); });
  record_->Start(resumed ? resumed->until : Time{0});
}

std::optional<FlushPoint> Run::Restore() {
  if (!RunCheckpoint::Possible(arguments_)) {
    signals_->reset();  // the environment may have made checkpoints impossible
    return std::nullopt;
  }
  const SavedRun run{backend_.get(), traffic_.get(), record_->kept(), &figures_.keeps_flows,
                     record_->books()};
  checkpoint_ = std::make_unique<RunCheckpoint>(arguments_, input_, record_->identity(), run,
                                                world_, start_, signals_);
  return checkpoint_->Restore();
}

void Run::Introduce() {
  const std::string size = record_->EstimateSize(&input_.warnings);
  for (const std::string& line : input_.warnings) PrintWarning(line);
  if (arguments_.quiet || arguments_.json) return;
  const PlannedRun run{arguments_,
                       input_,
                       *backend_,
                       world_.size(),
                       traffic_->plan().flows,
                       traffic_->plan().payload,
                       traffic_->plan().trees,
                       traffic_->plan().stand_ins,
                       figures_.sample,
                       size};
  std::fputs(PrintableLines(Announce(run)).c_str(), stdout);
  if (figures_.has_flows && !figures_.measured)
    std::fputs(DescribeShortly(forecast_.estimate()).c_str(), stdout);
  std::fflush(stdout);
}

void Run::LogStart() {
  log_.Start({&arguments_, &input_, world_.size(), traffic_->plan().flows, backend_->Lookahead(),
              &forecast_.estimate()});
  for (const std::string& line : input_.warnings) log_.Warning(line);
}

EngineSetup Run::MakeSetup() {
  EngineSetup setup;
  setup.exchange = ParseExchangeKind(arguments_.exchange);
  if (record_->flush_interval().ps > 0) {
    setup.report_interval = std::min(setup.report_interval, record_->flush_interval().seconds());
    setup.cut_share = 1;  // no limit: the user chose the interval
  }
  // Rows of collectives stay in memory until a cut, however slow the last one was.
  if (record_->GathersCollectives())
    setup.longest_interval = std::min(setup.longest_interval, kCollectivesInterval);
  if (!arguments_.profile.empty()) {
    setup.profile = &profile_;
    backend_->CountStreams();
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
  return setup;
}

void Run::Simulate() {
  figures_.setup_seconds = world_.Max(Seconds());
  const EngineSetup setup = MakeSetup();
  try {
    report_ = backend_->Run(ParseEngineKind(arguments_.engine), world_, setup);
    progress_.Done();
    const bool saved = checkpoint_ && checkpoint_->orders()->end;
    const bool to_the_end = !report_.stopped && !report_.out_of_time && !saved;
    if (to_the_end) backend_->CheckEnd(world_);  // else messages are in flight
  } catch (const SharedError& error) {
    if (error.code() == ExitCode::kInvariantViolated) record_->Discard();
    throw;
  }
}

void Run::OnCut(const Cut& cut) {
  forecast_.Watch(AccountMemory(cut));
  figures_.books = backend_->CheckConservation(world_);
  const ProgressState state = StateAt(cut);
  if (state.wall_seconds > 0)
    log_.Progress(progress_.Show(state));  // ns-3's engines have no clock, and no cut but the end
  const CheckpointWish wish = checkpoint_ ? checkpoint_->WishAt(cut) : CheckpointWish::kNone;
  const bool saves = wish == CheckpointWish::kSave || wish == CheckpointWish::kSaveAndEnd;
  const double now = Seconds();
  record_->FlushAt(state, now, wish != CheckpointWish::kNone);
  if (saves) checkpoint_->Save(cut, record_->point(), wish == CheckpointWish::kSaveAndEnd, now);
  if (wish >= CheckpointWish::kEnd) checkpoint_->End();
}

MemoryAccount Run::AccountMemory(const Cut& cut) const {
  MemoryAccount account;
  AddInputMemory(input_, &account);
  backend_->AddMemory(&account);
  traffic_->AddMemory(&account);
  account.Add(Structure::kExchange, cut.exchange_memory);
  record_->AddMemory(&account);
  return account;
}

void Run::RecordProfile() {
  const RunProfile profile = GatherProfile(world_, input_, backend_.get(), profile_, report_);
  if (!world_.is_root()) return;
  profile_text_ = ProfileText(profile);
  profile_notice_ = DescribeProfile(profile, arguments_.profile, arguments_.topology);
}

void Run::WriteProfile() {
  if (arguments_.profile.empty()) return;
  AgreeOnErrors(world_, [&] {
    if (world_.is_root()) WriteText(arguments_.profile, profile_text_);
  });
  if (!arguments_.quiet)
    std::fputs(PrintableLines(profile_notice_).c_str(), arguments_.json ? stderr : stdout);
}

void Run::WriteBesideResult(const Outcome& outcome) {
  WriteProfile();
  AgreeOnErrors(world_, [&] {
    if (!path_log().empty() && !outcome.controller.empty()) WritePathLog(path_log(), outcome);
  });
}

void Run::Finish() {
  const Outcome outcome = record_->GatherOutcome();
  CollectFigures();
  const bool stalled = figures_.stalled;
  figures_.out_of_time = report_.out_of_time;
  if (stalled && !figures_.out_of_time) figures_.deadlock = backend_->FindDeadlock(world_);
  record_->Finish(outcome, report_, [&] { WriteBesideResult(outcome); });
  if (!arguments_.output.empty() && world_.is_root()) RemoveCheckpoint(arguments_.output);
  work_ = traffic_->Summary(world_);
  figures_.serving = traffic_->FiguresJson(world_);
  const std::string waiting = stalled ? traffic_->Waiting(world_) : "";
  if (world_.is_root()) WarnOfEmptyMonitors();
  if (world_.is_root()) Report(outcome);
  const EstimateError error =
      forecast_.Report(world_, figures_, arguments_.quiet || arguments_.json || figures_.measured,
                       arguments_.memory_report);
  log_.Figures(figures_, arguments_.output, error);
  if (!stalled) return;
  throw SharedError(ExitCode::kStalled,
                    world_.is_root() ? waiting + DescribeUnfinished(*input_.graph, outcome,
                                                                    figures_, traffic_->Names())
                                     : "");
}

void Run::CollectFigures() {
  figures_.run_seconds = record_->books()->earlier_seconds + world_.Max(report_.wall_seconds);
  figures_.events =
      static_cast<std::uint64_t>(world_.Sum(static_cast<std::int64_t>(backend_->events())));
  figures_.replay = backend_->replayed();
  figures_.blocked_share =
      world_.AllGather(report_.blocked_seconds / std::max(report_.wall_seconds, 1e-9));
  figures_.memory_mib = world_.AllGather(PeakMemoryMib());
  const Time fabric_end{world_.Max(backend_->now().ps)};
  if (traffic_->plan().may_be_fewer) {
    // The flows that ended, and a row of each that did not or never started.
    const auto open = static_cast<std::int64_t>(backend_->OpenFlows().size());
    figures_.flows = figures_.books.flows_finished + world_.Sum(open);
  }
  figures_.stalled = Stalled();
  // Work that never ends lasts as long as something happens.
  figures_.end = traffic_->EndOfWork(world_, fabric_end);
  if (figures_.stalled) figures_.end = std::max(figures_.end, fabric_end);
  figures_.last_event = std::max(figures_.end, fabric_end);
}

}  // namespace heddle
