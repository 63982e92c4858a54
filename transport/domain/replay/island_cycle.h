// SPDX-License-Identifier: GPL-2.0-only
/// Cycles of an island: when all that its future depends on is as it was some time ago, but for how
/// far its flows have come, then so it goes on, until a flow comes to its end or another begins.
/// Whole cycles are skipped by moving the island's state in time.
///
/// Source: the steady states that Wormhole (NSDI 2026) skips, here those that are equal to the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/domain/replay/island.h"
#include "transport/domain/replay/island_jump.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// An island between two events.
class IslandView {
 public:
  /// `island` is number `number` of `map`, and none of its flows is at rest.
  IslandView(DomainState* state, const Island& island, const IslandMap& map, std::uint32_t number);

  enum class Sight : std::uint8_t {
    kUnsound,  ///< there is something that cannot be moved, such as a flow near its end
    kOther,    ///< it is not as `before`; `seen` is incomplete
    kSame      ///< as `before`, or there is none
  };
  /// Its state before the events at `now`.
  Sight Look(Time now, const std::optional<IslandState>& before, IslandState* seen) const;
  /// How many more of these cycles come before a flow sends its last packet.
  std::int64_t MostCycles(const IslandCycle& cycle) const;
  /// Takes its events out of the domain's queue: packets in flight, and ports that become free.
  std::vector<Event> TakeEvents() const;
  /// All state, events included, becomes that of `times` cycles later, or earlier if it is
  /// negative. Puts the events into the domain's queue.
  void Move(const IslandCycle& cycle, std::int64_t times, std::vector<Event> events) const;

  /// What was sent between two equal states.
  static IslandCycle Between(const IslandState& first, const IslandState& second);

 private:
  using Words = std::vector<std::uint64_t>;
  struct Live {
    std::uint32_t slot = 0;  ///< of its queue pair
    std::int64_t acked = 0;
  };

  const Live* FindLive(std::uint32_t slot) const;
  bool AddPort(std::uint32_t index, Time now, Words* words) const;
  bool AddFlow(const Live& live, Time now, Words* words) const;
  bool AddPacket(const Packet& packet, Time now, Words* words) const;
  bool AddEvents(Time now, Words* words) const;
  bool IsOwn(const Event& event) const;
  void MovePacket(const IslandCycle& cycle, std::int64_t times, std::uint32_t slot) const;
  void MoveFlow(const IslandCycle& cycle, std::int64_t times, std::size_t index) const;

  DomainState& state_;
  const Island& island_;
  const IslandMap& map_;
  std::uint32_t number_;
  std::vector<Live> live_;  ///< ascending by slot
};

}  // namespace heddle
