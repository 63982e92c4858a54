// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/step_pairs.h"

#include <cstddef>
#include <optional>

namespace heddle {
namespace {

bool ExchangesWithExperts(const ProgramStep& step, const std::vector<ProgramOp>& ops) {
  return step.kind == ProgramStep::Kind::kBlocking &&
         ops[step.op].spec.group == GroupType::kExpert &&
         ops[step.op].spec.operation == Operation::kAllToAll;
}

/// A task that has been done up to a step.
struct HalfDone {
  const std::vector<ProgramStep>& steps;
  std::size_t next = 0;
  std::optional<ProgramStep> open;  ///< the exchange that the next step waits for

  bool ended() const { return next == steps.size() && !open; }
};

/// Goes on with a task to its next exchange with experts, which is issued, or to its end.
void GoOn(const std::vector<ProgramOp>& ops, HalfDone* task, std::vector<ProgramStep>* all) {
  if (task->open) {
    task->open->kind = ProgramStep::Kind::kWait;
    all->push_back(*task->open);
    task->open.reset();
  }
  while (task->next < task->steps.size()) {
    ProgramStep step = task->steps[task->next++];
    const bool exchanges = ExchangesWithExperts(step, ops);
    if (exchanges) step.kind = ProgramStep::Kind::kOverlapped;
    all->push_back(step);
    if (!exchanges) continue;
    task->open = step;
    return;
  }
}

}  // namespace

std::vector<ProgramStep> SideBySide(const std::vector<ProgramStep>& first,
                                    const std::vector<ProgramStep>& second,
                                    const std::vector<ProgramOp>& ops) {
  std::vector<ProgramStep> all;
  HalfDone tasks[] = {{first, 0, {}}, {second, 0, {}}};
  std::size_t turn = 0;
  while (!tasks[0].ended() || !tasks[1].ended()) {
    if (!tasks[turn].ended()) GoOn(ops, &tasks[turn], &all);
    turn = 1 - turn;
  }
  return all;
}

}  // namespace heddle
