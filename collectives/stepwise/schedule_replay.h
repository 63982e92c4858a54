// SPDX-License-Identifier: GPL-2.0-only
/// Time of a collective by a replay of its messages, of any schedule that is small enough.
///
/// Each GPU has a port for messages inside its server and one for those to others, each way;
/// switches and NVSwitches have no limit of their own. The messages are taken in the order in which
/// they can leave. A message leaves when its parents have arrived, those whose turn is before it
/// have left, and its source's port is free; it takes that port and its destination's for its
/// bytes, and arrives a latency later. What waits for its departure waits for its acknowledgement.
/// Not modelled: contention in the fabric, and ports that send several messages by turns.
#ifndef HEDDLE_COLLECTIVES_STEPWISE_SCHEDULE_REPLAY_H_
#define HEDDLE_COLLECTIVES_STEPWISE_SCHEDULE_REPLAY_H_

#include <functional>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// What a message takes.
struct ReplayedMessage {
  double seconds = 0;  ///< of its bytes on a port
  double latency = 0;  ///< from when it may leave to its arrival, without those [s]
  double back = 0;     ///< of its acknowledgement [s]
  bool inside = true;  ///< of a server
};

/// Seconds from the first message to the last arrival. O(messages x log messages).
double ScheduleSeconds(const Schedule& schedule, const GroupShape& shape,
                       const std::function<ReplayedMessage(const GroupFlow&)>& price);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_STEPWISE_SCHEDULE_REPLAY_H_
