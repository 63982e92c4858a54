// SPDX-License-Identifier: GPL-2.0-only
/// What a GPU holds for others: messages of PXN on their path over it, which do not touch its
/// buffers.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/schedule/message_name.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class RelayedMessages {
 public:
  /// Whether the destination sends on what `arrived` brings.
  static bool IsRelayed(const Schedule& schedule, const GroupFlow& arrived);

  /// Keeps the payload of a message that is to be sent on.
  void Keep(const MessageName& arrived, const char* payload, std::int64_t bytes);
  /// Returns what was kept for the message `leaving`, by the participants from which it came: the
  /// parts in their order. Forgets it. Empty: nothing was.
  std::map<Participant, std::vector<char>> Take(const MessageName& leaving);

 private:
  /// A message and the one that carries on what it brings have all of these in common; the last is
  /// the rank that relays.
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t,
                         Connection, Participant>;
  /// `connection`: of the message that leaves `relay`.
  static Key KeyOf(const MessageName& name, Connection connection, Participant relay) {
    return {name.job, name.operation, name.group, name.channel, name.chunk, connection, relay};
  }

  std::map<Key, std::map<Participant, std::vector<char>>> kept_;
};

}  // namespace heddle
