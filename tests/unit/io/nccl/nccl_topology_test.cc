// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl/nccl_topology.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

/// A GPU under a bridge, with its NVLinks.
std::string Gpu(int dev, int sm, const std::string& nvlinks) {
  return "<pci busid=\"0000:0" + std::to_string(dev) + ":00.0\" class=\"0x030200\"><gpu dev=\"" +
         std::to_string(dev) + "\" sm=\"" + std::to_string(sm) + "\" rank=\"" +
         std::to_string(dev) + "\">" + nvlinks + "</gpu></pci>\n";
}
std::string NvLink(const std::string& target, int count, const std::string& kind) {
  return "<nvlink target=\"" + target + "\" count=\"" + std::to_string(count) + "\" tclass=\"" +
         kind + "\"/>";
}
std::string ToGpu(int dev, int count) {
  return NvLink("0000:0" + std::to_string(dev) + ":00.0", count, "0x030200");
}
std::string System(const std::string& content) {
  return "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\">\n<pci busid=\"0000:00:00.0\" "
         "class=\"0x060400\">\n" +
         content + "</pci>\n</cpu>\n</system>\n";
}
NcclTopology Parse(const std::string& text) { return ParseNcclTopology(text, "server.xml"); }
Graph Fabric(const std::string& content) {
  return MakeNcclGraph(Parse(System(content)), "server.xml");
}
std::string Refusal(const std::string& content) {
  return MessageOf([&] { Fabric(content); });
}

/// Two GPUs of Hopper on two NVSwitches by 5 and 4 links of 20.6 GB/s; devices stand in any order.
TEST(NcclTopology, GpusOnNvSwitches) {
  const std::string links =
      NvLink("0000:c4:00.0", 5, "0x068000") + NvLink("0000:c5:00.0", 4, "0x068000");
  const NcclTopology topology = Parse(
      System(Gpu(1, 90, links) + Gpu(0, 90, links) +
             "<pci busid=\"0000:0a:00.0\" class=\"0x020700\"><nic><net name=\"mlx5_0\" dev=\"0\" "
             "speed=\"400000\" port=\"1\"/></nic></pci>\n"));
  ASSERT_EQ(topology.gpus.size(), 2U);
  EXPECT_EQ(topology.gpus[0].device, 0U);
  ASSERT_EQ(topology.warnings.size(), 1U);
  EXPECT_EQ(topology.warnings[0],
            "server.xml: 1 NICs, of 400 Gbit/s at most, lead to no switch here: the fabric is this "
            "server alone; heddle topo makes fabrics of several");
  const Graph graph = MakeNcclGraph(topology, "server.xml");
  EXPECT_EQ(graph.gpu_count(), 2U);
  EXPECT_EQ(graph.nvswitch_count(), 2U);
  EXPECT_EQ(graph.gpus_per_server(), 2U);
  EXPECT_EQ(graph.gpu_type(), "H100");
  ASSERT_EQ(graph.links().size(), 4U);
  EXPECT_EQ(graph.link(LinkId(0)).rate.bps, 824'000'000'000) << "5 x 20.6 GB/s";
  EXPECT_EQ(graph.link(LinkId(1)).rate.bps, 659'200'000'000) << "4 x 20.6 GB/s";
  EXPECT_EQ(graph.link(LinkId(3)).b, NodeId(3));
}

TEST(NcclTopology, LinksOfGpusAreAddedOnce) {
  const Graph graph =
      Fabric(Gpu(0, 70, ToGpu(1, 2) + ToGpu(2, 1)) + Gpu(1, 70, ToGpu(0, 2) + ToGpu(2, 1)) +
             Gpu(2, 70, ToGpu(0, 1) + ToGpu(1, 1)));
  ASSERT_EQ(graph.links().size(), 3U);
  EXPECT_EQ(graph.link(LinkId(0)).rate.bps, 320'000'000'000) << "2 x 20 GB/s";
  EXPECT_EQ(graph.link(LinkId(2)).rate.bps, 160'000'000'000);
  EXPECT_EQ(graph.nvswitch_count(), 0U);
  EXPECT_EQ(graph.gpu_type(), "V100");
}

TEST(NcclTopology, OtherTargetsAreLeftOut) {
  const NcclTopology topology =
      Parse(System(Gpu(0, 90, NvLink("fffffff:ffff:ff", 18, "0x068001"))));
  ASSERT_EQ(topology.warnings.size(), 1U);
  EXPECT_NE(topology.warnings[0].find("class 0x068001 are left out"), std::string::npos);
}

TEST(NcclTopology, RefusesWhatIsWrong) {
  EXPECT_NE(MessageOf([] { Parse("<system><cpu></system>"); }).find("no XML: "), std::string::npos);
  EXPECT_NE(MessageOf([] { Parse("<graphs/>"); }).find("no element system"), std::string::npos);
  EXPECT_NE(MessageOf([] { Parse("<system/>"); }).find("no element gpu"), std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 90, "") + Gpu(0, 90, "")).find("two GPUs with dev 0"),
            std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 90, ToGpu(1, 2)) + Gpu(1, 90, "")).find("2 NVLinks from GPU 0 to GPU 1"),
            std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 90, "") + Gpu(1, 90, "")).find("GPU 0 has no NVLinks"),
            std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 35, ToGpu(1, 1)) + Gpu(1, 35, ToGpu(0, 1))).find("NVLinks of sm 35"),
            std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 90, ToGpu(7, 1))).find("Expected: the busid of another GPU"),
            std::string::npos);
  EXPECT_NE(Refusal(Gpu(0, 90, NvLink("a", 65, "0x068000"))).find("count=\"65\""),
            std::string::npos);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_NE(MessageOf([&] { Parse(deep); }).find("elements within 64 others"), std::string::npos);
}

}  // namespace
}  // namespace heddle
