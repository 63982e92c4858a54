// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of InfiniBand's forwarding tables: accepted tables name ports of their
/// switches, following them ends, and written and read again they are the same.
#include "tests/fuzz/fabrics/infiniband_seeds.h"
#include "tests/fuzz/reader_fuzz.h"
#include "topology/infiniband/infiniband_fabric.h"
#include "topology/infiniband_files/forwarding_dump.h"
#include "topology/infiniband_files/ibnetdiscover.h"
#include "topology/tables/table_check.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

const InfinibandNetwork& Network() {
  static const InfinibandNetwork network = ParseIbnetdiscover(kSeedBlocks, "network.txt");
  return network;
}

void CheckDump(const ForwardingDump& dump) {
  std::vector<bool> seen(Network().nodes.size());
  for (const SwitchRoutes& table : dump.switches) {
    const InfinibandNode& node = Network().nodes.at(table.node);
    if (node.kind != InfinibandKind::kSwitch || seen[table.node]) Complain("a strange table");
    seen[table.node] = true;
    for (const LidRoute& route : table.routes) {
      const bool exists = route.port <= node.port_count || route.port == LidRoute::kUnreachable;
      if (!exists || route.lid > kHighestLid) Complain("an entry out of range");
    }
  }
}

void CheckTablesOf(const InfinibandFabric& fabric) {
  for (std::uint32_t node = fabric.graph.gpu_count(); node < fabric.graph.node_count(); ++node) {
    for (std::uint32_t host = 0; host < fabric.graph.gpu_count(); ++host) {
      const std::uint16_t port = fabric.tables->At(NodeId(node), NodeId(host));
      if (port != ForwardingTables::kNone && port >= fabric.graph.ports(NodeId(node)).size())
        Complain("a port that there is not");
    }
  }
  CheckTables(fabric.graph, *fabric.tables);
  const std::string once = TablesText(*fabric.tables);
  if (TablesText(ParseTables(once, "again.txt", fabric.graph)) != once)
    Complain("tables that are not the same when they are written and read");
}

bool Check(const std::string& text) {
  const bool accepted = Accepts({kFile}, [&] {
    const ForwardingDump dump = ParseForwardingDump(text, kFile, Network());
    if (!IsForwardingDump(text)) Complain("a file that is not known by its first line");
    CheckDump(dump);
    CheckTablesOf(MakeFabric(Network(), &dump));
  });
  if (!accepted && LastRefusal().find(": the file is empty.") == std::string::npos &&
      !NamesLine(LastRefusal(), kFile, text))
    Complain("no line in the message: " + LastRefusal());
  return accepted;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "forwarding_dump";
  reader.check = &Check;
  reader.words = {"dump_ucast_routes:",
                  "osm_ucast_mgr_dump_ucast_routes:",
                  "Switch",
                  "0x000000000000000a",
                  "0x000000000000000b",
                  "0xf",
                  "Unicast lids",
                  "guid 0xa",
                  "0x0004",
                  "0x0008",
                  "0xBFFF",
                  "0xC000",
                  "021",
                  "255",
                  "254",
                  "UNREACHABLE",
                  "PLFT_NUM: 1",
                  "LID : Port",
                  "lids dumped",
                  "Multicast mlids",
                  ":"};
  reader.seeds = {kSeedRoutes, kSeedLids};
  return reader;
}

}  // namespace heddle
