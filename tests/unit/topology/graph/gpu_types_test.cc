// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/gpu_types.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(GpuTypes, KnownOnesNeedNoNote) {
  for (const char* name : {"A100", "A800", "H100", "H800", "H20", "B200", "GB200"})
    EXPECT_EQ(GpuTypeNote(name), "") << name;
  EXPECT_EQ(GpuTypeNote("b200"),
            "GPU type \"b200\" is not known (known: A100, A800, H100, H800, H20, B200, GB200); its "
            "NVSwitches do not reduce (NVLS)");
}

TEST(GpuTypes, NvlsIsThatOfHopperAndBlackwell) {
  for (const char* name : {"H100", "H800", "B200", "GB200"}) EXPECT_TRUE(HasNvls(name)) << name;
  for (const char* name : {"A100", "A800", "H20", "b200", "NONE", ""})
    EXPECT_FALSE(HasNvls(name)) << name;
}

}  // namespace
}  // namespace heddle
