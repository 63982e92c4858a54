// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/hardware_setup.h"

#include <algorithm>
#include <utility>

#include "collectives/closed_form/port_load.h"
#include "topology/scale_up/nvswitch_planes.h"

namespace heddle {

FabricHardware HardwareOf(const Graph& graph, bool infiniband) {
  constexpr double kBitsPerByte = 8;
  const PortRates rates = RatesOf(graph, NodeId(0));
  return {graph.gpu_type(), infiniband, rates.inside / kBitsPerByte, rates.network / kBitsPerByte};
}

std::uint32_t MostNicPorts(const Graph& graph) {
  std::uint32_t most = 0;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu)
    most = std::max(most, RatesOf(graph, NodeId(gpu)).nics);
  return most;
}

bool HasNvSwitchPlanes(const Graph& graph) {
  const std::uint64_t servers = graph.server_count();
  return graph.nvswitch_count() > servers;
}

void JoinPlanesOf(std::unique_ptr<Graph>* graph) {
  JoinedPlanes joined = JoinNvSwitches(**graph);
  if (joined.graph != nullptr) *graph = std::move(joined.graph);
}

void FitToHardware(const FabricHardware& fabric, OptionSet* options,
                   CollectiveOptions* collectives) {
  collectives->hardware.FitTo(fabric);
  if (!collectives->by_hardware()) return;
  // Results say which it was.
  options->Preset("nic.kind", ToText(collectives->hardware.nic_kind()));
  // As NCCL has them: channels of NVLS, slots of a connection.
  const bool newer = GenerationOf(fabric.gpu_type) == GpuGeneration::kBlackwell;
  options->Preset("collective.multimem_channels", newer ? "32" : "16");
  options->Preset("collective.chunks_in_flight", "8");
  collectives->small_pieces = true;
}

}  // namespace heddle
