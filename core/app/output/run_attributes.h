// SPDX-License-Identifier: GPL-2.0-only
/// Attributes and tables of a result that say what was run, and how the run itself went
/// (docs/formats/result.md).
#ifndef HEDDLE_CORE_APP_OUTPUT_RUN_ATTRIBUTES_H_
#define HEDDLE_CORE_APP_OUTPUT_RUN_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/output/run_figures.h"
#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// How far the run was at a flush.
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
  double earlier_seconds = 0;     ///< that the program ran before the last restart
  double checkpoint_seconds = 0;  ///< since the last restart
  std::vector<ProgressRow> progress;
};

/// What changes a result, as words of a command line. Options are in other attributes, too.
std::string CommandLine(const RunArguments& run);
/// Of the root: digests of the input files. Throws UserError for one that cannot be read.
std::vector<Attribute> FileAttributes(const RunArguments& arguments);
/// Of the root: inputs and options, known before the run; these digests among them.
std::vector<Attribute> InputAttributes(const RunArguments& arguments, const RunInput& input);

/// Of the root: what came out so far.
std::vector<Attribute> OutcomeAttributes(const RunFigures& figures);

/// Of /run: engine, cut, times. They may differ between two runs of the same input.
std::vector<Attribute> RunAttributes(const RunArguments& arguments, std::uint32_t ranks,
                                     Time lookahead, const RunFigures& figures,
                                     double write_seconds, const RunBooks& books);

/// Table "run/ranks": what each rank had to do; whole at the root, empty elsewhere. Collective.
Table GatherRankWork(const Communicator& world, const Fabric& fabric, const EngineReport& report,
                     double memory_mib);

/// Table "run/progress".
Table ProgressTable(const std::vector<ProgressRow>& rows);

/// Now, as "2026-11-21T16:42:40Z".
std::string UtcNow();

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_RUN_ATTRIBUTES_H_
