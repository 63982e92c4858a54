// SPDX-License-Identifier: GPL-2.0-only
/// Finds chunks in phases that wait for each other for ever.
///
/// Each NPU chooses by itself which chunks get its places: chunks.per_lane on a lane,
/// chunks.threshold in their first phase. NPUs that are not equally far, as after a loss, may
/// choose differently. A phase ends at no NPU before all members of its line have begun it. So two
/// NPUs whose places are taken by chunks that the other has no place for wait for ever. ASTRA-sim
/// has the same (its issue 370): each of its NPUs begins what its own queue has next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/phased/phase_plan.h"
#include "core/traffic/collective_carrier.h"

namespace heddle {

/// Where a chunk of a collective that has begun stands at an NPU.
struct ChunkStand {
  enum class Place : std::uint8_t {
    kReadyList,   ///< has not been issued
    kBeforeLane,  ///< waits for a place on the lane
    kOnLane,      ///< its phase has begun
    kComplete     ///< the same, and all messages have come
  };
  NodeId npu;
  CollectiveName name;
  std::uint32_t chunk = 0;
  std::uint32_t lane = 0;  ///< of the NPU's, in this phase
  std::uint16_t phase = 0;
  Place place = Place::kReadyList;

  bool begun() const { return place == Place::kOnLane || place == Place::kComplete; }
};

class ChunkDeadlock {
 public:
  /// The plan of a collective in which the NPU takes part.
  using PlanOf = std::function<const PhasePlan&(const CollectiveName&, NodeId npu)>;

  /// `stands`: of all NPUs. `planner` must outlive it, and what `plan_of` returns.
  ChunkDeadlock(const PhasePlanner& planner, PlanOf plan_of, std::vector<ChunkStand> stands);

  /// Chunks each of which waits for the next one, the last one for the first; none of them will
  /// ever go on. Empty if there are none. The first one has begun.
  std::vector<ChunkStand> Cycle() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Job, operation, group, chunk, NPU.
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint32_t, NodeId>;
  using Holders = std::vector<std::size_t>;

  static Key KeyOf(const ChunkStand& stand, NodeId npu) {
    return {stand.name.job, stand.name.operation, stand.name.group, stand.chunk, npu};
  }
  /// A chunk that is stuck, and without which this one does not go on; kNone: it may go on.
  std::size_t BlockerOf(std::size_t index) const;
  std::size_t MissingMember(const ChunkStand& stand) const;
  /// One of those that hold so many places, if all are stuck. 0 places: no limit.
  std::size_t OneIfAllStuck(const Holders* holders, std::int64_t places) const;
  void FreeAllThatMayGoOn();

  const PhasePlanner& planner_;
  PlanOf plan_of_;
  std::vector<ChunkStand> stands_;  ///< by NPU, collective and chunk
  std::vector<bool> stuck_;         ///< by index of stands_
  std::map<Key, std::size_t> index_;
  std::map<std::pair<NodeId, std::uint32_t>, Holders> on_lane_;  ///< by NPU and lane
  std::map<NodeId, Holders> in_first_phase_;                     ///< issued ones
};

}  // namespace heddle
