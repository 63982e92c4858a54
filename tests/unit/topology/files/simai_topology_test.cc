// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/simai_topology.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/test_data.h"

namespace heddle {
namespace {

TEST(SimaiTopology, ReadsHeaderIdsAndLinks) {
  const Graph graph = ParseSimaiText(
      "4 2 1 1 3 A100\n2 3 \n0 2 2880Gbps 0.000025ms 0\n1 2 2880Gbps 0.000025ms 0\n"
      "1 3 100Gbps 0.0005ms 0.001\n",
      "t");
  EXPECT_EQ(graph.gpu_count(), 2u);
  EXPECT_EQ(graph.nvswitch_count(), 1u);
  EXPECT_EQ(graph.switch_count(), 1u);
  EXPECT_EQ(graph.gpus_per_server(), 2u);
  EXPECT_EQ(graph.gpu_type(), "A100");
  const Link& link = graph.link(LinkId(2));
  EXPECT_EQ(link.a, NodeId(1));
  EXPECT_EQ(link.b, NodeId(3));
  EXPECT_EQ(link.rate.bps, 100'000'000'000);
  EXPECT_EQ(link.delay, NanoSeconds(500));
  EXPECT_DOUBLE_EQ(link.error_rate, 0.001);
  EXPECT_EQ(graph.link(LinkId(0)).delay, NanoSeconds(25));
}

TEST(SimaiTopology, LineBreaksDoNotMatter) {
  const Graph graph = ParseSimaiText("3 1 0 1\n2 NONE 2 0 2 1Gbps\r\n1us 0 1 2\t1Gbps 1us 0", "t");
  EXPECT_EQ(graph.links().size(), 2u);
  EXPECT_EQ(graph.link(LinkId(1)).delay, MicroSeconds(1));
}

TEST(SimaiTopology, ReadsHpccDialect) {
  const Graph graph = ParseSimaiText("3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", "t");
  EXPECT_EQ(graph.gpu_count(), 2u);
  EXPECT_EQ(graph.nvswitch_count(), 0u);
  EXPECT_EQ(graph.gpus_per_server(), 1u);
  EXPECT_EQ(graph.gpu_type(), "NONE");
}

TEST(SimaiTopology, HpccSwitchesMustBeLast) {
  EXPECT_THROW(ParseSimaiText("3 1 2\n0\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", "t"), UserError);
}

TEST(SimaiTopology, WritesWhatSimaiWrote) {
  for (const char* name :
       {"c1_sx32", "doc_ring32", "f_sx128_rail_cc1", "f_hpndp64_rail_cc1", "f_dcn64_mixed_cc1"}) {
    std::ostringstream out;
    WriteSimaiTopology(ReadCase(name), out);
    EXPECT_EQ(out.str(), ReadText(CasePath(name, "topo.txt"))) << name;
  }
}

TEST(SimaiTopology, WritesHpcc) {
  std::ostringstream out;
  WriteSimaiTopology(ReadCase("f_loss_one40MB_cc1"), out, {TopologyDialect::kHpcc, false});
  EXPECT_EQ(out.str(),
            "4 1 3\n3\n0 3 100Gbps 0.001ms 0.001\n1 3 100Gbps 0.001ms 0.001\n"
            "2 3 100Gbps 0.001ms 0.001\n");
  EXPECT_EQ(ParseSimaiText(out.str(), "t").links().size(), 3u);
  EXPECT_THROW(WriteSimaiTopology(ReadCase("c1_sx32"), out, {TopologyDialect::kHpcc, false}),
               UserError);
}

TEST(SimaiTopology, DelaysOfAnySizeSurviveARoundTrip) {
  const std::string text =
      "2 1 0 0 3 X\n\n0 1 1Gbps 7ps 0\n0 1 1Gbps 0s 0\n0 1 2500Mbps 3ms 0.25\n";
  std::ostringstream out;
  WriteSimaiTopology(ParseSimaiText(text, "t"), out);
  const Graph graph = ParseSimaiText(out.str(), "t");
  EXPECT_EQ(graph.link(LinkId(0)).delay, PicoSeconds(7));
  EXPECT_EQ(graph.link(LinkId(1)).delay, PicoSeconds(0));
  EXPECT_EQ(graph.link(LinkId(2)).delay, MicroSeconds(3000));
  EXPECT_EQ(graph.link(LinkId(2)).rate.bps, 2'500'000'000);
  EXPECT_DOUBLE_EQ(graph.link(LinkId(2)).error_rate, 0.25);
}

TEST(SimaiTopology, AFileThatCannotBeReadIsNamed) {
  for (const char* path : {"/nonexistent/topo.txt", "/tmp"}) {
    try {
      ReadSimaiTopology(path);
      ADD_FAILURE() << path;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace heddle
