// SPDX-License-Identifier: GPL-2.0-only
/// The row of a flow (FlowRecord) from each kind of source. Rows are filled here only: set any new
/// member here.
#pragma once

#include "core/records/flow_vocabulary.h"
#include "core/traffic/flow_agent.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

/// Returns the row of a flow that has started and not ended, without the members that only its
/// message and its grant know (origin, request).
FlowRecord RecordOf(const QueuePair& pair);
/// Returns the row of a post that has not started, without its ideal time and the members that its
/// grant knows. A message without numbers is one row, whatever the number of its queue pairs.
FlowRecord RecordOf(const FlowPost& flow);

}  // namespace heddle
