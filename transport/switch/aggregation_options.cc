// SPDX-License-Identifier: GPL-2.0-only
#include "transport/switch/aggregation_options.h"

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostStreams = 1'000'000;

}  // namespace

void AggregationOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"aggregation", "switches that add (SHARP)", "docs/models/in_network_reduction.md"});
  options->Add({"aggregation.switches", "",
                "switches that can add what arrives packet by packet, which CollNet needs", "",
                "NVIDIA: SHARP, on InfiniBand switches since Switch-IB 2"},
               &switches, {"none", "all"});
  options->Add({"aggregation.streams", "",
                "trees that a switch can have at once; a communicator takes a stream of each "
                "switch of its trees until the run ends, and one that finds none takes another "
                "algorithm",
                "", "NVIDIA: SHARP, 1, and 2 by special set-up"},
               &streams, 1, kMostStreams);
  options->Add({"aggregation.latency", "",
                "how long a switch takes to add a packet, from the arrival of the last one of the "
                "sum until the sum may leave",
                "ns", "heddle; no figure is published"},
               &latency, Time{0}, MicroSeconds(100), "ns");
}

}  // namespace heddle
