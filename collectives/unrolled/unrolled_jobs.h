// SPDX-License-Identifier: GPL-2.0-only
/// Jobs as a schedule in GOAL: what each GPU computes, and every message of its collectives.
///
/// Rank i is GPU i of the graph; GPUs without a job have nothing to do. A step that computes is a
/// calc on cpu 0, rounded to whole nanoseconds. Messages are sends and receives on cpu 1, with
/// NCCL's bytes on the wire (protocol), and wait for what they wait for in a run: parents, turns,
/// the begin of their collective. A collective begins when its GPU has reached it and its
/// communicator has ended the one before; marks of its begin and its end are calcs of 0 ns on
/// cpu 2. Tags number the messages of a pair of ranks.
///
/// Left out: what software needs before a message starts (flow.send_latency, collective.latency),
/// which o and L of LogGOPS stand for; jobs whose program is a graph; collectives in phases;
/// messages that end at NVSwitches and at switches that add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/goal/goal_schedule.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Operations that a schedule may have.
inline constexpr std::uint64_t kMostUnrolled = std::uint64_t{1} << 27;

/// Unrolls the jobs. `file`: the schedule's name for messages. Throws UserError for what is left
/// out, and for more than kMostUnrolled operations.
GoalSchedule UnrollJobs(const Graph& graph, const std::vector<Job>& jobs,
                        const CollectiveOptions& options, const std::string& file);

}  // namespace heddle
