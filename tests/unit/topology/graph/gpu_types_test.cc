// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/gpu_types.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(GpuTypes, KnownOnesNeedNoNote) {
  for (const char* name :
       {"A100", "A800", "H100", "H800", "H20", "H200", "B200", "B300", "GB200", "GB300"})
    EXPECT_EQ(GpuTypeNote(name), "") << name;
  EXPECT_EQ(GpuTypeNote("b200"),
            "GPU type \"b200\" is not known (known: A100, A800, H100, H800, H20, H200, B200, B300, "
            "GB200, GB300); its NVSwitches do not reduce (NVLS)");
}

TEST(GpuTypes, NvlsIsThatOfHopperAndBlackwell) {
  for (const char* name : {"H100", "H800", "H200", "B200", "B300", "GB200", "GB300"})
    EXPECT_TRUE(HasNvls(name)) << name;
  for (const char* name : {"A100", "A800", "H20", "b200", "NONE", ""})
    EXPECT_FALSE(HasNvls(name)) << name;
}

TEST(GpuTypes, GenerationsAreHoppersUnlessKnown) {
  EXPECT_EQ(GenerationOf("A800"), GpuGeneration::kAmpere);
  EXPECT_EQ(GenerationOf("H20"), GpuGeneration::kHopper);
  EXPECT_EQ(GenerationOf("GB300"), GpuGeneration::kBlackwell);
  EXPECT_EQ(GenerationOf("X1"), GpuGeneration::kHopper);
  EXPECT_STREQ(ToText(GenerationOf("B200")), "Blackwell");
}

}  // namespace
}  // namespace heddle
