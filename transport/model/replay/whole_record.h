// SPDX-License-Identifier: GPL-2.0-only
/// What became of a collective within one server, from its first message to its end: all its flows,
/// the ends of its participants, and the episodes of the island that carried it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/units.h"
#include "transport/model/replay/episode_key.h"
#include "transport/model/replay/episode_record.h"

namespace heddle {

/// A flow of the collective. Times in picoseconds; `start` and `arrived` count from the beginning.
struct WholeFlow {
  std::int64_t start = 0, arrived = 0;
  std::int64_t completion = 0, ideal = 0;  ///< from its start on
  std::int64_t size = 0;                   ///< [byte]
  std::uint32_t connection = 0;            ///< FlowPost::connection
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0, destination_port = 0;
  std::uint16_t source = 0, destination = 0;  ///< ranks
  std::uint16_t part = 0;                     ///< of its message, from 0
  std::uint8_t priority = 0;
  bool ended = false;
};

/// The end of a participation, as its program is notified of it.
struct WholeEnd {
  std::int64_t after = 0;  ///< when it is notified, from the beginning [ps]
  std::int64_t at = 0;     ///< when it ended, from the beginning [ps]
  std::uint32_t rank = 0;
};

/// Two ranks of which one sends to the other, and the path of their packets (ReplaySide::FindPath).
struct WholePair {
  std::uint16_t source = 0, destination = 0;
  EpisodeKey way;
};

struct WholeRecord {
  /// An episode of the island.
  struct Part {
    std::weak_ptr<EpisodeRecord> episode;
    std::int64_t after = 0;  ///< from the collective's beginning to its own [ps]
  };

  EpisodeKey key;
  std::vector<WholeFlow> flows;  ///< in the order in which they start
  std::vector<WholeEnd> ends;    ///< in the order of their events
  std::vector<WholePair> pairs;
  std::vector<Part> parts;
  std::int64_t quiet = 0;  ///< from the beginning to the end of the last flow or participation [ps]
  bool complete = false;   ///< nothing will be added any more
  bool dead = false;       ///< it will never be complete
  const void* owner = nullptr;           ///< the domain where it is made, before it is complete
  std::uint32_t island = 0;              ///< of the owner
  std::vector<std::uint32_t> followers;  ///< islands of the owner that replay it, before that

  /// Returns the bytes that it takes, itself included.
  std::size_t memory() const {
    return sizeof(*this) + flows.capacity() * sizeof(WholeFlow) +
           ends.capacity() * sizeof(WholeEnd) + pairs.capacity() * sizeof(WholePair) +
           parts.capacity() * sizeof(Part);
  }
};

using WholePtr = std::shared_ptr<WholeRecord>;

}  // namespace heddle
