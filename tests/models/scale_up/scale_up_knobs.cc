// SPDX-License-Identifier: GPL-2.0-only
/// Options of scale-up links, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/models/scale_up/lane_driver.h"
#include "tests/models/scale_up/nvlink_fabric.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

double NarrowTime(const TransportOptions& o) {
  NetworkDimension ring = Loop(4, 1);
  ring.level.virtual_channels = 1;
  ring.level.buffer_flits = 2;
  return static_cast<double>(Fct(Simulate(ScaleUpFabric({ring}), {Flow(0, 1, 2560)}, o), 0));
}

double SharedTime(const TransportOptions& o) {
  const Observed two =
      Simulate(ScaleUpFabric({Loop(4, 1)}), {Flow(0, 1, 2560), Flow(0, 1, 2560)}, o);
  return static_cast<double>(Fct(two, 1));
}

double ShortNvLinkTime(const TransportOptions& o) {
  return static_cast<double>(Fct(Simulate(NvLinkFabric(o.nvlink), {Flow(0, 1, 64)}, o), 0));
}

double NvLinkTime(const TransportOptions& o) {
  return static_cast<double>(Fct(Simulate(NvLinkFabric(o.nvlink), {Flow(0, 1, 25'600)}, o), 0));
}

/// Seven GPUs send 2 MiB each to an eighth, by an NVSwitch of 1 MiB.
double Incast(const TransportOptions& o) {
  Graph graph(8, 1, 1, 8, "H100");
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(8), BitRate{400'000'000'000}, NanoSeconds(25)});
    graph.AddLink({NodeId(gpu), NodeId(9), BitRate{100'000'000'000}, MicroSeconds(1)});
    if (gpu > 0) flows.push_back(Flow(gpu, 0, 2 << 20));
  }
  TransportOptions options = o;
  options.buffer.buffer_mib = 1;
  options.has_window = false;
  return static_cast<double>(Simulate(graph, flows, options).books.dropped_packets);
}

/// A GPU sends 90 kB to its NVSwitch.
double ToNvSwitch(const TransportOptions& o) {
  return static_cast<double>(
      Simulate(NvLinkFabric(o.nvlink), {Flow(0, 4, 90'000)}, o).books.injected_packets);
}

double Events(const TransportOptions& o) {
  LaneDriver driver({LanePost(0, 1, 0, 25600)});
  return static_cast<double>(SimulateDriven(ScaleUpFabric({Loop(4, 1)}), &driver, o).events);
}

}  // namespace

std::vector<Knob> ScaleUpKnobs() {
  const KnobSettings credits = {{"nvlink.layer", "credits"}};
  return {
      {"scale_up.credits",
       "true",
       "false",
       Expect::kLess,
       "nothing waits for buffers",
       NarrowTime,
       {}},
      {"scale_up.trains", "true", "false", Expect::kMore, "an event a packet", Events, {}},
      {"scale_up.congestion",
       "true",
       "false",
       Expect::kLess,
       "the second message does not wait for the first",
       SharedTime,
       {}},
      {"nvlink.layer",
       "packets",
       "credits",
       Expect::kLess,
       "no acknowledgement comes back",
       ShortNvLinkTime,
       {}},
      {"nvlink.lossless", "false", "true", Expect::kLess, "NVSwitches hold what waits", Incast, {}},
      {"nvlink.train", "1", "7", Expect::kLess, "several packets are one", ToNvSwitch, {}},
      {"nvlink.preset", "nvlink", "ub", Expect::kMore, "longer packets pass the NVSwitch whole",
       NvLinkTime, credits},
      {"nvlink.packet", "256", "64", Expect::kMore, "more headers", NvLinkTime, credits},
      {"nvlink.header", "16", "64", Expect::kMore, "longer headers", NvLinkTime, credits},
      {"nvlink.flit",
       "16",
       "272",
       Expect::kLess,
       "more packets in a buffer",
       NvLinkTime,
       {{"nvlink.layer", "credits"}, {"nvlink.header", "17"}, {"nvlink.buffer", "35"}}},
      {"nvlink.buffer", "8192", "20", Expect::kMore, "packets wait for room", NvLinkTime, credits},
      {"nvlink.channels",
       "1",
       "4",
       Expect::kLess,
       "more room",
       NvLinkTime,
       {{"nvlink.layer", "credits"}, {"nvlink.buffer", "20"}}},
      {"nvlink.credit_delay",
       "0ns",
       "1us",
       Expect::kMore,
       "room is known later",
       NvLinkTime,
       {{"nvlink.layer", "credits"}, {"nvlink.buffer", "20"}}},
  };
}

}  // namespace heddle::testing
