// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/hardware/hardware_options.h"

#include <gtest/gtest.h>

#include "core/options/options.h"

namespace heddle {
namespace {

struct Declared {
  Declared() { hardware.Declare(&options); }
  double Of(Figure figure) const { return hardware.figures()[figure]; }

  HardwareOptions hardware;
  OptionSet options;
};

TEST(HardwareFigures, EachHasAKeyAValueInItsRangeAndASource) {
  for (std::size_t i = 0; i < kFigures; ++i) {
    const FigureRow& row = FigureRows()[i];
    const std::size_t columns = i < kGpuFigures ? 3 : kNicKinds;
    const std::string key = row.key;
    EXPECT_EQ(key.substr(0, 4), i < kGpuFigures ? "gpu." : "nic.") << key;
    EXPECT_NE(std::string(row.source), "") << key;
    for (std::size_t column = 0; column < columns; ++column) {
      EXPECT_GE(row.values[column], row.low) << key;
      EXPECT_LE(row.values[column], row.high) << key;
    }
  }
}

TEST(HardwareOptions, TheGpuAndTheNicChoose) {
  Declared d;
  d.hardware.FitTo({"A100", false, 3e11, 25e9});
  EXPECT_EQ(d.hardware.figures().nvlinks, 3e11);
  EXPECT_EQ(d.hardware.figures().nics, 25e9);
  EXPECT_EQ(d.hardware.nic_kind(), NicKind::kRoce);
  const double roce = d.Of(Figure::kNetLl), ampere = d.Of(Figure::kRateSimple);
  d.hardware.FitTo({"H200", true, 3e11, 25e9});
  EXPECT_EQ(d.hardware.nic_kind(), NicKind::kInfiniBand);
  EXPECT_LT(d.Of(Figure::kNetLl), roce);
  EXPECT_GT(d.Of(Figure::kRateSimple), ampere);
  EXPECT_EQ(d.hardware.Describe(), "H200 (Hopper), NICs ib (read from InfiniBand's files)");
  d.options.Set("nic.kind", "efa");
  d.hardware.FitTo({"GB300", true, 3e11, 25e9});
  EXPECT_EQ(d.hardware.nic_kind(), NicKind::kEfa);
  EXPECT_EQ(d.hardware.Describe(), "GB300 (Blackwell), NICs efa (nic.kind)");
}

TEST(HardwareOptions, AFigureOfTheUserStaysWhateverTheFabric) {
  Declared d;
  d.options.Set("nic.net_ll", "1.25");
  d.hardware.FitTo({"H100", false, 0, 0});
  EXPECT_EQ(d.Of(Figure::kNetLl), 1.25);
  EXPECT_EQ(d.options.FindByName("nic.net_ll").front()->get(), "1.25");
  EXPECT_EQ(d.hardware.Describe(),
            "H100 (Hopper), NICs roce (by default, nic.kind), nic.net_ll=1.25");
  d.options.Set("nic.net_ll", "auto");
  d.hardware.FitTo({"H100", false, 0, 0});
  EXPECT_EQ(d.Of(Figure::kNetLl),
            FiguresOf(GpuGeneration::kHopper, NicKind::kRoce)[Figure::kNetLl]);
}

TEST(HardwareOptions, RubbishIsRefused) {
  Declared d;
  for (const char* value : {"", "0", "-1", "nan", "1us", "1e9"})
    EXPECT_THROW(d.options.Set("gpu.nvlink_ll", value), UserError) << value;
  EXPECT_THROW(d.options.Set("nic.share", "1.5"), UserError);
  EXPECT_THROW(d.options.Set("nic.kind", "token-ring"), UserError);
}

TEST(NicKind, WordsAreReadBack) {
  for (const std::string& word : NicKindWords()) EXPECT_EQ(ToText(ParseNicKind(word)), word);
  EXPECT_THROW(ParseNicKind("auto"), InvariantError);
}

}  // namespace
}  // namespace heddle
