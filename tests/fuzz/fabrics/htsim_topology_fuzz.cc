// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of htsim's topologies: what is accepted makes a fabric in which every host
/// has a way to every other, or is refused in words.
#include "io/htsim/htsim_fabric.h"
#include "io/htsim/htsim_topology.h"
#include "tests/fuzz/reader_fuzz.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.topo";
constexpr std::int64_t kMostNodes = 64;

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const HtsimTopology topology = ParseHtsimTopology(text, kFile);
    const HtsimShape shape = ShapeOf(topology);
    if (topology.nodes.value + shape.tors + shape.aggregations + shape.tops > kMostNodes) return;
    const Graph graph = MakeHtsimGraph(topology);
    if (graph.gpu_count() != topology.nodes.value) Complain("hosts are missing");
    const Routes routes(graph);
    for (std::uint32_t host = 1; host < graph.gpu_count(); ++host) {
      if (routes.Hops(NodeId(0), NodeId(host)) < 2) Complain("no way between two hosts");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "htsim_topology";
  reader.check = &Check;
  reader.words = {"Nodes 8",
                  "Tiers 2",
                  "Tiers 3",
                  "Podsize 4",
                  "Tier 0",
                  "Tier 2",
                  "Radix_Down 2",
                  "Radix_Up 4",
                  "Oversubscribed 2",
                  "Bundle 2",
                  "Queue_Down 10000",
                  "Switch_Latency_ns 5",
                  "0",
                  "1",
                  "1048576",
                  "#",
                  "\n"};
  const std::string tier = "Downlink_speed_Gbps 100\nDownlink_Latency_ns 1000\n";
  reader.seeds = {
      "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nRadix_Down 4\nRadix_Up 2\nOversubscribed 2\n" + tier +
          "Tier 1\nRadix_Down 2\nSwitch_Latency_ns 3\n" + tier,
      "Nodes 8\nTiers 3\nPodsize 4\nTier 0\nRadix_Down 2\nRadix_Up 2\n" + tier +
          "Tier 1\nRadix_Down 2\nRadix_Up 4\n" + tier + "Tier 2\nRadix_Down 4\nBundle 2\n" +
          "Downlink_speed_Gbps 50\nDownlink_Latency_ns 0\n"};
  return reader;
}

}  // namespace heddle
