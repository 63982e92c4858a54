// SPDX-License-Identifier: GPL-2.0-only
/// What happened on an island from rest to rest: the flows that it was given, and what became of
/// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "transport/model/replay/episode_key.h"
#include "transport/model/replay/load_curve.h"

namespace heddle {

/// What happens to a flow, as others are notified of it, in this order.
enum class EpisodeStep : std::uint8_t {
  kInput,    ///< it starts: the only step that comes from outside
  kSent,     ///< the first transmission of its last byte begins
  kArrived,  ///< all of it is at its destination
  kEnded     ///< all of it is acknowledged
};

struct EpisodeItem {
  std::int64_t after = 0;  ///< the episode's beginning [ps]
  std::uint32_t flow = 0;  ///< running number of its input
  std::uint16_t port = 0;  ///< label of the port whose event it was; of an input: its NIC's
  EpisodeStep step = EpisodeStep::kInput;
  std::uint8_t kind = 0;  ///< FabricEvent::Kind of that event; kFlowStart: the last input's
};

/// What an episode leaves at a port.
struct EpisodePort {
  std::uint32_t sent = 0;  ///< packets
  std::uint16_t turn = 0;
  std::uint8_t last_served = 0, own_turn = 0;  ///< as Port's
  std::int64_t bytes = 0, max_queued = 0;
};

struct EpisodeRecord {
  std::vector<EpisodeItem> items;  ///< in the order of their events
  std::vector<EpisodeKey> keys;    ///< by input: of the episode up to and with it
  std::vector<LoadCurve> load;     ///< by slot of TierLoad
  std::vector<EpisodePort> ports;  ///< by label; empty before the end
  std::int64_t packets = 0;        ///< packet-hops
  std::int64_t received_packets = 0, received_bytes = 0;  ///< by hosts, who sent as much
  bool complete = false;                                  ///< the island is at rest again
  bool dead = false;            ///< it will never be complete, and must not be used any more
  const void* owner = nullptr;  ///< where it is being simulated, before it is complete
  bool followed = false;        ///< an island has used it
  std::uint32_t island = 0;     ///< of the owner
  Time begin;                   ///< of the episode there
  std::vector<std::uint32_t> followers;  ///< islands of the owner that replay it, before that

  /// Returns the bytes that it takes, with its curves and itself.
  std::size_t memory() const {
    std::size_t sum = sizeof(*this) + items.capacity() * sizeof(EpisodeItem) +
                      keys.capacity() * sizeof(EpisodeKey) + ports.capacity() * sizeof(EpisodePort);
    for (const LoadCurve& curve : load) sum += curve.memory();
    return sum;
  }
};

}  // namespace heddle
