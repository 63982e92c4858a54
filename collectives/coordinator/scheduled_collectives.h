// SPDX-License-Identifier: GPL-2.0-only
/// Collectives as messages of schedules: each algorithm says which message enables which
/// (collectives/schedule/schedule.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/coordinator/collective_method.h"

namespace heddle {

class ScheduledCollectives final : public CollectiveMethod {
 public:
  std::unique_ptr<CollectiveAgent> MakeAgent(ExecutionContext* context,
                                             const std::vector<Seat>& seats,
                                             const std::vector<NodeId>& nodes) const override;
  /// Returns the least delay of a message.
  Time LeastDelay(const ExecutionContext& context) const override { return context.delay.least(); }
  std::uint64_t CountFlows(PlacedJob* job) const override { return job->CountFlows(); }
  std::uint64_t CountOpenMessages(PlacedJob* job) const override {
    return job->CountOpenMessages();
  }
  void ForEachTraffic(PlacedJob* job,
                      const std::function<void(const PlacedJob::Traffic&)>& visit) const override {
    job->ForEachTraffic(visit);
  }
};

}  // namespace heddle
