// SPDX-License-Identifier: GPL-2.0-only
/// Attributes and tables of a result that describe the input of a run and its execution
/// (docs/formats/result.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/output/run_figures.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// The run's progress at a flush.
struct ProgressRow {
  double wall_seconds = 0;
  Time time;
  std::int64_t flows_finished = 0, packet_hops = 0, events = 0;  ///< of all ranks, since the start
  double blocked_share = 0;  ///< of all ranks' time since the start
  double memory_mib = 0;     ///< largest process

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& wall_seconds& time& flows_finished& packet_hops& events& blocked_share& memory_mib;
  }
};

/// The history of a run, restarts included.
struct RunBooks {
  std::string started;  ///< UtcNow() of the first start
  std::int64_t restarts = 0;
  double earlier_seconds = 0;     ///< run time of the program before the last restart
  double checkpoint_seconds = 0;  ///< since the last restart
  std::vector<ProgressRow> progress;
};

/// Returns the flags that change a result, as text of a command line. Options are also in other
/// attributes.
std::string CommandLine(const RunArguments& run);
/// Returns the root's attributes with digests of the input files. Throws UserError for one that
/// cannot be read.
std::vector<Attribute> FileAttributes(const RunArguments& arguments);
/// Returns the root's attributes of inputs and options, known before the run, with the digests of
/// FileAttributes().
std::vector<Attribute> InputAttributes(const RunArguments& arguments, const RunInput& input);

/// Returns the root's attributes of the outcome so far.
std::vector<Attribute> OutcomeAttributes(const RunFigures& figures);

/// Returns the attributes of /run: engine, partition, times. They may differ between two runs of
/// the same input.
std::vector<Attribute> RunAttributes(const RunArguments& arguments, std::uint32_t ranks,
                                     Time lookahead, const RunFigures& figures,
                                     double write_seconds, const RunBooks& books);

/// Gathers table "run/ranks": the work of each rank, at the root; empty elsewhere. Collective.
Table GatherRankWork(const Communicator& world, const Backend& backend, const EngineReport& report,
                     double memory_mib);

/// Returns table "run/progress".
Table ProgressTable(const std::vector<ProgressRow>& rows);

/// Returns the current time as "2026-11-21T16:42:40Z".
std::string UtcNow();

}  // namespace heddle
