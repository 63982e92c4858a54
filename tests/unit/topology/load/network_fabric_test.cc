// SPDX-License-Identifier: GPL-2.0-only
/// Networks of directed cables as fabrics: numbers, pairs of cables, tables, and what is warned of.
#include "topology/load/network_fabric.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/io_test_util.h"
#include "topology/files/orcs_dot.h"
#include "topology/load/table_paths.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

TEST(NetworkFabric, EveryWayIsTheOneOfTheNetwork) {
  for (const char* name : {"ft16", "ft16p", "kary64"}) {
    const std::string path = std::string(HEDDLE_TEST_DATA) + "/orcs/" + name + ".dot";
    const OrcsDot dot(ReadBytes(path), path);
    const StaticNetwork& network = dot.network();
    TableFabric fabric = MakeFabric(network, {});
    ASSERT_EQ(fabric.graph.gpu_count(), network.host_count());
    ASSERT_EQ(2 * fabric.graph.links().size(), network.cable_count());
    fabric.graph.SetRouting(std::make_shared<const TableRouting>(fabric.tables));
    const TablePaths paths(fabric.graph, *fabric.tables, fabric.names);
    std::vector<std::uint32_t> way, expected;
    for (std::uint32_t a = 0; a < network.host_count(); ++a) {
      EXPECT_EQ(paths.HostName(a), network.HostName(a));
      for (std::uint32_t b = 0; b < network.host_count(); ++b) {
        ASSERT_EQ(paths.Walk(a, b, &way), network.Walk(a, b, &expected));
        ASSERT_EQ(way.size(), expected.size());
        for (std::size_t i = 0; i < way.size(); ++i)
          ASSERT_EQ(paths.CableName(way[i]), network.CableName(expected[i]));
      }
    }
  }
}

TEST(NetworkFabric, ParallelCablesAreLinksOfTheirOwn) {
  StaticNetwork network;
  const std::uint32_t h = network.AddNode("H", true), s = network.AddNode("s", false),
                      g = network.AddNode("G", true);
  network.RouteRest(h, network.AddCable({h, s, 0}));
  network.Route(s, 0, network.AddCable({s, h, 0}));
  const std::uint32_t first = network.AddCable({s, g, 0}), second = network.AddCable({s, g, 0});
  network.AddCable({g, s, 0}), network.AddCable({g, s, 0});
  network.Route(s, 1, second);
  (void)first;
  const TableFabric fabric = MakeFabric(network, {});
  ASSERT_EQ(fabric.graph.links().size(), 3u);
  EXPECT_EQ(fabric.tables->At(NodeId(2), NodeId(1)), 2) << "the second of the two cables";
  EXPECT_EQ(fabric.tables->At(NodeId(2), NodeId(0)), 0);
}

TEST(NetworkFabric, SaysWhatItCouldNotTakeOver) {
  StaticNetwork network;
  const std::uint32_t h = network.AddNode("H", true), g = network.AddNode("G", true),
                      s = network.AddNode("s", false), t = network.AddNode("t", false);
  network.AddCable({h, s, 0});
  const std::uint32_t to_h = network.AddCable({s, h, 25'000'000'000});
  network.AddCable({h, t, 100'000'000'000});
  network.AddCable({t, h, 50'000'000'000});
  network.AddCable({g, s, 100'000'000'000});
  network.Route(s, 1, to_h);  // to G through H
  const TableFabric fabric = MakeFabric(network, {});
  std::string all;
  for (const std::string& warning : fabric.warnings) all += warning + "\n";
  for (const char* part :
       {"1 cables have no rate: 100Gbps", "2 cables have another rate", "1 cables have none back",
        "1 routes go through a host", "1 hosts have several cables"})
    EXPECT_NE(all.find(part), std::string::npos) << part << " is not in\n" << all;
  EXPECT_EQ(fabric.graph.links()[0].rate.bps, 25'000'000'000);
  EXPECT_EQ(fabric.graph.links()[1].rate.bps, 50'000'000'000);
  EXPECT_EQ(fabric.tables->At(NodeId(2), NodeId(1)), ForwardingTables::kNone);
}

}  // namespace
}  // namespace heddle
