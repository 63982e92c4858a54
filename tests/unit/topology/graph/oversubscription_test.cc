// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics of a given oversubscription: the written file has it, for every template.
#include "topology/graph/oversubscription.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "topology/files/describe.h"
#include "topology/files/simai_topology.h"
#include "topology/leaf_spine/leaf_spine.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

LeafSpineOptions With(const std::string& name, std::uint32_t gpus, const std::string& ratio) {
  LeafSpineOptions options = FindTemplate(name).defaults;
  options.gpus = gpus;
  options.oversubscription = ratio;
  return options;
}

/// As `heddle topo show` finds it in the written file.
TierBandwidth LeafOf(const std::string& name, const LeafSpineOptions& options) {
  const Graph graph = ParseSimaiText(GenerateText(name, options), "t.txt");
  EXPECT_TRUE(FabricWarnings(graph, Routes(graph)).empty()) << name << " " << options.gpus;
  return TierBandwidths(graph).at(0);
}

TEST(Oversubscription, IsThatOfTheWrittenFileForEveryTemplate) {
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    for (const std::uint32_t gpus : {8U, 24U, 64U, 136U, 256U, 520U, 1024U}) {
      const double one = LeafOf(t.name, With(t.name, gpus, "1")).ratio();
      EXPECT_GT(one, 0.93) << t.name << " " << gpus;
      EXPECT_LT(one, 1.07) << t.name << " " << gpus;
    }
    for (const std::uint32_t gpus : {64U, 256U, 1024U}) {
      for (const double ratio : {0.5, 2.0, 4.0}) {
        EXPECT_DOUBLE_EQ(LeafOf(t.name, With(t.name, gpus, std::to_string(ratio))).ratio(), ratio)
            << t.name << " " << gpus;
      }
    }
  }
}

TEST(Oversubscription, OfTheDefaultsIsOftenAnother) {
  const auto ratio = [](const std::string& name) {
    return LeafOf(name, With(name, 256, "none")).ratio();
  };
  EXPECT_DOUBLE_EQ(ratio("Spectrum-X"), 0.5);
  EXPECT_DOUBLE_EQ(ratio("DCN-DualToR"), 8);
  EXPECT_NEAR(ratio("AlibabaHPN-DualPlane"), 0.27, 0.005);
}

TEST(Oversubscription, KeepsServersWholeAndSegmentsEven) {
  // 17 servers of 8 under leaves of at most 64: three segments of 6, 6 and 5 servers.
  const Graph graph = Generate("DCN-SingleToR", With("DCN-SingleToR", 136, "1"));
  ASSERT_EQ(graph.switch_count() - 3, 48U);  // as many uplinks as a full leaf has NICs
  const auto attached = [&](std::uint32_t leaf) {
    std::uint32_t gpus = 0;
    for (const Attachment& port :
         graph.ports(NodeId(graph.gpu_count() + graph.nvswitch_count() + leaf)))
      gpus += graph.is_gpu(port.peer) ? 1 : 0;
    return gpus;
  };
  EXPECT_EQ(attached(0), 48U);
  EXPECT_EQ(attached(1), 48U);
  EXPECT_EQ(attached(2), 40U);
}

TEST(Oversubscription, UplinksHaveTheTemplatesRateWhereItFits) {
  const auto links = [](const LeafSpineOptions& options) {
    return Generate("AlibabaHPN-SinglePlane", options).links().back().rate.bps / 1'000'000'000;
  };
  EXPECT_EQ(links(With("AlibabaHPN-SinglePlane", 64, "1")), 400);
  EXPECT_EQ(links(With("AlibabaHPN-SinglePlane", 24, "1")), 200);  // 3 x 200 is not n x 400
  LeafSpineOptions fast = With("AlibabaHPN-SinglePlane", 64, "1");
  fast.bandwidth = "800Gbps";
  EXPECT_EQ(links(fast), 800);
}

TEST(Oversubscription, WhatCannotBeReachedIsRefused) {
  const auto refusal = [](const std::string& ratio, std::uint32_t gpus = 64) {
    return MessageOf([&] { GenerateText("Spectrum-X", With("Spectrum-X", gpus, ratio)); });
  };
  for (const char* bad : {"0", "-1", "nan", "inf", "1:2", "", "2x"}) {
    EXPECT_NE(refusal(bad).find("oversubscription (-ov) \"" + std::string(bad) +
                                "\". Expected: a number above zero"),
              std::string::npos)
        << refusal(bad);
  }
  EXPECT_EQ(refusal("100"),
            "Spectrum-X: 100 : 1 (--oversubscription) with 8 NIC ports of 400Gbps a leaf and "
            "uplinks of 400Gbps; the nearest that whole uplinks reach is 8 : 1. Expected: that "
            "ratio, or another -npa, -bw or -apbw");
  EXPECT_NE(refusal("2", 24).find("with 3 NIC ports"), std::string::npos) << refusal("2", 24);
  EXPECT_NE(refusal("1e-9").find("links"), std::string::npos) << refusal("1e-9");
}

TEST(RailOnly, IsAFabricOfOneSegment) {
  LeafSpineOptions options = With("Spectrum-X", 64, "none");
  options.spine_switches = 0;
  const Graph graph = ParseSimaiText(GenerateText("Spectrum-X", options), "t.txt");
  EXPECT_EQ(graph.switch_count(), 8U);
  EXPECT_TRUE(TierBandwidths(graph).at(0).is_top());
  const Routes routes(graph);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(8)), 2U);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(9)), Routes::kUnreachable);
  EXPECT_EQ(
      FabricWarnings(graph, routes),
      std::vector<std::string>{
          "server 0 / GPU 0 cannot reach server 1 / GPU 1 but by NVLink to server 0 / GPU 1: the "
          "fabric is rail-only"});
  options.nics_per_leaf = 4;
  EXPECT_EQ(MessageOf([&] { GenerateText("Spectrum-X", options); }),
            "Spectrum-X: 2 segments without a spine switch (-psn 0). Expected: one segment: more "
            "NICs per leaf (-npa) or fewer GPUs (-g); or spines");
}

}  // namespace
}  // namespace heddle
