// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/generator.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "tests/support/test_data.h"

namespace heddle {
namespace {

LeafSpineOptions Defaults(const std::string& name, std::uint32_t gpus) {
  LeafSpineOptions options = FindTemplate(name).defaults;
  options.gpus = gpus;
  return options;
}

std::string CaseText(const std::string& name) { return ReadText(CasePath(name, "topo.txt")); }

TEST(Generator, SpectrumXEqualsSimai) {
  LeafSpineOptions options = Defaults("Spectrum-X", 32);
  EXPECT_EQ(GenerateText("Spectrum-X", options), CaseText("c1_sx32"));
  options.nvlink_bandwidth = "1440Gbps";
  EXPECT_EQ(GenerateText("Spectrum-X", options), CaseText("doc_ring32"));
  options = Defaults("Spectrum-X", 128);
  options.gpu_type = "A100";
  options.bandwidth = "100Gbps";
  options.nvlink_bandwidth = "2400Gbps";
  EXPECT_EQ(GenerateText("Spectrum-X", options), CaseText("f_sx128_rail_cc1"));
}

TEST(Generator, HpnDualPlaneEqualsSimai) {
  LeafSpineOptions options = Defaults("AlibabaHPN-DualPlane", 64);
  options.spine_switches = 16;
  EXPECT_EQ(GenerateText("AlibabaHPN-DualPlane", options), CaseText("f_hpndp64_rail_cc1"));
}

TEST(Generator, DcnSingleTorEqualsSimai) {
  LeafSpineOptions options = Defaults("DCN-SingleToR", 64);
  options.spine_switches = 4;
  EXPECT_EQ(GenerateText("DCN-SingleToR", options), CaseText("f_dcn64_mixed_cc1"));
}

TEST(Generator, GraphEqualsItsText) {
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    LeafSpineOptions options = t.defaults;
    options.gpus = 256;
    options.error_rate = "0.001";
    std::ostringstream written;
    WriteSimaiTopology(Generate(t.name, options), written);
    EXPECT_EQ(written.str(), GenerateText(t.name, options)) << t.name;
  }
}

// By hand from the rules: two servers of two GPUs, one NIC port a leaf, so two segments of four
// leaves (ids 6..9 are first leaves, 10..13 second ones), spines 14 and 15.
TEST(Generator, HpnSinglePlaneByHand) {
  LeafSpineOptions options;
  options.gpus = 4;
  options.gpus_per_server = 2;
  options.nics_per_leaf = 1;
  options.spine_switches = 2;
  options.nvlink_bandwidth = "9Gbps";
  options.nvlink_latency = "1ns";
  options.bandwidth = "2Gbps";
  options.leaf_spine_bandwidth = "4Gbps";
  options.latency = "5ns";
  const std::string nv = " 9Gbps 1ns 0\n", nic = " 2Gbps 5ns 0\n", mesh = " 4Gbps 5ns 0\n";
  std::string expected = "16 2 2 10 28 H100\n4 5 6 7 8 9 10 11 12 13 14 15 \n";
  expected += "0 4" + nv + "0 6" + nic + "0 10" + nic + "1 4" + nv + "1 7" + nic + "1 11" + nic;
  expected += "2 5" + nv + "2 8" + nic + "2 12" + nic + "3 5" + nv + "3 9" + nic + "3 13" + nic;
  for (int leaf = 6; leaf <= 13; ++leaf) {
    expected += std::to_string(leaf) + " 14" + mesh + std::to_string(leaf) + " 15" + mesh;
  }
  EXPECT_EQ(GenerateText("AlibabaHPN-SinglePlane", options), expected);
}

// Four GPUs, two a leaf: two segments; first leaves 4 and 5, second leaves 6 and 7; no NVSwitch.
TEST(Generator, DcnDualTorByHand) {
  LeafSpineOptions options;
  options.gpus = 4;
  options.gpus_per_server = 2;
  options.nvswitches_per_server = 0;
  options.nics_per_leaf = 2;
  options.spine_switches = 1;
  options.bandwidth = "2Gbps";
  options.leaf_spine_bandwidth = "4Gbps";
  const std::string nic = " 2Gbps 0.0005ms 0\n", mesh = " 4Gbps 0.0005ms 0\n";
  std::string expected = "9 2 0 5 12 H100\n4 5 6 7 8 \n";
  expected += "0 4" + nic + "0 6" + nic + "1 4" + nic + "1 6" + nic;
  expected += "2 5" + nic + "2 7" + nic + "3 5" + nic + "3 7" + nic;
  expected += "4 8" + mesh + "5 8" + mesh + "6 8" + mesh + "7 8" + mesh;
  EXPECT_EQ(GenerateText("DCN-DualToR", options), expected);
}

TEST(Generator, DefaultsHaveTheSizesOfTheStudies) {
  const Graph single =
      Generate("AlibabaHPN-SinglePlane", FindTemplate("AlibabaHPN-SinglePlane").defaults);
  EXPECT_EQ(single.links().size(), 74'880u);
  EXPECT_EQ(single.nvswitch_count(), 1'920u);
  EXPECT_EQ(single.switch_count(), 360u);
  const Graph dual =
      Generate("AlibabaHPN-DualPlane", FindTemplate("AlibabaHPN-DualPlane").defaults);
  EXPECT_EQ(dual.links().size(), 60'480u);
  const Graph spectrum = Generate("Spectrum-X", FindTemplate("Spectrum-X").defaults);
  EXPECT_EQ(spectrum.switch_count(), 128u);
}

TEST(Generator, RefusesWhatMakesNoFabric) {
  const auto refused = [](const std::string& name, const auto& change, const std::string& phrase) {
    LeafSpineOptions options = FindTemplate(name).defaults;
    change(&options);
    try {
      Generate(name, options);
      ADD_FAILURE() << "accepted: " << phrase;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos) << error.what();
    }
  };
  using O = LeafSpineOptions;
  refused(
      "Spectrum-X", [](O* o) { o->gpus = 33; }, "40");
  refused(
      "Spectrum-X", [](O* o) { o->gpus = 0; }, "-g");
  refused(
      "Spectrum-X", [](O* o) { o->gpus_per_server = 0; }, "-gps");
  refused(
      "Spectrum-X", [](O* o) { o->nics_per_leaf = 0; }, "-npa");
  refused(
      "Spectrum-X", [](O* o) { o->spine_switches = 0; }, "-psn");
  refused(
      "Spectrum-X", [](O* o) { o->gpus = 4104; }, "-app 72");
  refused(
      "Spectrum-X", [](O* o) { o->spine_switches = 200'000; }, "links");
  refused(
      "Spectrum-X", [](O* o) { o->bandwidth = "fast"; }, "fast");
  refused(
      "Spectrum-X", [](O* o) { o->latency = "soon"; }, "soon");
  refused(
      "Spectrum-X", [](O* o) { o->error_rate = "1"; }, "-er");
  refused(
      "Spectrum-X", [](O* o) { o->gpu_type = "H 100"; }, "-gt");
  refused(
      "AlibabaHPN-DualPlane", [](O* o) { o->spine_switches = 121; }, "even");
  refused(
      "DCN-SingleToR", [](O* o) { o->leaves_per_spine = 7; }, "-app 8");
  EXPECT_THROW(FindTemplate("Spectrum-Y"), UserError);
}

/// The generated text must be accepted by ParseSimaiText.
TEST(Generator, RefusesWhatTheReaderRefuses) {
  using Field = std::string LeafSpineOptions::*;
  const std::vector<std::pair<std::string, Field>> rates = {
      {"(-nvbw)", &LeafSpineOptions::nvlink_bandwidth},
      {"(-bw)", &LeafSpineOptions::bandwidth},
      {"(-apbw)", &LeafSpineOptions::leaf_spine_bandwidth}};
  const std::vector<std::pair<std::string, Field>> delays = {
      {"(-nl)", &LeafSpineOptions::nvlink_latency}, {"(-l)", &LeafSpineOptions::latency}};
  const auto try_all = [](const auto& fields, const std::vector<std::string>& refused,
                          const std::vector<std::string>& taken) {
    LeafSpineOptions options = Defaults("Spectrum-X", 8);
    options.spine_switches = 1;
    for (const auto& [flag, field] : fields) {
      LeafSpineOptions changed = options;
      for (const std::string& text : refused) {
        changed.*field = text;
        const std::string message = MessageOf([&] { GenerateText("Spectrum-X", changed); });
        EXPECT_NE(message.find(flag + " \"" + text + "\". Expected: "), std::string::npos)
            << message;
        EXPECT_EQ(MessageOf([&] { Generate("Spectrum-X", changed); }), message);
      }
      for (const std::string& text : taken) {
        changed.*field = text;
        EXPECT_NO_THROW(ParseSimaiText(GenerateText("Spectrum-X", changed), "t.txt")) << text;
      }
    }
  };
  try_all(rates, {"400 Gbps", "999kbps", "1001Tbps", "0Gbps", "400", ""},
          {"1Mbps", "1000Tbps", "400Gb/s"});
  try_all(delays, {"0.5 us", "1001ms", "2s", "-1ns", "5", ""}, {"0s", "1s", "1e-3ms"});
}

TEST(Generator, RefusesMoreLinksThanANodeMayHave) {
  LeafSpineOptions options = Defaults("DCN-SingleToR", 65'536 + 8);
  options.nvswitches_per_server = 0;
  options.nics_per_leaf = options.gpus;
  options.spine_switches = 1;
  EXPECT_EQ(MessageOf([&] { GenerateText("DCN-SingleToR", options); }),
            "DCN-SingleToR: more than 65536 links at node 65544. Expected: fewer GPUs a server "
            "(-gps), NVSwitches (-nsps), NICs "
            "per leaf (-npa) or spines (-psn)");
  options.gpus -= 16;
  EXPECT_NO_THROW(GenerateText("DCN-SingleToR", options));
}

TEST(Generator, SaysWhenTheNumberOfLeavesHasNoEffect) {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  ASSERT_EQ(TemplateNotes("Spectrum-X", options).size(), 1u);  // 64 leaves, default -asn 8
  options.leaf_switches = 64;
  EXPECT_TRUE(TemplateNotes("Spectrum-X", options).empty());
}

}  // namespace
}  // namespace heddle
