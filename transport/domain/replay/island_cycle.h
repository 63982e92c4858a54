// SPDX-License-Identifier: GPL-2.0-only
/// Cycles of an island. When all that its future depends on is as it was some time ago, but for the
/// progress of its flows, it repeats what it did since then, until a flow nears its end or another
/// begins. Whole cycles are skipped by moving the island's state in time.
///
/// Source: the steady states that Wormhole (NSDI 2026) skips, here only states that are equal to
/// the bit.
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
  /// Looks at `island`, number `number` of `map`, of which no flow is at rest.
  IslandView(DomainState* state, const Island& island, const IslandMap& map, std::uint32_t number);

  enum class Sight : std::uint8_t {
    kUnsound,  ///< there is something that cannot be moved, such as a flow near its end
    kOther,    ///< it is not as `before`; `seen` is incomplete
    kSame      ///< as `before`, or there is none
  };
  /// Compares the state before the events at `now` with `before`, and writes it to `seen`.
  Sight Look(Time now, const std::optional<IslandState>& before, IslandState* seen) const;
  /// Returns how many more of these cycles come before a flow sends its last packet.
  std::int64_t MostCycles(const IslandCycle& cycle) const;
  /// Takes the island's events out of the domain's queue and returns them: packets in flight, and
  /// ports that become free.
  std::vector<Event> TakeEvents() const;
  /// Moves all state, events included, to that of `times` cycles later, or earlier if it is
  /// negative. Puts the events into the domain's queue.
  void Move(const IslandCycle& cycle, std::int64_t times, std::vector<Event> events) const;

  /// Returns the cycle between two equal states: its length, what was acknowledged, what was sent.
  static IslandCycle Between(const IslandState& first, const IslandState& second);

 private:
  using Words = std::vector<std::uint64_t>;
  struct Live {
    std::uint32_t slot = 0;  ///< of its queue pair
    std::int64_t acked = 0;
  };

  /// Returns the flow of a queue pair that is under way here; null if there is none.
  const Live* FindLive(std::uint32_t slot) const;
  /// Appends the words of a port, of the packets that wait there, and of its NIC's turns. Returns
  /// false if something cannot be moved.
  bool AddPort(std::uint32_t index, Time now, Words* words) const;
  /// Appends the words of both ends of a flow. Returns false if it is near its end, has no ACK yet,
  /// or sends again.
  bool AddFlow(const Live& live, Time now, Words* words) const;
  /// Appends the words of a packet. Returns false if it is of no flow under way, or no data or ACK.
  bool AddPacket(const Packet& packet, Time now, Words* words) const;
  /// Appends the island's events, in their order, with times after `now`. Returns false for a
  /// packet that cannot be moved.
  bool AddEvents(Time now, Words* words) const;
  /// Whether an event is an arrival at a port of the island, or one of its ports that becomes free.
  bool IsOwn(const Event& event) const;
  /// Moves times and bytes of a packet by `times` cycles.
  void MovePacket(const IslandCycle& cycle, std::int64_t times, std::uint32_t slot) const;
  /// Moves both ends of a flow by `times` cycles. `index`: of live_.
  void MoveFlow(const IslandCycle& cycle, std::int64_t times, std::size_t index) const;

  DomainState& state_;
  const Island& island_;
  const IslandMap& map_;
  std::uint32_t number_;
  std::vector<Live> live_;  ///< ascending by slot
};

}  // namespace heddle
