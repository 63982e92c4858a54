// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/all_options.h"

#include "core/app/run/setup/like.h"
#include "io/simai/unused_simai_keys.h"

namespace heddle {

AllOptions::AllOptions() {
  transport.Declare(&options);
  collectives.Declare(&options);
  physical.Declare(&options);
  chakra_window.Declare(&options);
  goal_window.Declare(&options);
  algorithms.Declare(&options);
  DeclareLike(&options, &like);
  DeclareUnusedSimaiKeys(&options);
  collectives.send_latency = transport.send_latency;
  options.WhenSet("flow.send_latency", [this] {
    collectives.send_latency = transport.send_latency;
    collectives.send_latency_given = true;
  });
  options.WhenSet("compat.simai", [this] {
    collectives.simai = transport.simai;
    collectives.send_latency = transport.send_latency;
  });
}

}  // namespace heddle
