// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of ASTRA-SIM's network files: what is accepted makes a fabric, or is
/// refused in words, and every NPU of a small one has a way to every other.
#include <optional>

#include "core/base/check.h"
#include "io/astra/astra_network.h"
#include "tests/fuzz/reader_fuzz.h"
#include "topology/scale_up/scale_up_routes.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";
constexpr std::uint64_t kMostNpus = 64;

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const ScaleUpNetwork network = ParseAstraNetwork(text, kFile);
    if (network.npus() > kMostNpus) return;
    for (const NetworkDimension& dimension : network.dimensions) {
      if (dimension.clockwise + dimension.anticlockwise > 64) return;
    }
    std::optional<Graph> graph;
    try {
      graph.emplace(MakeScaleUpGraph(network));
    } catch (const UserError&) {
      return;  // rates or channels beyond what a fabric may have
    }
    const ScaleUpRoutes routes(*graph);
    for (std::uint32_t a = 0; a < graph->gpu_count(); ++a) {
      for (std::uint32_t b = 0; b < graph->gpu_count(); ++b) {
        if (a != b && routes.Hops(NodeId(a), NodeId(b)) == 0) Complain("no way between two NPUs");
      }
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "astra_network";
  reader.check = &Check;
  reader.words = {"num-npus: 8",
                  "num-packages: 4",
                  "package-rows: 2",
                  "topology: Torus3D",
                  "topology: NV_Switch",
                  "links-per-tile: 7",
                  "flit-width: 1024",
                  "0",
                  "1",
                  "1.0",
                  "0.94",
                  "1000000000",
                  "topology: [ Ring, FullyConnected, Switch ]",
                  "npus_count: [ 2, 3, 4 ]",
                  "bandwidth: [50]",
                  "latency:",
                  "- 500",
                  "[",
                  "]",
                  ",",
                  "#",
                  ":",
                  "\n"};
  reader.seeds = {
      "num-npus: 8\nnum-packages: 4\npackage-rows: 2\ntopology: Torus3D\nlocal-rings: 2\n"
      "vertical-rings: 2\nhorizontal-rings: 2\nflit-width: 2048\nlocal-packet-size: 4096\n"
      "package-packet-size: 4096\ntile-link-width: 256\npackage-link-width: 256\n"
      "vcs-per-vnet: 50\nrouting-algorithm: Ring_XY\nrouter-latency: 1\nlocal-link-latency: 90\n"
      "package-link-latency: 200\nbuffers-per-vc: 5000\nlocal-link-efficiency: 1.0\n"
      "package-link-efficiency: 1.0\n",
      "num-npus: 6\nnum-packages: 3\ntopology: NV_Switch\nlinks-per-tile: 2\nflit-width: 128\n"
      "local-packet-size: 64\npackage-packet-size: 32\ntile-link-width: 9\n"
      "package-link-width: 10 # narrow\nlocal-link-latency: 0\npackage-link-latency: 1\n",
      "topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2, 3, 4 ]\n"
      "bandwidth: [ 250.0, 200.0, 50.0 ]\nlatency:\n- 50\n- 500.5\n- 2000\n"};
  return reader;
}

}  // namespace heddle
