// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run`: simulates a workload or trace on any number of ranks.
#include <fmt/format.h>

#include <exception>
#include <new>
#include <optional>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/processes/own_program.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/patience_option.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/execution/abnormal_end.h"
#include "core/app/run/execution/lost_rank.h"
#include "core/app/run/execution/rank_choice.h"
#include "core/app/run/execution/run.h"
#include "core/app/run/execution/run_checkpoint.h"
#include "core/app/run/output/json_log.h"
#include "core/engine/engine_session.h"
#include "core/mpi/communicator.h"
#include "core/mpi/rank_watchdog.h"
#include "core/system/output_lock.h"
#include "core/system/parent_watch.h"
#include "core/system/signals.h"
#include "io/hdf5/hdf5_library.h"

namespace heddle {
namespace {

/// An error that all ranks share ends the run in order, with the root's message; an error of one
/// rank aborts the others.
int ExecuteOnAllRanks(const RunArguments& arguments) {
  // Signals are handled from the start: a request during MPI's start or the reading of inputs is
  // served at the first window edge.
  std::optional<SignalScope> signals;
  if (RunCheckpoint::Possible(arguments) && !arguments.estimate) signals.emplace();
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(ParseEngineKind(arguments.engine), &argc, &argv);
  const Communicator world = Communicator::World();
  OutputLock lock;
  JsonLog log;
  try {
    Run run(arguments, world, &log, &signals);
    const RankWatchdog patience(
        world.rank(), world.size(), PatienceOf(arguments),
        [&](const RollCall& call) { GiveUp(DescribeLoss(call, world, run.State()), &log); });
    AgreeOnErrors(world, [&] {
      if (!world.is_root()) return;
      CheckRunOutputs(arguments);
      if (!arguments.output.empty() && !arguments.estimate)
        lock = OutputLock(arguments.output, arguments.force);
      log = OpenJsonLog(arguments);
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
  } catch (const std::exception& error) {  // caught before the session's destructor, which would
                                           // wait for the other ranks
    PrintError(fmt::format("rank {}: internal error: {}", world.rank().value, error.what()));
    Communicator::Abort(ExitCode::kInvariantViolated);
  }
}

}  // namespace

int RunCommand(const std::vector<std::string>& given) {
  WatchParent();
  std::vector<std::string> arguments = given;
  if (const std::optional<std::string> ranks = TakeRanks(&arguments)) {
    const std::vector<std::string> command = CommandOnRanks(*ranks, arguments, FindLaunchPlace());
    if (!command.empty()) BecomeProcess(command);
  }
  RunArguments run;
  if (!ParseRunArguments(arguments, &run)) return 0;
  ParseEngineKind(run.engine);
  ParseExchangeKind(run.exchange);
  return ExecuteOnAllRanks(run);
}

}  // namespace heddle
