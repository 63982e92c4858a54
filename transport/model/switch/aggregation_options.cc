// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/aggregation_options.h"

#include <algorithm>

#include "core/options/options.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostStreams = 1'000'000;
constexpr std::int64_t kLeastOperation = 64, kLargestOperation = 65536;

}  // namespace

void AggregationOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"aggregation", "switches that add (SHARP)", "docs/models/in_network_reduction.md"});
  options->Add({"aggregation.switches", "",
                "switches that can add what arrives packet by packet, which CollNet needs", "",
                "NVIDIA: SHARP, on InfiniBand switches since Switch-IB 2"},
               &switches);
  options->Add({"aggregation.streams", "",
                "trees that a switch can have at once; a communicator takes a stream of each "
                "switch of its trees until the run ends, and one that finds none takes another "
                "algorithm",
                "", "NVIDIA: SHARP, 1, and 2 by special set-up"},
               &streams, 1, kMostStreams);
  options->Add({"aggregation.mode", "",
                "how switches add: streaming, packet by packet of whole messages; low-latency, of "
                "which a switch keeps whole operations and needs no stream",
                "", "NVIDIA: SHARP, SAT and LLT"},
               &mode);
  options->Add(
      {"aggregation.operation_bytes", "",
       "payload of an operation of the low-latency mode, at most; a packet's if that is less",
       "byte", "NVIDIA: SHARP_COLL_JOB_QUOTA_PAYLOAD_PER_OST, at most 1024"},
      &operation_bytes, kLeastOperation, kLargestOperation);
  options->Add({"aggregation.operations", "",
                "operations of the low-latency mode that a communicator has under way in a tree",
                "", "Mellanox's tests of NCCL: SHARP_COLL_OSTS_PER_GROUP, 64"},
               &operations, 1, kMostStreams);
  options->Add({"aggregation.latency", "",
                "how long a switch takes to add a packet, from the arrival of the last one of the "
                "sum until the sum may leave",
                "ns", "heddle; no figure is published"},
               &latency, Time{0}, MicroSeconds(100), "ns");
}

void AggregationOptions::Apply(std::int64_t payload, Graph* graph) const {
  if (!any()) return;
  if (mode == Mode::kStreaming) {
    graph->LetSwitchesAdd(static_cast<std::uint32_t>(streams));
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(std::min(operation_bytes, payload));
  graph->LetSwitchesAdd(Graph::kAnyStreams, {bytes, static_cast<std::uint32_t>(operations)});
}

}  // namespace heddle
