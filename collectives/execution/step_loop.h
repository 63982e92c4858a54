// SPDX-License-Identifier: GPL-2.0-only
/// One step of a collective at one participant, GPU or NVSwitch: when it begins, and after a
/// message arrives or leaves, posts the messages that the schedule enables.
///
/// Omitted: when a participation begins and what its end means. A GPU's program decides
/// (program_clock.h); an NVSwitch always takes part.
#pragma once

#include "collectives/execution/execution_context.h"
#include "collectives/execution/participation.h"

namespace heddle {

/// Posts a message of Schedule::Begin(), which may be sent from `at` on, and those whose turn comes
/// by it.
void StepAtBegin(ExecutionContext* context, const PlacedJob& job, Participation* part,
                 const GroupFlow& first, Time at, FlowPoster* port);

/// Posts the children of `arrived`, which is here at `when`: each once the last of its parents has
/// arrived. If an earlier message of its connection is missing, waits for that.
void StepOnArrival(ExecutionContext* context, const PlacedJob& job, Participation* part,
                   const NumberedFlow& arrived, Time when, FlowPoster* port);

/// Posts later pieces to the same peer, after `sent` left at `when`.
void StepOnDeparture(ExecutionContext* context, const PlacedJob& job, Participation* part,
                     const GroupFlow& sent, Time when, FlowPoster* port);

}  // namespace heddle
