// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/topology_names.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/message_of.h"
#include "topology/files/name_lines.h"
#include "topology/files/simai_topology.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

/// Two servers of a GPU under a leaf each, and a spine.
const std::string kTwoLeaves =
    "5 1 0 3 4 H100\n2 3 4\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 1Gbps 1us 0\n3 4 1Gbps 1us 0\n";

TEST(TopologyNames, NodesHaveTheNamesOfTheFile) {
  const Graph graph = ParseSimaiText(kTwoLeaves + "names\n3 tor-b\n4 spine-west\n", "t");
  const NodeNames names(graph);
  EXPECT_EQ(names.Of(NodeId(0)), "GPU 0");
  EXPECT_EQ(names.Of(NodeId(2)), "leaf 0");
  EXPECT_EQ(names.Of(NodeId(3)), "tor-b");
  EXPECT_EQ(names.Link(NodeId(3), PortId(1)), "tor-b -> spine-west");
  EXPECT_TRUE(ParseSimaiText(kTwoLeaves, "t").names().empty());
  EXPECT_TRUE(NodeNames(ParseSimaiText(kTwoLeaves + "names\n", "t")).Of(NodeId(4)) == "spine 0");
}

TEST(TopologyNames, AreWrittenAgain) {
  const std::string text = kTwoLeaves + "names\n3 tor-b\n4 spine-west\n";
  std::ostringstream out;
  WriteSimaiTopology(ParseSimaiText(text, "t"), out);
  const std::string written = out.str();
  EXPECT_EQ(written.substr(written.find("names")), "names\n3 tor-b\n4 spine-west\n");
  EXPECT_EQ(ParseSimaiText(written, "t").names(), ParseSimaiText(text, "t").names());
}

TEST(TopologyNames, MistakesHaveTheirLine) {
  const auto message = [](const std::string& names) {
    return MessageOf([&] { ParseSimaiText(kTwoLeaves + names, "t"); });
  };
  EXPECT_EQ(message("name\n3 a\n").rfind("t:7: found \"name\" after the last link", 0), 0U);
  EXPECT_EQ(message("names\n3 a\n3 b\n").rfind("t:9: node 3 is named twice", 0), 0U);
  EXPECT_EQ(message("names\n5 a\n").rfind("t:8: ", 0), 0U);
  EXPECT_EQ(message("names\n3\n").rfind("t:8: ", 0), 0U);
  EXPECT_EQ(message("names\n3 a\n4 a\n"), "t: two nodes are named 'a'. Expected: different names");
  EXPECT_NE(message("names\n3 " + std::string(101, 'a') + "\n").find("1 to 100 printable bytes"),
            std::string::npos);
}

TEST(NameLines, SayWhichNumbersNamesStandFor) {
  EXPECT_EQ(NameLines(ParseSimaiText(kTwoLeaves, "t")),
            "names      GPU 0 to GPU 1: nodes 0 to 1\n"
            "           leaf 0 to leaf 1: nodes 2 to 3\n"
            "           spine 0: node 4\n");
}

}  // namespace
}  // namespace heddle
