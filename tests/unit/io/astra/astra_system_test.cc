// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra_system.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

/// The options that a system file sets, by name.
struct Target {
  std::string collectives = "off", order, routing, per_lane, delay, splits, algorithm;
  OptionSet options;

  Target() {
    const auto add = [this](const char* key, std::string* value) {
      Option option;
      option.key = key;
      option.help = "test";
      option.get = [value] { return *value; };
      option.set = [value](std::string_view text) { *value = std::string(text); };
      options.Add(option);
    };
    options.AddGroup({"phases", "test", "docs/index.md"});
    options.AddGroup({"chunks", "test", "docs/index.md"});
    add("phases.collectives", &collectives);
    add("phases.algorithm", &algorithm);
    add("phases.routing", &routing);
    add("phases.endpoint_delay", &delay);
    add("chunks.order", &order);
    add("chunks.per_lane", &per_lane);
    add("chunks.splits", &splits);
  }
};

std::string SystemRefusal(const std::string& text) {
  Target target;
  try {
    ParseAstraSystem(text, "sys.txt", &target.options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AstraSystem, EveryKeySetsItsOption) {
  Target target;
  ParseAstraSystem(
      "scheduling-policy: FIFO \nendpoint-delay: 12\npacket-routing: hardware\n"
      "injection-policy: aggressive\npreferred-dataset-splits: 4\nboost-mode: 1\n"
      "collective-implementation: hierarchicalRing\ncollective-optimization: localBWAware\n",
      "sys.txt", &target.options);
  EXPECT_EQ(target.collectives, "enhanced");
  EXPECT_EQ(target.order, "fifo");
  EXPECT_EQ(target.routing, "hardware");
  EXPECT_EQ(target.per_lane, "32");
  EXPECT_EQ(target.delay, "12ns");
  EXPECT_EQ(target.splits, "4");
  EXPECT_EQ(target.algorithm, "auto");
}

TEST(AstraSystem, CollectivesAreInPhasesWhateverElseIsSaid) {
  Target target;
  ParseAstraSystem("endpoint-delay: 10\n", "sys.txt", &target.options);
  EXPECT_EQ(target.collectives, "baseline");
  EXPECT_EQ(target.order, "");
}

TEST(AstraSystem, TreesAreAlgorithmsOfDimensions) {
  const auto algorithm = [](const std::string& text) {
    Target target;
    ParseAstraSystem(text, "sys.txt", &target.options);
    return target.algorithm;
  };
  EXPECT_EQ(algorithm("collective-implementation: doubleBinaryTree\n"), "doubleBinaryTree");
  const std::string local = "collective-implementation: doubleBinaryTreeLocalAllToAll\n";
  EXPECT_EQ(algorithm(local), "ring_doubleBinaryTree");
  EXPECT_EQ(algorithm(local + "packet-routing: software\n"), "ring_doubleBinaryTree");
  EXPECT_EQ(algorithm(local + "packet-routing: hardware\n"), "direct_doubleBinaryTree");
}

TEST(AstraSystem, MistakesAreNamedWithTheirLines) {
  EXPECT_EQ(SystemRefusal("boost-mode: 0\nscheduling-policy: lifo\n"),
            "sys.txt:2: scheduling-policy: \"lifo\". Expected: LIFO, FIFO");
  EXPECT_EQ(SystemRefusal("collective-implementation: tree\n"),
            "sys.txt:1: collective-implementation: \"tree\". Expected: hierarchicalRing, allToAll, "
            "doubleBinaryTree, doubleBinaryTreeLocalAllToAll");
  EXPECT_EQ(SystemRefusal("endpoint-delay: 0\n"),
            "sys.txt:1: endpoint-delay: \"0\". Expected: a whole number, 1 to 1000000000");
  EXPECT_EQ(SystemRefusal("model-shared-bus: 1\n"),
            "sys.txt:1: model-shared-bus: 1. Expected: 0, as shared buses are not modelled");
  EXPECT_NE(SystemRefusal("endpoint-delya: 1\n").find("the nearest is endpoint-delay"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
