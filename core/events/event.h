// SPDX-License-Identifier: GPL-2.0-only
/// The plain record of a future event, and the order of events at the same time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// Rank of an event among those of the same time: by node, then port, then kind, then a number
/// within these. It depends on the simulated events only, not on who scheduled first; this makes
/// results independent of the number of ranks. Widths: node 20 bits, port 16, kind 6, number 22 (of
/// which equal-time events of one port and kind use the low end).
class EventOrder {
 public:
  static constexpr std::uint32_t kKindBits = 6, kNumberBits = 22;
  static constexpr std::uint32_t kMaxKinds = 1U << kKindBits;
  static constexpr std::uint32_t kNumberMask = (1U << kNumberBits) - 1;

  constexpr EventOrder() = default;
  constexpr explicit EventOrder(std::uint64_t bits) : bits_(bits) {}
  constexpr EventOrder(NodeId node, PortId port, std::uint32_t kind, std::uint32_t number = 0)
      : bits_((static_cast<std::uint64_t>(node.value) << 44) |
              (static_cast<std::uint64_t>(port.value) << 28) |
              (static_cast<std::uint64_t>(kind) << kNumberBits) | (number & kNumberMask)) {}

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr NodeId node() const { return NodeId(static_cast<std::uint32_t>(bits_ >> 44)); }
  constexpr PortId port() const {
    return PortId(static_cast<std::uint32_t>(bits_ >> 28) & (kMaxPorts - 1));
  }
  constexpr std::uint32_t kind() const {
    return static_cast<std::uint32_t>(bits_ >> kNumberBits) & (kMaxKinds - 1);
  }
  /// A number from 64 bits of a hash: its highest bits, so that narrower numbers keep the order.
  static constexpr std::uint32_t NumberOf(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> (64 - kNumberBits));
  }
  /// The same order with another number.
  constexpr EventOrder With(std::uint32_t number) const {
    return EventOrder((bits_ & ~static_cast<std::uint64_t>(kNumberMask)) | (number & kNumberMask));
  }

 private:
  static_assert(kMaxNodes == 1U << 20 && kMaxPorts == 1U << 16 && kKindBits + kNumberBits == 28,
                "the widths above");

  std::uint64_t bits_ = 0;
};

/// One future event of a domain. The domain interprets it by kind() of the order and by `argument`.
struct Event {
  Time time;
  std::uint64_t order = 0;     ///< EventOrder::bits()
  std::uint32_t argument = 0;  ///< slot of a packet, index of a port, ...
  std::uint32_t link = 0;      ///< used by the queue that holds the event
};
static_assert(sizeof(Event) == 24 && std::is_trivially_copyable_v<Event>,
              "an event is copied by the million: keep it three words");

constexpr bool Earlier(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.order < b.order;
}

}  // namespace heddle
