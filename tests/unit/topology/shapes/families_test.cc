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
  EXPECT_EQ(names.size(), 5u + 9);
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
