// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/compute_table.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string WhyNoTable(const std::string& text) {
  try {
    ParseComputeTable(text, "t.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ComputeTable, ReadsMicroseconds) {
  const ComputeTable table = ParseComputeTable(
      "# measured\n\nattention 320.5 410 300 # of one layer\nmlp\t1 2 3\r\noptimizer 9000\n",
      "t.txt");
  const auto of = [&](BlockKind kind) { return table[static_cast<std::size_t>(kind)]; };
  ASSERT_TRUE(of(BlockKind::kAttention) && of(BlockKind::kMlp) && of(BlockKind::kOptimizer));
  EXPECT_EQ(of(BlockKind::kAttention)->forward, NanoSeconds(320500));
  EXPECT_EQ(of(BlockKind::kMlp)->weight_gradient, MicroSeconds(3));
  EXPECT_EQ(of(BlockKind::kOptimizer)->forward, MicroSeconds(9000));
  EXPECT_FALSE(of(BlockKind::kRouter));
}

TEST(ComputeTable, NamesFileAndLine) {
  const auto says = [](const std::string& text, const std::string& message) {
    EXPECT_EQ(WhyNoTable(text), message);
  };
  const std::string kinds = "embedding, attention, mlp, router, experts, output, loss, optimizer";
  says("mlp 1 2 3\natention 1 2 3\n",
       "t.txt:2: block \"atention\"; the nearest is attention. Expected: " + kinds);
  says("mlp 1 2\n", "t.txt:1: no time. Expected: microseconds, from 0 to 1e12");
  says("mlp 1 2 -3\n", "t.txt:1: time \"-3\". Expected: microseconds, from 0 to 1e12");
  says("mlp 1 nan 3\n", "t.txt:1: time \"nan\". Expected: microseconds, from 0 to 1e12");
  says("mlp 1 2 3 4\n", "t.txt:1: \"4\". Expected: the end of the line");
  says("optimizer 1 2 3\n", "t.txt:1: \"2\". Expected: the end of the line");
  says("mlp 1 2 3\nmlp 1 2 3\n", "t.txt:2: mlp a second time. Expected: each block once");
  says("# nothing\n", "t.txt: no times. Expected: lines such as 'attention 320 410 300'");
}

}  // namespace
}  // namespace heddle
