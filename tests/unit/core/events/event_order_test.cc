// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <tuple>

#include "core/base/random.h"
#include "core/events/event.h"

namespace heddle {
namespace {

TEST(EventOrder, KeepsItsPartsAtTheEdgesOfTheirWidths) {
  for (std::uint32_t node : {0U, 1U, (1U << 20) - 1}) {
    for (std::uint32_t port : {0U, 1U, (1U << 16) - 1}) {
      for (std::uint32_t kind : {0U, 1U, EventOrder::kMaxKinds - 1}) {
        const EventOrder order(NodeId(node), PortId(port), kind, EventOrder::kNumberMask);
        EXPECT_EQ(order.node(), NodeId(node));
        EXPECT_EQ(order.port(), PortId(port));
        EXPECT_EQ(order.kind(), kind);
        EXPECT_EQ(order.bits() & EventOrder::kNumberMask, EventOrder::kNumberMask);
        EXPECT_EQ(EventOrder(order.bits()).bits(), order.bits());
      }
    }
  }
}

TEST(EventOrder, NumberWrapsWithoutTouchingTheRest) {
  const EventOrder order(NodeId(5), PortId(6), 7, (1U << EventOrder::kNumberBits) + 9);
  EXPECT_EQ(order.bits(), EventOrder(NodeId(5), PortId(6), 7, 9).bits());
  EXPECT_EQ(order.With((1U << EventOrder::kNumberBits) + 3).bits(),
            EventOrder(NodeId(5), PortId(6), 7, 3).bits());
}

TEST(EventOrder, OrdersByNodeThenPortThenKindThenNumber) {
  RandomStream random(1, 0, RandomPurpose::kPartition);
  using Parts = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  const auto draw = [&]() -> Parts {
    const auto a = static_cast<std::uint32_t>(random.Below(3) * ((1U << 19) - 1));
    const auto b = static_cast<std::uint32_t>(random.Below(3) * ((1U << 15) - 1));
    const auto c = static_cast<std::uint32_t>(random.Below(EventOrder::kMaxKinds));
    return {a, b, c, static_cast<std::uint32_t>(random.Below(1U << EventOrder::kNumberBits))};
  };
  const auto pack = [](const Parts& p) {
    return EventOrder(NodeId(std::get<0>(p)), PortId(std::get<1>(p)), std::get<2>(p),
                      std::get<3>(p))
        .bits();
  };
  for (int i = 0; i < 20000; ++i) {
    const Parts a = draw(), b = draw();
    ASSERT_EQ(pack(a) < pack(b), a < b);
  }
}

TEST(Event, EarlierComparesTimeBeforeOrder) {
  const Event a{PicoSeconds(1), 9, 0, 0}, b{PicoSeconds(2), 1, 0, 0}, c{PicoSeconds(2), 2, 0, 0};
  EXPECT_TRUE(Earlier(a, b));
  EXPECT_FALSE(Earlier(b, a));
  EXPECT_TRUE(Earlier(b, c));
  EXPECT_FALSE(Earlier(c, b));
  EXPECT_FALSE(Earlier(b, b));
}

}  // namespace
}  // namespace heddle
