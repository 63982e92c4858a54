// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of ibnetdiscover's output: an accepted network is sound, and so is the
/// fabric that is made of it.
#include "tests/fuzz/fabrics/infiniband_seeds.h"
#include "tests/fuzz/reader_fuzz.h"
#include "topology/infiniband/infiniband_fabric.h"
#include "topology/infiniband_files/ibnetdiscover.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

void CheckEnd(const InfinibandNetwork& network, InfinibandEnd end) {
  if (end.node >= network.nodes.size()) Complain("a cable to a node that there is not");
  const InfinibandNode& node = network.nodes[end.node];
  const InfinibandPort& port = PortNumbered(node, end.port);
  if (port.number != end.port || port.number == 0) Complain("a cable to a port that there is not");
  if (node.port_count != 0 && port.number > node.port_count) Complain("a port beyond the count");
  if (port.lid > kHighestLid || port.lmc > kHighestLmc) Complain("a LID or LMC out of range");
}

void CheckNetwork(const InfinibandNetwork& network) {
  std::size_t ports = 0, ends = 0;
  for (const InfinibandNode& node : network.nodes) ports += node.ports.size();
  for (const InfinibandCable& cable : network.cables) {
    CheckEnd(network, cable.a);
    CheckEnd(network, cable.b);
    const bool is_plug = cable.a.node == cable.b.node && cable.a.port == cable.b.port;
    ends += is_plug ? 1 : 2;
    if (cable.rate.bps < 0 || kHighestLinkRate < cable.rate) Complain("a rate out of range");
  }
  if (ports != ends) Complain("a port without a cable, or with two");
}

void CheckFabric(const InfinibandFabric& fabric) {
  const Graph& graph = fabric.graph;
  if (fabric.names.size() != graph.node_count() || fabric.descriptions.size() != graph.node_count())
    Complain("a node without a name");
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    if (fabric.port_numbers[node].size() != graph.ports(NodeId(node)).size())
      Complain("a port without its number");
    if (node < graph.gpu_count() && graph.ports(NodeId(node)).size() != 1)
      Complain("a host without its link");
  }
}

bool Check(const std::string& text) {
  const bool known = IsIbnetdiscover(text);
  InfinibandNetwork network;
  const bool accepted = Accepts({kFile}, [&] { network = ParseIbnetdiscover(text, kFile); });
  if (accepted && !known) Complain("an accepted file that is not known by its first line");
  if (!accepted) {
    const bool whole = LastRefusal().find(": no node.") != std::string::npos ||
                       LastRefusal().find(": the file is empty.") != std::string::npos;
    if (!whole && !NamesLine(LastRefusal(), kFile, text))
      Complain("no line in the message: " + LastRefusal());
    return false;
  }
  CheckNetwork(network);
  Accepts({kFile}, [&] { CheckFabric(MakeFabric(network, nullptr)); });
  return true;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "ibnetdiscover";
  reader.check = &Check;
  reader.words = {"Switch",
                  "Ca",
                  "Hca",
                  "Rt",
                  "S-a",
                  "H-c0",
                  "R-c2",
                  "lid",
                  "lmc",
                  "#",
                  "(c1)",
                  "[ext 5]",
                  "4xHDR",
                  "4x???",
                  "SW",
                  "CA",
                  "RT",
                  "-",
                  "Chassis 1",
                  "vendid=0x0",
                  "0xa",
                  "0xb",
                  "0xc1",
                  "254",
                  "49151",
                  "7",
                  "8",
                  "200",
                  "\"a\"",
                  "'a'",
                  "( 'a' - 'b' )",
                  "Non-Chassis Nodes"};
  reader.seeds = {kSeedBlocks, kSeedPorts, kSeedIbsim};
  return reader;
}

}  // namespace heddle
