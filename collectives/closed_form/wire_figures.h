// SPDX-License-Identifier: GPL-2.0-only
/// What closed forms know of packets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

struct WireFigures {
  std::int64_t payload = 9000;    ///< of a full packet [byte], > 0
  std::int64_t header = 48;       ///< of each packet [byte]
  std::uint32_t queue_pairs = 1;  ///< of a connection, at least 1
  std::int64_t ack = 0;           ///< of the answer to each packet, on the way back [byte]

  /// Bytes of a message's packets on a link.
  double BytesOnWire(std::int64_t message) const {
    const std::int64_t packets = (message + payload - 1) / payload;
    return static_cast<double>(message + packets * header);
  }
  /// The same with those of the answers to as many packets that come the other way.
  double BytesBothWays(std::int64_t message) const {
    const std::int64_t packets = (message + payload - 1) / payload;
    return static_cast<double>(message + packets * (header + ack));
  }
  /// Bytes of the largest packet of a message.
  double LargestPacket(std::int64_t message) const {
    return static_cast<double>(std::min(message, payload) + header);
  }
};

}  // namespace heddle
