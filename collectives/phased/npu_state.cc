// SPDX-License-Identifier: GPL-2.0-only
// State of an NPU's chunks in a checkpoint (core/checkpoint/state_archive.h), and its checks.
#include <algorithm>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <utility>

#include "collectives/phased/chunk_deadlock.h"
#include "collectives/phased/npu_scheduler.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

void NpuScheduler::Save(StateWriter* to) const {
  auto sets = sets_;
  auto ready = ready_;
  auto lanes = lanes_;
  auto turns = turns_;
  StateCount early(early_.size());
  std::uint32_t next = next_set_, first = in_first_phase_;
  *to << sets << next << ready << lanes << turns << first << early;
  for (const auto& [key, numbers] : early_) {
    *to << std::get<0>(key) << std::get<1>(key) << std::get<2>(key) << std::get<3>(key)
        << std::get<4>(key) << numbers;
  }
}

void NpuScheduler::Load(StateReader* from, const CallOf& call_of) {
  const std::size_t lanes = lanes_.size(), turns = turns_.size();
  StateCount early;
  *from >> sets_ >> next_set_ >> ready_ >> lanes_ >> turns_ >> in_first_phase_ >> early;
  early_.clear();
  for (std::size_t i = 0; i < early; ++i) {
    std::uint16_t job = 0;
    std::uint32_t operation = 0, group = 0, chunk = 0, phase = 0;
    std::vector<std::uint32_t> numbers;
    *from >> job >> operation >> group >> chunk >> phase >> numbers;
    ExpectState(!numbers.empty() && std::is_sorted(numbers.begin(), numbers.end()),
                "messages that came early in another order");
    early_[{job, operation, group, chunk, phase}] = std::move(numbers);
  }
  ExpectState(lanes_.size() == lanes && turns_.size() == turns, "chunks of another fabric");
  numbers_ = FlatMap();
  for (auto& [number, set] : sets_) {
    const std::uint64_t key = KeyOf(set.name.job, set.name.operation, set.name.group);
    ExpectState(number < next_set_ && set.bytes > 0, "a collective that nobody began");
    ExpectState(numbers_.Find(key) == FlatMap::kNone, "a collective twice");
    numbers_.Insert(key, number);
    LoadPlan(&set, call_of);
  }
}

/// Checks a loaded set against its call and fills its plan.
void NpuScheduler::LoadPlan(Set* set, const CallOf& call_of) const {
  const KnownCall call = call_of(set->name, npu_);
  ExpectState(call.known && set->operation == call.operation && set->bytes == call.bytes &&
                  set->dimensions == call.dimensions,
              "a collective that no job has");
  set->plan = planner_.Plan(set->operation, set->bytes, set->dimensions);
  const std::size_t phases = set->plan.phases.size();
  ExpectState(set->chunks.size() == (phases == 0 ? 0 : static_cast<std::size_t>(set->plan.chunks)),
              "another number of chunks than a collective");
  for (const Chunk& chunk : set->chunks) {
    ExpectState(chunk.lanes.size() == phases && chunk.phase <= phases, "a chunk without lanes");
    ExpectState(std::min({chunk.since, chunk.posted, chunk.network}) >= Time{},
                "a chunk whose delays are below 0");
    ExpectState(chunk.running || chunk.ahead.empty(), "messages of a phase that has not begun");
    for (std::size_t i = 0; i < phases; ++i) {
      const Dimension& d = planner_.shape().dimensions[set->plan.phases[i].dimension];
      ExpectState(chunk.lanes[i] < d.lanes(), "a lane that there is not");
    }
  }
}

/// Finds the chunks of a loaded state, each in one place: with a set that begins, in the ready
/// list, before a lane, or on it.
class NpuScheduler::Places {
 public:
  explicit Places(const NpuScheduler& npu) : npu_(npu), running_(npu.lanes_.size(), 0) {
    for (const auto& [number, set] : npu.sets_) claimed_[number].resize(set.chunks.size(), false);
  }

  void Begin(const NpuAction& action) {
    const Set& set = SetOf(action.set);
    ExpectState(begun_.insert(action.set).second, "a collective that begins twice");
    for (std::uint32_t chunk = 0; chunk < set.chunks.size(); ++chunk)
      ExpectNew(Claim(action.set, chunk));
  }
  void Wait(const Waiting& waiting) { ExpectNew(Claim(waiting.set, waiting.chunk)); }
  void WaitAt(std::uint32_t lane, const Waiting& waiting) {
    const Chunk& chunk = Claim(waiting.set, waiting.chunk);
    ExpectState(!chunk.running && npu_.LaneOf(SetOf(waiting.set), waiting.chunk) == lane,
                "a chunk before another lane");
    first_ += chunk.phase == 0 ? 1 : 0;
  }
  void Run(std::uint32_t number, std::uint32_t index) {
    const Chunk& chunk = Claim(number, index);
    const Set& set = SetOf(number);
    const PlannedPhase& phase = set.plan.phases[chunk.phase];
    const LinePlace place = npu_.planner_.PlaceOf(npu_.npu_, phase, index);
    ExpectState(chunk.received <= phase.steps.MessagesOf(place),
                "a phase with more messages than it has");
    CheckAhead(phase.steps, place, chunk);
    ++running_[npu_.LaneOf(set, index)];
    first_ += chunk.phase == 0 ? 1 : 0;
  }
  /// All that is to be found was.
  void Check() const {
    for (const auto& [number, set] : npu_.sets_) CheckSet(set, claimed_.at(number), number);
    for (std::size_t lane = 0; lane < running_.size(); ++lane)
      ExpectState(running_[lane] == npu_.lanes_[lane].running, "a lane with other chunks");
    ExpectState(first_ == npu_.in_first_phase_, "another number of chunks in their first phase");
  }

 private:
  const Set& SetOf(std::uint32_t number) const {
    const auto set = npu_.sets_.find(number);
    ExpectState(set != npu_.sets_.end(), "a chunk of no collective");
    return set->second;
  }
  const Chunk& Claim(std::uint32_t number, std::uint32_t index) {
    const Set& set = SetOf(number);
    ExpectState(index < set.chunks.size() && set.chunks[index].phase < set.plan.phases.size(),
                "a chunk that there is not");
    std::vector<bool>& claimed = claimed_[number];
    ExpectState(!claimed[index], "a chunk in two places");
    claimed[index] = true;
    return set.chunks[index];
  }
  /// Messages that came before their step.
  static void CheckAhead(const LineSteps& steps, LinePlace place, const Chunk& chunk) {
    ExpectState(std::is_sorted(chunk.ahead.begin(), chunk.ahead.end()),
                "messages of later steps in another order");
    for (const std::uint32_t number : chunk.ahead) {
      ExpectState(number < steps.messages &&
                      steps.StepOf(number) > steps.AwaitedStep(chunk.received, place),
                  "a message of a later step that is awaited, or that there is not");
    }
  }
  static void ExpectNew(const Chunk& chunk) {
    ExpectState(!chunk.running && chunk.phase == 0, "a chunk that began before it was issued");
  }
  void CheckSet(const Set& set, const std::vector<bool>& claimed, std::uint32_t number) const {
    std::uint32_t left = 0;
    for (std::size_t chunk = 0; chunk < claimed.size(); ++chunk) {
      ExpectState(claimed[chunk] == (set.chunks[chunk].phase < set.plan.phases.size()),
                  "a chunk that is nowhere");
      left += claimed[chunk] ? 1 : 0;
    }
    ExpectState(left == set.left && (left > 0 || begun_.count(number) > 0),
                "a collective with another number of chunks left");
  }

  const NpuScheduler& npu_;
  std::map<std::uint32_t, std::vector<bool>> claimed_;  ///< by set and chunk
  std::set<std::uint32_t> begun_;                       ///< sets that are to begin
  std::vector<std::uint32_t> running_;                  ///< chunks, by lane
  std::uint32_t first_ = 0;                             ///< chunks in their first phase
};

bool NpuScheduler::HasAll(const Set& set, std::uint32_t chunk) const {
  const Chunk& c = set.chunks[chunk];
  const PlannedPhase& phase = set.plan.phases[c.phase];
  return c.received == phase.steps.MessagesOf(planner_.PlaceOf(npu_, phase, chunk));
}

void NpuScheduler::AddStands(std::vector<ChunkStand>* to) const {
  using Place = ChunkStand::Place;
  const auto add = [&](std::uint32_t number, std::uint32_t chunk, Place place) {
    const Set& set = sets_.at(number);
    to->push_back({npu_, set.name, chunk, LaneOf(set, chunk), set.chunks[chunk].phase, place});
  };
  for (const Waiting& chunk : ready_) add(chunk.set, chunk.chunk, Place::kReadyList);
  for (const LaneQueue& lane : lanes_) {
    for (const Waiting& chunk : lane.waiting) add(chunk.set, chunk.chunk, Place::kBeforeLane);
  }
  for (const auto& [number, set] : sets_) {
    for (std::uint32_t chunk = 0; chunk < set.chunks.size(); ++chunk) {
      if (set.chunks[chunk].running)
        add(number, chunk, HasAll(set, chunk) ? Place::kComplete : Place::kOnLane);
    }
  }
}

void NpuScheduler::Check(const std::vector<NpuAction>& actions) const {
  Places places(*this);
  std::set<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (const NpuAction& action : actions) {
    if (action.kind == NpuAction::Kind::kBegin) {
      places.Begin(action);
      continue;
    }
    const auto set = sets_.find(action.set);
    ExpectState(action.kind == NpuAction::Kind::kEndPhase && set != sets_.end() &&
                    action.chunk < set->second.chunks.size() &&
                    ends.insert({action.set, action.chunk}).second,
                "the end of a phase that there is not");
    const Chunk& chunk = set->second.chunks[action.chunk];
    ExpectState(chunk.running && chunk.phase < set->second.plan.phases.size() &&
                    HasAll(set->second, action.chunk),
                "the end of a phase that has not ended");
  }
  for (const Waiting& chunk : ready_) places.Wait(chunk);
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    for (const Waiting& chunk : lanes_[lane].waiting) places.WaitAt(lane, chunk);
  }
  for (const auto& [number, set] : sets_) {
    for (std::uint32_t chunk = 0; chunk < set.chunks.size(); ++chunk) {
      if (set.chunks[chunk].running) places.Run(number, chunk);
    }
  }
  places.Check();
}

}  // namespace heddle
