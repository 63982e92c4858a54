// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/make_traffic.h"

#include <utility>

#include "core/app/run/traffic/goal_traffic.h"
#include "core/app/run/traffic/job_traffic.h"
#include "core/app/run/traffic/joint_traffic.h"
#include "core/app/run/traffic/serving_traffic.h"
#include "core/app/run/traffic/trace_traffic.h"

namespace heddle {

std::unique_ptr<RunTraffic> MakeTraffic(const RunInput& input, const Backend& backend,
                                        const Recording& recording, bool has_result) {
  std::unique_ptr<RunTraffic> messages;
  if (!input.schedules.empty()) messages = std::make_unique<GoalTraffic>(input, backend, recording);
  if (input.serving != nullptr)
    messages = std::make_unique<ServingTraffic>(input, backend, recording);
  if (input.jobs.empty() && messages != nullptr) return messages;
  if (input.jobs.empty()) return std::make_unique<TraceTraffic>(input, backend, recording);
  auto jobs = std::make_unique<JobTraffic>(input, backend, recording, has_result);
  if (messages == nullptr) return jobs;
  const bool serves = input.serving != nullptr;
  return std::make_unique<JointTraffic>(std::move(jobs), std::move(messages),
                                        serves ? &ServingDriver::Owns : &GoalDriver::Owns,
                                        recording);
}

}  // namespace heddle
