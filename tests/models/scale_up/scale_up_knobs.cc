// SPDX-License-Identifier: GPL-2.0-only
/// Options of scale-up links, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/models/scale_up/lane_driver.h"
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

double Events(const TransportOptions& o) {
  LaneDriver driver({LanePost(0, 1, 0, 25600)});
  return static_cast<double>(SimulateDriven(ScaleUpFabric({Loop(4, 1)}), &driver, o).events);
}

}  // namespace

std::vector<Knob> ScaleUpKnobs() {
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
  };
}

}  // namespace heddle::testing
