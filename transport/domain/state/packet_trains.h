// SPDX-License-Identifier: GPL-2.0-only
/// Joins the packets of flows that begin or end at an NVSwitch (NVLS) into trains.
///
/// Such a flow crosses one link, so its packets arrive one after the other and nothing forwards
/// them. Several are one record, which is sent, received and acknowledged once. It has the bytes of
/// its packets with all their headers, so the flow takes the time that it would take packet by
/// packet. Different are turns of queue pairs at a port, one train each, and ACKs, one a train.
#pragma once

#include <algorithm>
#include <cstdint>

#include "topology/graph/graph.h"
#include "transport/model/wire/packet.h"

namespace heddle {

class PacketTrains {
 public:
  /// Makes no trains.
  PacketTrains() = default;
  /// Makes trains of up to `packets` > 0 packets of `payload` and `header` bytes, and of 64 KiB.
  PacketTrains(const Graph& graph, std::int64_t payload, std::int64_t header, std::int64_t packets)
      : payload_(payload),
        header_(header),
        packets_(
            std::max<std::int64_t>(1, std::min(packets, kMaxPacketBytes / (payload + header)))),
        first_(graph.gpu_count()),
        nvswitches_(packets_ > 1 ? graph.nvswitch_count() : 0) {}

  /// Returns the packets of a full train; 1: there are no trains.
  std::int64_t packets() const { return packets_; }
  /// Returns the most payload of a record of a flow [byte]: of a train at NVSwitches, else of a
  /// packet.
  std::int64_t PayloadOf(NodeId source, NodeId destination) const {
    return Has(source) || Has(destination) ? payload_ * packets_ : payload_;
  }
  /// Returns the bytes on the wire of a record with this payload: one header for each packet in it.
  std::int64_t WireBytes(std::int64_t payload) const {
    if (payload <= payload_) return payload + header_;
    return payload + (payload + payload_ - 1) / payload_ * header_;
  }
  /// Returns the payload of a record with these bytes on the wire: the reverse of WireBytes().
  std::int64_t PayloadIn(std::int64_t size) const {
    const std::int64_t full = payload_ + header_;
    if (size <= full) return size - header_;
    return size - (size + full - 1) / full * header_;
  }

 private:
  /// Whether packets from or to this node leave in trains: an NVSwitch, if there are trains at all.
  bool Has(NodeId node) const { return node.value - first_ < nvswitches_; }

  std::int64_t payload_ = 0, header_ = 0, packets_ = 1;
  std::uint32_t first_ = 0, nvswitches_ = 0;  ///< ids of NVSwitches; none: there are no trains
};

}  // namespace heddle
