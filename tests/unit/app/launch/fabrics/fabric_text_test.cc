// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

FabricResult ResultOf(const std::string& name, double step_us, const std::string& algorithm,
                      double bandwidth) {
  FabricResult result;
  result.fabric.name = name;
  result.figures.step_ps = step_us * 1e6;
  result.figures.shares = {{"computing", "", step_us * 1e6}};
  KindTimes kind;
  kind.operation = "ALLREDUCE";
  kind.group = "DP";
  kind.ranks = 16;
  kind.bytes = 1 << 20;
  kind.bus_bandwidth = bandwidth;
  kind.algorithm = algorithm;
  result.figures.collectives = {kind};
  return result;
}

/// The line of a table that begins with these words, without spaces that follow each other.
std::string LineOf(const std::string& table, const std::string& begin) {
  const std::size_t at = table.find("\n" + begin);
  if (at == std::string::npos) return "";
  std::string line;
  for (std::size_t i = at + 1; i < table.size() && table[i] != '\n'; ++i) {
    if (table[i] != ' ' || (!line.empty() && line.back() != ' ')) line += table[i];
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

TEST(FabricText, AllThatAreBestHaveAStar) {
  const std::string table =
      FabricTable({ResultOf("a", 100, "RING LL128", 1e9), ResultOf("b", 103.2, "RING LL128", 2e9),
                   ResultOf("c", 100, "RING LL128", 2e9)},
                  false);
  EXPECT_EQ(LineOf(table, "step [us]"), "step [us] 100.0 * 103.2 +3.2 % 100.0 *");
  EXPECT_EQ(LineOf(table, "ALLREDUCE"),
            "ALLREDUCE DP 1.00 MiB by RING LL128 [GB/s] 1.00 -50.0 % 2.00 * 2.00 *");
  const std::string tie =
      FabricTable({ResultOf("a", 7, "TREE LL", 1e9), ResultOf("b", 7, "TREE LL", 1e9)}, false);
  EXPECT_EQ(LineOf(tie, "step [us]"), "step [us] 7.0 * 7.0 *");
}

TEST(FabricText, LargeDifferencesAreMultiples) {
  const std::string table =
      FabricTable({ResultOf("a", 1, "RING", 1e9), ResultOf("b", 111.13, "TREE LL", 1.00001e9),
                   ResultOf("c", 9.99, "RING", 1e9)},
                  false);
  EXPECT_EQ(LineOf(table, "step [us]"), "step [us] 1.0 * 111.1 111x 10.0 +899.0 %");
  EXPECT_EQ(LineOf(table, "ALLREDUCE DP 1.00 MiB [GB/s]"),
            "ALLREDUCE DP 1.00 MiB [GB/s] 1.00 * 1.00 * 1.00 *");
  EXPECT_EQ(LineOf(table, "  by"), "by RING TREE LL RING");
}

/// A step may be divided otherwise on another fabric: its collectives have other sizes there.
TEST(FabricText, ACollectiveThatAFabricLacksHasNoBandwidth) {
  FabricResult other = ResultOf("b", 100, "TREE LL", 3e9);
  other.figures.collectives[0].bytes = 2 << 20;
  const std::string table =
      FabricTable({ResultOf("a", 100, "RING", 1e9), other, ResultOf("c", 100, "RING", 2e9)}, false);
  EXPECT_EQ(LineOf(table, "ALLREDUCE DP 1.00 MiB"),
            "ALLREDUCE DP 1.00 MiB by RING [GB/s] 1.00 -50.0 % none 2.00 *");
  EXPECT_EQ(LineOf(table, "ALLREDUCE DP 2.00 MiB"),
            "ALLREDUCE DP 2.00 MiB by TREE LL [GB/s] none 3.00 none");
  EXPECT_EQ(LineOf(FabricTable({ResultOf("a", 100, "RING", 1e9), other}, false), "ALLREDUCE DP 1"),
            "ALLREDUCE DP 1.00 MiB by RING [GB/s] 1.00 none");
}

}  // namespace
}  // namespace heddle
