// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/step_loop.h"

#include <algorithm>

namespace heddle {
namespace {

void PostChildren(ExecutionContext* context, const PlacedJob& job, Participation* part,
                  const GroupFlow& arrived, Time when, FlowPoster* port) {
  const Schedule& schedule = *part->collective->schedule;
  --part->left.receives;
  std::vector<GroupFlow> children;
  children.swap(context->scratch);
  children.clear();
  schedule.After(arrived, &children);
  for (const GroupFlow& child : children) {
    Time ready = when;
    if (schedule.ParentCount(child) > 1 && !part->CountParent(schedule, child, &ready)) continue;
    context->Post(job, part, child, ready, false, port);
  }
  children.swap(context->scratch);
}

}  // namespace

void StepOnArrival(ExecutionContext* context, const PlacedJob& job, Participation* part,
                   const NumberedFlow& arrived, Time when, FlowPoster* port) {
  part->TakeInOrder(
      arrived, [&](const GroupFlow& flow) { PostChildren(context, job, part, flow, when, port); });
}

void StepOnDeparture(ExecutionContext* context, const PlacedJob& job, Participation* part,
                     const GroupFlow& sent, Time when, FlowPoster* port) {
  --part->left.sends;
  part->last = std::max(part->last, when);
  std::vector<GroupFlow> next;
  part->collective->schedule->AfterSent(sent, &next);
  for (const GroupFlow& flow : next) context->Post(job, part, flow, when, false, port);
}

}  // namespace heddle
