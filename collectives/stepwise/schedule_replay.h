// SPDX-License-Identifier: GPL-2.0-only
/// Time of a collective by a replay of its messages, of any schedule that is small enough.
///
/// A message is ready when its parents have arrived and those whose turn is before it are ready,
/// and what its software needs has passed. Each GPU has a port for messages inside its server and
/// one for those to others. The messages of a port share it evenly; of a connection that sends in
/// turn, one at a time. A message arrives a latency after its last byte has left, at a GPU not
/// before the ones ahead of it are through its port. Switches and NVSwitches pass on at once. What
/// waits for a departure waits for the acknowledgement.
/// Not modelled: contention in the fabric; windows and congestion control.
#pragma once

#include <functional>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// What a message takes [s].
struct ReplayedMessage {
  double wait = 0;       ///< of software, from when it may be sent to when it starts
  double seconds = 0;    ///< of its bytes on a port of its own
  double latency = 0;    ///< from its last byte's departure to its arrival
  double back = 0;       ///< of its acknowledgement
  double told = 0;       ///< from its arrival to when its receiver hears of it
  bool inside = true;    ///< of a server
  bool in_turn = false;  ///< its connection sends one message after the other
};
using MessagePrice = std::function<ReplayedMessage(const GroupFlow&)>;

/// Returns the seconds from the first message to the last arrival. O(messages x log messages).
double ScheduleSeconds(const Schedule& schedule, const GroupShape& shape,
                       const MessagePrice& price);

}  // namespace heddle
