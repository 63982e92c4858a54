// SPDX-License-Identifier: GPL-2.0-only
/// Name of a message of a collective between domains and ranks.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace heddle {

/// A message and its number among those of its connection: of one source, destination, channel and
/// role. A connection delivers in order, as NCCL's queue pairs do and as SimAI's collectives wait
/// for them; that its messages are flows of their own, which may overtake each other, must not
/// show.
struct NumberedFlow {
  GroupFlow flow;
  std::uint32_t turn = 0;  ///< modulo 2^24

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow.source& flow.destination& flow.chunk& flow.channel& flow.connection& turn;
  }
};

/// Identity of a message, as its cookie carries it between domains.
struct MessageName {
  static constexpr int kTurnBits = 24;
  static constexpr std::uint32_t kLastTurn = (1U << kTurnBits) - 1;

  std::uint32_t node = 0;       ///< node of the destination
  std::uint32_t operation = 0;  ///< operation of the job
  std::uint32_t group = 0;      ///< group of the operation's type
  Participant source = 0, destination = 0;
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0;
  std::uint16_t job = 0;
  std::uint32_t connection_bits : 8;
  std::uint32_t turn : kTurnBits;  ///< number among the messages of its connection, modulo 2^24

  MessageName() : connection_bits(0), turn(0) {}
  /// Decodes connection_bits.
  Connection connection() const { return static_cast<Connection>(connection_bits); }
  /// Returns a message with this name; offset, bytes and flags are not set.
  GroupFlow flow() const {
    GroupFlow flow;
    flow.source = source;
    flow.destination = destination;
    flow.chunk = chunk;
    flow.channel = channel;
    flow.connection = connection();
    return flow;
  }
  NumberedFlow numbered() const { return {flow(), turn}; }  ///< flow() with its turn
};
static_assert(sizeof(MessageName) == 32);

}  // namespace heddle
