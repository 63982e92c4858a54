// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/schedule_agent.h"

#include "core/checkpoint/state_archive.h"
#include "core/traffic/future_visitors.h"

namespace heddle {

StreamName ScheduleAgent::Begun(const FlowCookie& cookie, Time when) {
  const MessageName name = cookie.As<MessageName>();
  gpus_.Received(name, when);
  return gpus_.context().StreamOf(name, name.destination);
}

/// Programs that are graphs have not run what the domain's clock has passed.
WholeCollectives* ScheduleAgent::whole() {
  return gpus_.context().graph_lag > Time{0} ? nullptr : this;
}

void ScheduleAgent::Save(StateWriter* to) const {
  gpus_.SaveGpus(to);
  gpus_.SaveSwitches(to);
}

void ScheduleAgent::Load(StateReader* from) {
  gpus_.LoadGpus(from);
  gpus_.LoadSwitches(from);
}

CollectiveName ScheduleAgent::CollectiveOf(const FlowCookie& cookie) const {
  const MessageName name = cookie.As<MessageName>();
  return {name.operation, name.group, name.job};
}

std::vector<NodeId> ScheduleAgent::MembersOf(const CollectiveName& name) {
  const PlannedCollective& planned = PlannedOf(name);
  const GroupShape& shape = *planned.shape;
  if (planned.schedule == nullptr || IsBetweenTwo(planned.spec) || shape.servers() > 1) return {};
  for (Participant p = 0; p < shape.participants(); ++p) {
    const FlowCounts counts = planned.schedule->CountsOf(p);
    if (shape.is_rank(p) ? gpus_.Find(shape.node(p)) == nullptr
                         : counts.sends + counts.receives > 0)
      return {};
  }
  return {shape.gpus(), shape.gpus() + shape.ranks()};
}

bool ScheduleAgent::AddState(const CollectiveName& name, Time origin,
                             std::vector<std::uint64_t>* words) {
  const PlannedCollective& planned = PlannedOf(name);
  const GroupShape& shape = *planned.shape;
  FutureWords visit(words);
  CollectiveSpec::VisitFuture(planned.spec, visit);
  AlgorithmChoice::VisitFuture(planned.choice, visit);
  words->insert(words->end(), {gpus_.context().jobs[name.job]->job().priority, shape.ranks(),
                               shape.nvswitches(0)});
  for (Participant rank = 0; rank < shape.ranks(); ++rank) {
    const Participation* part = RunnerOf(shape, rank).FindFresh(name.operation);
    if (part == nullptr) return false;
    words->push_back(shape.rail(rank));
    words->push_back(static_cast<std::uint64_t>((part->from - origin).ps));
  }
  return true;
}

void ScheduleAgent::EndWhole(const CollectiveName& name, NodeId node, Time when) {
  gpus_.Find(node)->runner().EndWhole(name.operation, when);
}

void ScheduleAgent::ForgetWhole(const CollectiveName& name) {
  const GroupShape& shape = *PlannedOf(name).shape;
  for (Participant rank = 0; rank < shape.ranks(); ++rank)
    RunnerOf(shape, rank).ForgetWhole(name.operation);
}

void ScheduleAgent::TakeBackEnds(const CollectiveName& name) {
  const GroupShape& shape = *PlannedOf(name).shape;
  for (Participant rank = 0; rank < shape.ranks(); ++rank)
    RunnerOf(shape, rank).TakeBackEnd(name.operation);
}

}  // namespace heddle
