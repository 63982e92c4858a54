// SPDX-License-Identifier: GPL-2.0-only
// NVLinks under credits beside Ethernet: times by hand, and what stays as it was.
#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "core/options/options.h"
#include "tests/models/scale_up/nvlink_fabric.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

TransportOptions Credits() {
  TransportOptions options;
  options.nvlink.layer = NvLinkOptions::Layer::kCredits;
  return options;
}

TEST(NvLink, PacketsHaveAHeaderAndNoAcknowledgement) {
  const TransportOptions options = Credits();
  const Graph graph = NvLinkFabric(options.nvlink);
  // 272 bytes at 400 Gbps take 5.44 ns; the NVSwitch passes them on one by one.
  const Observed o = Simulate(graph, {Flow(0, 1, 2560)}, options);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_EQ(Fct(o, 0), 11 * 5'440 + 2 * 25'000);
  EXPECT_EQ(GetColumn<std::int64_t>(o.flows, "ideal_ps").at(0), Fct(o, 0));
  EXPECT_EQ(o.books.link_packets, 20);
}

TEST(NvLink, FlowsOfAPortTakeTurns) {
  const TransportOptions options = Credits();
  // Two packets of the first flow, of which one left before there was another; then they alternate:
  // the tenth of the second is the 21st on the link.
  const Observed o =
      Simulate(NvLinkFabric(options.nvlink), {Flow(0, 1, 25'600), Flow(0, 1, 2560)}, options);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_EQ(Fct(o, 0), 111 * 5'440 + 2 * 25'000);
  EXPECT_EQ(Fct(o, 1), 22 * 5'440 + 2 * 25'000);
}

TEST(NvLink, OtherServersAreReachedByEthernet) {
  const TransportOptions options = Credits();
  const Observed with =
      Simulate(NvLinkFabric(options.nvlink), {Flow(0, 2, 100'000), Flow(0, 1, 100'000)}, options);
  const Observed without =
      Simulate(NvLinkFabric({}), {Flow(0, 2, 100'000), Flow(0, 1, 100'000)}, {});
  ASSERT_TRUE(AllFinished(with));
  EXPECT_EQ(Fct(with, 0), Fct(without, 0));
  EXPECT_NE(Fct(with, 1), Fct(without, 1));
}

TEST(NvLink, ShortBuffersLimitTheRate) {
  TransportOptions options = Credits();
  options.nvlink.buffer_flits = 17;  // a packet
  const Observed o = Simulate(NvLinkFabric(options.nvlink), {Flow(0, 1, 2560)}, options);
  // The NVSwitch holds a packet until it has left for the next GPU; then the credit goes back.
  EXPECT_GE(Fct(o, 0), 9 * (2 * 5'440 + 2 * 25'000));
  options.nvlink.buffer_flits = 16;
  EXPECT_THROW(Simulate(NvLinkFabric(options.nvlink), {Flow(0, 1, 2560)}, options), UserError);
}

TEST(NvLink, PresetsLeaveWhatTheUserHasSet) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  set.SetAll({"nvlink.layer=credits", "nvlink.header=16", "nvlink.preset=ub", "nvlink.buffer=100"});
  EXPECT_EQ(options.nvlink.packet_bytes, 4096);
  EXPECT_EQ(options.nvlink.header_bytes, 16);
  EXPECT_EQ(options.nvlink.flit_bytes, 160);
  EXPECT_EQ(options.nvlink.buffer_flits, 100);
  set.Set("nvlink.preset", "nvlink");
  EXPECT_EQ(options.nvlink.packet_bytes, 256);
  EXPECT_EQ(options.nvlink.buffer_flits, 100);
}

// A packet of UB fills seven blocks of 640 bytes but for the end of the last: 52 bytes of headers,
// 6 of checksums a block, 2 of a header in all blocks but the first.
TEST(NvLink, PacketsOfUbAreLong) {
  TransportOptions options = Credits();
  OptionSet set;
  options.Declare(&set);
  set.Set("nvlink.preset", "ub");
  const Observed o = Simulate(NvLinkFabric(options.nvlink), {Flow(0, 1, 40'960)}, options);
  ASSERT_TRUE(AllFinished(o));
  const std::int64_t wire = 4096 + 52 + 7 * 6 + 6 * 2;
  EXPECT_EQ(Fct(o, 0), 11 * wire * 20 + 2 * 25'000);  // 20 ps a byte
}

TEST(NvLink, FabricsWithoutNvSwitchesHaveNoSuchLinks) {
  Graph ring = ScaleUpFabric({Loop(4, 1)});
  Graph plain(2, 0, 1, 1, "X");
  for (Graph* graph : {&ring, &plain}) {
    try {
      PutNvLinksOnLevel(NvLinkOptions().Level(), graph);
      ADD_FAILURE() << "accepted";
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()),
                "nvlink.layer: the fabric has no NVSwitches between its GPUs. Expected: packets, "
                "or a fabric of servers with NVSwitches");
    }
  }
}

}  // namespace
}  // namespace heddle::testing
