// SPDX-License-Identifier: GPL-2.0-only
/// How long packets of a scale-up level take on a link, and when its credits can run out.
///
/// Source: ASTRA-SIM (ISPASS 2020), Table IV, and its Garnet network. From there come packets of
/// one size a level, each padded to it, an efficiency of the link, flits, and virtual channels with
/// buffers at the receiver. A packet takes ceil(its bytes on the wire / flit) flits of one channel
/// and needs them before it leaves (virtual cut-through by packet; Garnet's packets may stretch
/// over routers).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/units.h"
#include "topology/graph/scale_up.h"

namespace heddle {

/// One direction of a link. Immutable.
class ScaleUpLink {
 public:
  ScaleUpLink() = default;
  /// Computes the times of a link of this level. The rate is reduced by the level's efficiency.
  /// `whole_ns`: times are cut down to whole nanoseconds. Throws UserError if a channel's buffer
  /// does not hold a packet.
  ScaleUpLink(const ScaleUpLevel& level, BitRate rate, Time delay, bool whole_ns = false);

  std::int64_t packet_bytes() const { return packet_bytes_; }  ///< payload of a full packet
  /// Whether messages are single packets (ScaleUpLevel::kWholeMessages).
  bool sends_whole() const { return packet_bytes_ == ScaleUpLevel::kWholeMessages; }
  Time delay() const { return delay_; }  ///< propagation
  /// Returns what a credit takes to come back beyond delay().
  Time credit_delay() const { return credit_delay_; }
  std::uint32_t channels() const { return channels_; }  ///< virtual channels
  /// Returns the flits of a channel's buffer; 0: never full.
  std::uint32_t buffer_flits() const { return buffer_flits_; }
  /// Returns the time of a full packet on the wire.
  Time full_time() const { return full_time_; }

  /// Returns the packets of a flow of this payload, > 0.
  std::int64_t PacketsOf(std::int64_t payload) const {
    return (payload + packet_bytes_ - 1) / packet_bytes_;
  }
  /// Returns the bytes on the wire of one packet of this payload, at most packet_bytes().
  std::int64_t WireBytes(std::int64_t payload) const {
    return header_bytes_ + (padded_ ? packet_bytes_ : payload);
  }
  /// Returns the bytes on the wire of `count` packets; all but the last are full.
  std::int64_t WireBytes(std::int64_t payload, std::int64_t count) const {
    const std::int64_t before = (count - 1) * packet_bytes_;
    return (count - 1) * (header_bytes_ + packet_bytes_) + WireBytes(payload - before);
  }
  /// Returns the bytes on the wire of a packet that may come from a level with larger packets: it
  /// is cut into this link's packets.
  std::int64_t WireBytesOfAny(std::int64_t payload) const {
    return payload <= packet_bytes_ ? WireBytes(payload) : WireBytes(payload, PacketsOf(payload));
  }
  /// Returns the time on the wire of a packet that may come from a level with larger packets.
  Time TimeOfAny(std::int64_t payload) const {
    return payload <= packet_bytes_ ? PacketTime(payload) : TrainTime(payload, PacketsOf(payload));
  }
  /// Returns the flits that such a packet needs in a channel: at most the whole buffer.
  std::uint32_t RoomOfAny(std::int64_t payload) const {
    if (payload == packet_bytes_) return full_flits_;
    return std::min(FlitsOf(WireBytesOfAny(payload)), buffer_flits_);
  }
  /// Returns the flits that cover these bytes on the wire.
  std::uint32_t FlitsOf(std::int64_t wire_bytes) const {
    return static_cast<std::uint32_t>((wire_bytes + flit_bytes_ - 1) / flit_bytes_);
  }
  /// Returns the time of one packet on the wire. All padded packets take the time of a full one.
  Time PacketTime(std::int64_t payload) const {
    return padded_ || payload == packet_bytes_ ? full_time_ : TimeByBytes(payload);
  }
  /// Returns the time from the beginning of a packet, or of a train without a gap, to its arrival
  /// at the far end.
  Time Reach(std::int64_t payload, std::int64_t count) const {
    return whole_ns_ ? TruncateToNanoseconds(LongTime(payload, false) + delay_)
                     : TrainTime(payload, count) + delay_;
  }
  /// Returns the same time of a packet that may come from a level with larger packets.
  Time ReachOfAny(std::int64_t payload) const {
    if (payload <= packet_bytes_ && !whole_ns_) return PacketTime(payload) + delay_;
    return Reach(payload, PacketsOf(payload));
  }
  /// Returns how much longer than on `before` this payload takes here, or 0: what a message that
  /// meets no other waits for at a slower link.
  Time ExtraTo(const ScaleUpLink& before, std::int64_t payload) const {
    const Time here = TimeOfAny(payload), there = before.TimeOfAny(payload);
    return here > there ? here - there : Time();
  }
  /// Returns the time of a train: the sum of the times of its packets.
  Time TrainTime(std::int64_t payload, std::int64_t count) const {
    return full_time_ * (count - 1) + PacketTime(payload - (count - 1) * packet_bytes_);
  }
  /// Whether packets may have to wait for credits although their receiver takes each one when it
  /// arrives.
  bool MayRunOut() const;

 private:
  /// Returns the time of one packet, which may be a whole message; cut down to whole nanoseconds
  /// with `whole_ns`.
  Time TimeByBytes(std::int64_t payload) const;
  /// Returns the same in 128 bits; rounded up or down to whole picoseconds.
  Time LongTime(std::int64_t payload, bool up) const;

  std::int64_t packet_bytes_ = 1, header_bytes_ = 0, flit_bytes_ = 1;
  bool padded_ = true, whole_ns_ = false;
  BitRate rate_;  ///< that packets get
  Time delay_, credit_delay_, full_time_;
  std::uint32_t buffer_flits_ = 0, channels_ = 1;
  std::uint32_t full_flits_ = 0;  ///< of a full packet
};

}  // namespace heddle
