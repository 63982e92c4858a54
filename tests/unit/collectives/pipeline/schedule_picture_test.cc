// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/schedule_picture.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/pipeline/pipeline_test_util.h"

namespace heddle {
namespace {

std::string Drawn(const PipelineTable& table, const StageTimes& times, std::size_t columns) {
  return DrawSchedule(table, TimesOf(table, times), columns);
}

/// Times by hand: stage 1 works from 1 on and ends its first backward at 4; a column is half a
/// forward.
TEST(SchedulePicture, OneForwardOneBackward) {
  EXPECT_EQ(Drawn(TableOf("1f1b", {2, 3}), {1, 1, 1, 0}, 24),
            "    0 0>1>....0<<<2>1<<<..2<<<\n"
            "    1 ..0>0<<<1>1<<<2>2<<<....\n");
}

TEST(SchedulePicture, PartsOfABackward) {
  EXPECT_EQ(Drawn(TableOf("zb-h1", {2, 2}), {1, 1, 1, 0}, 14),
            "    0 0>1>..0-0=1-1=\n"
            "    1 ..0>0-1>1-0=1=\n")
      << "two columns a task, as one is wanted at least";
}

TEST(SchedulePicture, ChunksHaveLettersAndPairsBothNumbers) {
  EXPECT_EQ(Drawn(TableOf("interleaved", {2, 2, 2}), {2, 1, 1, 0}, 30),
            "    0 0a>1a>0b>1b>...0b<...1b<0a<1a<\n"
            "    1 ...0a>1a>0b>0b<1b>1b<0a<1a<...\n");
  EXPECT_EQ(Drawn(TableOf("dualpipev", {1, 2}), {2, 1, 1, 0}, 48),
            "    0 0a>>>>0b>>>>1a>>>>0b<<<<1b+0a+++++++1b<<<<1a-1a=\n");
  EXPECT_EQ(Drawn(TableOf("dualpipev", {1, 2}), {2, 1, 1, 0}, 24), "    0 0a0b1a0b++++1b-=\n")
      << "too narrow for some numbers";
}

}  // namespace
}  // namespace heddle
