// SPDX-License-Identifier: GPL-2.0-only
/// Whether all GPUs of a pipeline stage do the same at the same time, so that one of them can stand
/// for the stage where equal groups get equal prices.
///
/// All ranks of a stage have one program. They begin together, and go on together as long as the
/// groups of a type look alike to whoever prices their collectives.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/job/job.h"
#include "collectives/program/program.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Whether the groups of each type that the program uses are alike: within a stage, for groups of
/// stages among all. Groups are alike if their ranks have equal servers, rails, ports and switches,
/// all numbered by first appearance. False for programs that are graphs, experts that are drawn,
/// messages between two ranks of one stage, switches that add, and stages of one rank. Takes time
/// in proportion to the ports of the job's GPUs, for each type.
bool StagesInStep(const Job& job, const Graph& graph);

/// Returns the first rank of a stage, which stands for it.
inline std::uint32_t StandInOf(const Job& job, std::uint32_t stage) {
  return stage * (job.groups.ranks() / job.groups.pipeline());
}

/// The groups for which a stand-in's group stands, itself the first.
JobGroups::Range GroupsAlike(const Job& job, GroupType type, std::uint32_t group);

}  // namespace heddle
