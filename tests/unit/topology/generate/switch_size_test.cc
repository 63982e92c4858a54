// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/switch_size.h"

#include <gtest/gtest.h>

#include "tests/unit/topology/shapes/fabric_facts.h"

namespace heddle {
namespace {

/// 1,536 leaves of 64 GPUs, each with a cable to each of 64 spines: 1,536 x 400 Gbps = 614.4
/// Tbit/s.
TEST(SwitchSizeNote, NamesSwitchesThatNobodySells) {
  EXPECT_EQ(SwitchSizeNote(PlanFabric("Spectrum-X -g 98304 -ov 1")),
            "a switch has 1536 ports of 400Gbps, 614.4 Tbit/s, and the largest that is sold has "
            "102.4; RailTree and FatTree take more tiers of smaller ones");
  EXPECT_EQ(SwitchSizeNote(PlanFabric("Spectrum-X -g 4096 -ov 1")), "") << "64 ports";
  EXPECT_EQ(SwitchSizeNote(PlanFabric("Spectrum-X -g 16384 -ov 1")), "")
      << "256 x 400 Gbps = 102.4";
  EXPECT_NE(SwitchSizeNote(PlanFabric("Spectrum-X -g 16896 -ov 1")), "") << "264 ports";
}

TEST(SwitchSizeNote, TreesOfManyGpusHaveSwitchesThatAreSold) {
  for (const char* name : {"RailTree", "FatTree"})
    EXPECT_EQ(SwitchSizeNote(PlanFabric(std::string(name) + " --gpus 98304 -ov 1")), "") << name;
}

TEST(SwitchSizeNote, PortsOfSeveralRatesHaveNone) {
  EXPECT_NE(SwitchSizeNote(PlanFabric("FatTree -down 400x2 -up 1x1 -rates 800Gbps"))
                .find("a switch has 401 ports, 160.8 Tbit/s"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
