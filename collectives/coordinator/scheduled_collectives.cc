// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/scheduled_collectives.h"

#include "collectives/coordinator/schedule_agent.h"

namespace heddle {

std::unique_ptr<CollectiveAgent> ScheduledCollectives::MakeAgent(
    ExecutionContext* context, const std::vector<Seat>& seats,
    const std::vector<NodeId>& nodes) const {
  return std::make_unique<ScheduleAgent>(context, seats, nodes);
}

}  // namespace heddle
