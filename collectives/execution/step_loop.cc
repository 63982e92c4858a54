// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/step_loop.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

/// Posts a message, and the messages after it that waited for nothing else. A message starts no
/// earlier than the one before it, of which `first` says whether the base latency comes before it.
void PostInTurn(ExecutionContext* context, const PlacedJob& job, Participation* part,
                const GroupFlow& flow, Time ready, bool first, FlowPoster* port) {
  const PlannedCollective& collective = *part->collective;
  context->Post(job, part, flow, ready, first, port);
  if (first) ready += context->delay.Base(collective.choice, collective.schedule->channels());
  std::optional<GroupFlow> next = collective.schedule->NextInTurn(flow);
  while (next && part->CountWait(*collective.schedule, *next, &ready)) {
    context->Post(job, part, *next, ready, false, port);
    next = collective.schedule->NextInTurn(*next);
  }
}

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
    if (schedule.WaitCount(child) > 1 && !part->CountWait(schedule, child, &ready)) continue;
    PostInTurn(context, job, part, child, ready, false, port);
  }
  children.swap(context->scratch);
}

}  // namespace

void StepAtBegin(ExecutionContext* context, const PlacedJob& job, Participation* part,
                 const GroupFlow& first, Time at, FlowPoster* port) {
  PostInTurn(context, job, part, first, at, true, port);
}

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
