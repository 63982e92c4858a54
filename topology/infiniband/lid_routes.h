// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables of InfiniBand switches as a dump has them: by LID.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Packets for a LID leave a switch by this port.
struct LidRoute {
  /// The port of what is not reached; no switch has it.
  static constexpr std::uint8_t kUnreachable = 255;

  std::uint16_t lid = 0;
  std::uint8_t port = kUnreachable;  ///< 0: the switch itself
};

struct SwitchRoutes {
  std::uint32_t node = 0;        ///< place in InfinibandNetwork::nodes
  std::vector<LidRoute> routes;  ///< in the order of the file, each LID once
};

struct ForwardingDump {
  std::string file;  ///< name for messages
  std::vector<SwitchRoutes> switches;
  std::vector<std::string> warnings;
};

}  // namespace heddle
