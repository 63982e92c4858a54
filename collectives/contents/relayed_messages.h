// SPDX-License-Identifier: GPL-2.0-only
/// What a GPU holds for others: messages of PXN on their way over it, which do not touch its
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
  /// Whether its destination sends on what `arrived` brings.
  static bool IsRelayed(const Schedule& schedule, const GroupFlow& arrived);

  /// Keeps the payload of a message that is to be sent on.
  void Keep(const MessageName& arrived, const char* payload, std::int64_t bytes);
  /// What was kept for the message `leaving`, by the participants from which it came: the parts in
  /// their order, and forgets it. Empty: nothing was.
  std::map<Participant, std::vector<char>> Take(const MessageName& leaving);

 private:
  /// Of a message and of what it brings on have all of these in common but the last, the rank that
  /// relays.
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t,
                         Connection, Participant>;
  static Key KeyOf(const MessageName& name, Connection connection, Participant relay) {
    return {name.job, name.operation, name.group, name.channel, name.chunk, connection, relay};
  }

  std::map<Key, std::map<Participant, std::vector<char>>> kept_;
};

}  // namespace heddle
