// SPDX-License-Identifier: GPL-2.0-only
/// What holds for every family: flags that the command line can tell apart, files that can be read.
#include "topology/shapes/families.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/unit/topology/shapes/fabric_facts.h"
#include "topology/files/describe.h"
#include "topology/files/simai_topology.h"

namespace heddle {
namespace {

TEST(Families, NamesAreUnique) {
  std::set<std::string> names, titles;
  for (const Family& family : Families()) {
    EXPECT_TRUE(titles.insert(family.title).second) << family.title;
    for (const NamedFabric& fabric : family.fabrics) {
      EXPECT_TRUE(names.insert(fabric.name).second) << fabric.name;
    }
  }
  EXPECT_EQ(names.size(), 5u + 10);
}

/// `heddle topo` reads -h, -o, -topo, --force and toggles of any family itself.
TEST(Families, FlagsCanBeTold) {
  std::set<std::string> reserved = {"h", "help", "o", "output", "topo", "topology", "force"};
  for (const Family& family : Families()) {
    for (const FabricAliases::Toggle& toggle : family.aliases.toggles) reserved.insert(toggle.name);
  }
  for (const Family& family : Families()) {
    for (const NamedFabric& fabric : family.fabrics) {
      std::set<std::string> words = reserved;
      FlagSet flags;
      const auto maker = fabric.make();
      maker->Declare(&flags);
      for (const FlagSet::Flag& flag : flags.flags()) {
        EXPECT_TRUE(words.insert(flag.about.brief).second) << fabric.name << flag.about.brief;
        EXPECT_TRUE(words.insert(flag.about.name).second) << fabric.name << flag.about.name;
        if (flag.about.also.empty()) continue;
        EXPECT_TRUE(words.insert(flag.about.also).second) << fabric.name << flag.about.also;
      }
    }
  }
}

/// A flag of several families has one meaning in all: completion shows it once.
TEST(Families, EqualLongFlagsHaveEqualShortOnes) {
  std::map<std::string, std::string> brief_of;
  for (const Family& family : Families()) {
    FlagSet flags;
    const auto maker = family.fabrics.front().make();
    maker->Declare(&flags);
    for (const FlagSet::Flag& flag : flags.flags()) {
      EXPECT_EQ(brief_of.emplace(flag.about.name, flag.about.brief).first->second,
                flag.about.brief);
    }
  }
}

/// The names of all fabrics but those of SimAI's family.
std::vector<std::string> Shapes() {
  std::vector<std::string> names;
  for (const Family& family : Families()) {
    if (family.aliases.choose != nullptr) continue;
    for (const NamedFabric& fabric : family.fabrics) names.push_back(fabric.name);
  }
  return names;
}

/// A server is a server in every family: by a number of GPUs all have equal servers, each with one
/// NVSwitch of equal links, and a NIC a GPU (in a rack of 8 too; a plane has a port of the NIC).
TEST(Families, FabricsOfEqualNumbersOfGpusHaveEqualServers) {
  for (const std::string& name : Shapes()) {
    for (const std::uint32_t gpus : {64U, 256U}) {
      const Graph graph = MakeFabric(name + " --gpus " + std::to_string(gpus) +
                                     (name == "ScaleUp" ? " -gps 8 -nsps 1 -nvbw 2880Gbps" : ""));
      EXPECT_EQ(graph.gpu_count(), gpus) << name;
      EXPECT_EQ(graph.gpus_per_server(), 8U) << name;
      EXPECT_EQ(graph.nvswitch_count(), gpus / 8) << name;
      std::uint32_t nvlinks = 0;
      double nic_gbps = 0;
      for (const Link& link : graph.links()) {
        if (!graph.is_gpu(link.a)) continue;
        const bool is_nvlink = graph.kind(link.b) == NodeKind::kNvSwitch;
        EXPECT_TRUE(!is_nvlink || link.rate.bps == 2880000000000) << name;
        nvlinks += is_nvlink ? 1 : 0;
        nic_gbps += is_nvlink ? 0 : static_cast<double>(link.rate.bps) * 1e-9;
      }
      EXPECT_EQ(nvlinks, gpus) << name;
      EXPECT_DOUBLE_EQ(nic_gbps, 400.0 * gpus) << name;
      const FabricFacts facts = FactsOf(graph);
      EXPECT_TRUE(facts.is_connected || name == "RailOnly") << name;
    }
  }
}

/// -gps alone gives the same servers: several GPUs have an NVSwitch, one has none, -nsps decides.
TEST(Families, ServersOfShapesFollowOneRule) {
  for (const char* name : {"FatTree", "Torus", "Mesh", "FullMesh", "Dragonfly", "DragonflyPlus"}) {
    const std::string word = name;
    const Graph bare = MakeFabric(word), four = MakeFabric(word + " -gps 4");
    EXPECT_EQ(bare.nvswitch_count(), 0U) << name;
    EXPECT_EQ(four.gpus_per_server(), 4U) << name;
    EXPECT_EQ(four.nvswitch_count(), four.gpu_count() / 4) << name;
    EXPECT_EQ(four.gpu_count(), bare.gpu_count()) << name;
    EXPECT_EQ(MakeFabric(word + " -gps 1").nvswitch_count(), 0U) << name;
    EXPECT_EQ(MakeFabric(word + " -gps 4 -nsps 0").nvswitch_count(), 0U) << name;
    EXPECT_EQ(MakeFabric(word + " -gps 4 -nsps 2").nvswitch_count(), four.gpu_count() / 2) << name;
    EXPECT_NE(Refusal(word + " -gps 7").find("GPUs in servers of 7 (-gps)"), std::string::npos);
  }
}

TEST(Families, FilesOfDefaultsCanBeRead) {
  for (const Family& family : Families()) {
    if (family.aliases.choose != nullptr) continue;  // SimAI's: GraphEqualsItsText
    for (const NamedFabric& fabric : family.fabrics) {
      const FabricPlan plan = PlanFabric(fabric.name);
      const std::string text = PlanText(plan);
      std::ostringstream read, made;
      WriteSimaiTopology(ParseSimaiText(text, "t.txt"), read);
      WriteSimaiTopology(MakeGraph(plan), made);
      EXPECT_EQ(read.str(), text) << fabric.name;
      EXPECT_EQ(made.str(), text) << fabric.name;
      EXPECT_EQ(DescribeFabric(MakeGraph(plan)), DescribeFabric(ParseSimaiText(text, "t.txt")));
    }
  }
}

}  // namespace
}  // namespace heddle
