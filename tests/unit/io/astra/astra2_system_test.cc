// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra2_system.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/base/check.h"
#include "io/astra/astra_system.h"

namespace heddle {
namespace {

/// Options that take any text, by name.
class TextOptions {
 public:
  TextOptions() {
    options.AddGroup({"phases", "test", "docs/index.md"});
    options.AddGroup({"chunks", "test", "docs/index.md"});
    options.AddGroup({"chakra", "test", "docs/index.md"});
    for (const char* key : {"phases.collectives",
                            "phases.order",
                            "phases.local_lanes",
                            "phases.halving_sums",
                            "phases.endpoint_delay",
                            "phases.local_endpoint_delay",
                            "phases.algorithm",
                            "phases.reduce_scatter",
                            "phases.all_gather",
                            "phases.all_to_all",
                            "phases.memory_bandwidth",
                            "chunks.splits",
                            "chunks.all_to_all_splits",
                            "chunks.least_bytes",
                            "chunks.dispatch",
                            "chunks.threshold",
                            "chunks.order",
                            "chunks.equal",
                            "chunks.per_lane",
                            "chakra.compute",
                            "chakra.peak",
                            "chakra.memory_bandwidth"}) {
      Option option;
      option.key = key;
      option.help = "test";
      option.get = [this, key] { return values[key]; };
      option.set = [this, key](std::string_view text) { values[key] = std::string(text); };
      options.Add(option);
    }
  }
  std::map<std::string, std::string> values;
  OptionSet options;
};

std::string Refused(const std::string& text) {
  TextOptions target;
  try {
    ParseAstraSystem(text, "system.json", &target.options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Astra2System, EveryKeySetsItsOptionOrIsListed) {
  TextOptions target;
  const AstraFileNote note = ParseAstraSystem(
      "{\n\"scheduling-policy\": \"FIFO\", \"endpoint-delay\": 12.7,\n"
      "\"active-chunks-per-dimension\": 4, \"preferred-dataset-splits\": 16,\n"
      "\"all-reduce-implementation\": [\"ring\", \"halvingDoubling\"],\n"
      "\"all-gather-implementation\": [\"direct\"],\n"
      "\"reduce-scatter-implementation\": [\"oneRing\"],\n"
      "\"all-to-all-implementation\": [\"direct\", \"ring\"],\n"
      "\"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600.5,\n"
      "\"boost-mode\": 0, \"peak-perf\": 900, \"roofline-enabled\": 1, \"model-shared-bus\": 0,\n"
      "\"intra-dimension-scheduling\": \"FIFO\", \"inter-dimension-scheduling\": \"baseline\" }\n",
      "system.json", &target.options);
  EXPECT_EQ(target.values["chunks.order"], "fifo");
  EXPECT_EQ(target.values["phases.endpoint_delay"], "12ns");
  EXPECT_EQ(target.values["phases.local_endpoint_delay"], "12ns");
  EXPECT_EQ(target.values["chunks.per_lane"], "4");
  EXPECT_EQ(target.values["chunks.splits"], "16");
  EXPECT_EQ(target.values["phases.algorithm"], "ring_halvingDoubling");
  EXPECT_EQ(target.values["phases.all_gather"], "direct");
  EXPECT_EQ(target.values["phases.reduce_scatter"], "oneRing");
  EXPECT_EQ(target.values["phases.all_to_all"], "direct_ring");
  EXPECT_EQ(target.values["phases.collectives"], "enhanced");
  EXPECT_EQ(target.values["phases.memory_bandwidth"], "1600.5");
  EXPECT_EQ(target.values["phases.order"], "ascending");
  EXPECT_EQ(target.values["chunks.equal"], "fifo");
  EXPECT_EQ(note.Text(), "ASTRA-sim 2; not used: boost-mode (all NPUs are simulated)");
  EXPECT_EQ(target.values["chakra.peak"], "900");
  EXPECT_EQ(target.values["chakra.compute"], "roofline");
  EXPECT_EQ(target.values["chakra.memory_bandwidth"], "1600.5");
}

TEST(Astra2System, AnEmptyObjectIsTheCodesDefaults) {
  TextOptions target;
  ParseAstraSystem("  {}\n", "system.json", &target.options);
  EXPECT_EQ(target.values["phases.collectives"], "baseline");
  EXPECT_EQ(target.values["chunks.per_lane"], "1");
  EXPECT_EQ(target.values["chunks.all_to_all_splits"], "0");
}

TEST(Astra2System, MistakesAreNamedWithTheirLines) {
  EXPECT_EQ(
      Refused("{\n\"schedulingpolicy\": \"LIFO\"}"),
      "system.json:2: \"schedulingpolicy\". Expected: a key of ASTRA-sim 2's system.json, such "
      "as scheduling-policy; the nearest is scheduling-policy");
  EXPECT_EQ(Refused("{\n\n\"scheduling-policy\": \"SRPT\"}"),
            "system.json:3: scheduling-policy: \"SRPT\". Expected: LIFO, FIFO or EXPLICIT");
  EXPECT_EQ(Refused("{\"endpoint-delay\": 0}"),
            "system.json:1: endpoint-delay: \"0\". Expected: a whole number, 1 to 1000000");
  EXPECT_EQ(Refused("{\"endpoint-delay\": [10]}"),
            "system.json:1: endpoint-delay: \"10\". Expected: a whole number, 1 to 1000000");
  EXPECT_EQ(Refused("{\"all-reduce-implementation\": [\"direct4\"]}"),
            "system.json:1: all-reduce-implementation: \"direct4\". Expected: direct or oneDirect "
            "without a number, as windows are not modelled");
  EXPECT_EQ(
      Refused("{\"all-reduce-implementation\": [\"rings\"]}"),
      "system.json:1: all-reduce-implementation: \"rings\". Expected: a list of ring, direct, "
      "doubleBinaryTree, halvingDoubling, oneRing, oneDirect, oneHalvingDoubling, one for "
      "each dimension; the nearest is ring");
  EXPECT_EQ(Refused("{\"model-shared-bus\": 1}"),
            "system.json:1: model-shared-bus: \"1\". Expected: 0, as others are not modelled");
  EXPECT_EQ(Refused("{\"boost-mode\": 1, \"boost-mode\": 1}"),
            "system.json:1: \"boost-mode\" once more. Expected: each key once");
  EXPECT_EQ(Refused("{\"boost-mode\": {}}"),
            "system.json:1: \"{}}\". Expected: a text in quotes, a number, true or false");
  EXPECT_EQ(Refused("{\"boost-mode\": 1"),
            "system.json:1: the end of the file. Expected: ',' or '}'");
  EXPECT_EQ(Refused("{} x"), "system.json:1: \"x\". Expected: nothing behind the object");
  EXPECT_EQ(
      Refused("{\"boost-mode: 1}\n"),
      "system.json:1: \"\"boost-mode: 1}\". Expected: a text that ends with '\"' in its line");
}

}  // namespace
}  // namespace heddle
