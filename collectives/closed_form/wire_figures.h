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
  bool acked = false;             ///< a message has arrived when its sender has the last answer
  std::int64_t ack = 0;           ///< of the answer to each packet, in the other direction [byte]

  /// Returns the bytes of a message's packets on a link.
  double BytesOnWire(std::int64_t message) const {
    const std::int64_t packets = (message + payload - 1) / payload;
    return static_cast<double>(message + packets * header);
  }
  /// Returns the same with the answers to as many packets that come in the other direction.
  double BytesBothWays(std::int64_t message) const {
    const std::int64_t packets = (message + payload - 1) / payload;
    return static_cast<double>(message + packets * (header + ack));
  }
  /// Returns the bytes of the largest packet of a message.
  double LargestPacket(std::int64_t message) const {
    return static_cast<double>(std::min(message, payload) + header);
  }
};

}  // namespace heddle
