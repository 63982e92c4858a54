// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/chunk_deadlock.h"

#include <algorithm>

namespace heddle {

ChunkDeadlock::ChunkDeadlock(const PhasePlanner& planner, PlanOf plan_of,
                             std::vector<ChunkStand> stands)
    : planner_(planner),
      plan_of_(std::move(plan_of)),
      stands_(std::move(stands)),
      stuck_(stands_.size(), true) {
  std::sort(stands_.begin(), stands_.end(), [](const ChunkStand& a, const ChunkStand& b) {
    return std::pair(a.npu, KeyOf(a, a.npu)) < std::pair(b.npu, KeyOf(b, b.npu));
  });
  for (std::size_t i = 0; i < stands_.size(); ++i) {
    const ChunkStand& stand = stands_[i];
    index_.emplace(KeyOf(stand, stand.npu), i);
    if (stand.begun()) on_lane_[{stand.npu, stand.lane}].push_back(i);
    if (stand.phase == 0 && stand.place != ChunkStand::Place::kReadyList)
      in_first_phase_[stand.npu].push_back(i);
  }
  FreeAllThatMayGoOn();
}

/// Leaves those stuck that only wait for each other.
void ChunkDeadlock::FreeAllThatMayGoOn() {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < stands_.size(); ++i) {
      if (!stuck_[i] || BlockerOf(i) != kNone) continue;
      stuck_[i] = false;
      changed = true;
    }
  }
}

std::size_t ChunkDeadlock::BlockerOf(std::size_t index) const {
  const ChunkStand& stand = stands_[index];
  switch (stand.place) {
    case ChunkStand::Place::kComplete:
      break;
    case ChunkStand::Place::kOnLane:
      return MissingMember(stand);
    case ChunkStand::Place::kBeforeLane: {
      const auto lane = on_lane_.find({stand.npu, stand.lane});
      return OneIfAllStuck(lane == on_lane_.end() ? nullptr : &lane->second,
                           planner_.options().per_lane);
    }
    case ChunkStand::Place::kReadyList: {
      const auto first = in_first_phase_.find(stand.npu);
      return OneIfAllStuck(first == in_first_phase_.end() ? nullptr : &first->second,
                           planner_.options().threshold);
    }
  }
  return kNone;
}

/// The chunk at a member of its line that is stuck before this phase begins there.
std::size_t ChunkDeadlock::MissingMember(const ChunkStand& stand) const {
  const PlannedPhase& phase = plan_of_(stand.name, stand.npu).phases[stand.phase];
  for (std::uint32_t distance = 1; distance < phase.steps.members; ++distance) {
    const auto at = index_.find(KeyOf(stand, planner_.Along(stand.npu, phase, distance, true)));
    if (at == index_.end() || !stuck_[at->second]) continue;
    const ChunkStand& other = stands_[at->second];
    if (other.phase < stand.phase || (other.phase == stand.phase && !other.begun()))
      return at->second;
  }
  return kNone;
}

std::size_t ChunkDeadlock::OneIfAllStuck(const Holders* holders, std::int64_t places) const {
  if (holders == nullptr || places == 0 || holders->size() < static_cast<std::size_t>(places))
    return kNone;
  const bool all = std::all_of(holders->begin(), holders->end(),
                               [&](std::size_t holder) { return stuck_[holder]; });
  return all ? holders->front() : kNone;
}

std::vector<ChunkStand> ChunkDeadlock::Cycle() const {
  const auto first = std::find(stuck_.begin(), stuck_.end(), true);
  if (first == stuck_.end()) return {};
  std::vector<std::size_t> path;
  auto at = static_cast<std::size_t>(first - stuck_.begin());
  auto seen = path.end();
  for (; (seen = std::find(path.begin(), path.end(), at)) == path.end(); at = BlockerOf(at))
    path.push_back(at);
  path.erase(path.begin(), seen);
  std::rotate(
      path.begin(),
      std::find_if(path.begin(), path.end(), [&](std::size_t i) { return stands_[i].begun(); }),
      path.end());
  std::vector<ChunkStand> cycle;
  for (const std::size_t i : path) cycle.push_back(stands_[i]);
  return cycle;
}

}  // namespace heddle
