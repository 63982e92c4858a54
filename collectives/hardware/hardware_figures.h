// SPDX-License-Identifier: GPL-2.0-only
/// What NCCL's kernels and proxies need on a generation of GPUs and a kind of NICs: one table, in
/// which each figure says what it was fitted on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/hardware/nic_kind.h"
#include "topology/graph/gpu_types.h"

namespace heddle {

/// In the order of the table (hardware_figures.cc). Of three in a row: LL, LL128, Simple.
enum class Figure : std::uint8_t {
  // Of GPUs.
  kBaseLl,
  kBaseLl128,
  kBaseSimple,
  kBaseDirect,
  kBaseNvls,
  kNvlinkLl,
  kNvlinkLl128,
  kNvlinkSimple,
  kNvlinkDoublingLl,
  kRateLl,
  kRateLl128,
  kRateSimple,
  kRateDirect,
  kTreeRateLl,
  kTreeRateLl128,
  kTreeRateSimple,
  kTreeDoublingLl,
  kPeerInside,
  kNvlsHead,
  kNvlsPiece,
  kNvlsChannelRate,
  kNvlsTreeRate,
  kNvlsRate,
  // Of NICs.
  kNetLl,
  kNetLl128,
  kNetSimple,
  kTreeNetLl,
  kTreeNetLl128,
  kTreeNetSimple,
  kLine,
  kPeerLl,
  kPeerSimple,
  kShare,
  kRelayedRate,
};
constexpr std::size_t kFigures = 34;
constexpr std::size_t kGpuFigures = 23;  ///< the first ones

/// One figure, as users see it.
struct FigureRow {
  const char* key;   ///< of the option
  const char* unit;  ///< "us", "GB/s", ""
  const char* help;
  double low, high;  ///< what an option may set
  /// By generation of GPUs or by kind of NICs, in the order of the enum; others are 0.
  std::array<double, kNicKinds> values;
  const char* source;
};

/// Returns all rows, in the order of the enum.
const std::array<FigureRow, kFigures>& FigureRows();

/// The figures that hold for a fabric.
struct HardwareFigures {
  std::array<double, kFigures> values = {};
  /// What a GPU sends at most by its NVLinks and by its NICs, each direction [byte/s]; 0: it has
  /// none.
  double nvlinks = 0, nics = 0;

  /// Returns a figure in the unit of its row.
  double operator[](Figure figure) const { return values[static_cast<std::size_t>(figure)]; }
};

/// Returns the table's figures, without rates of links.
HardwareFigures FiguresOf(GpuGeneration generation, NicKind kind);

}  // namespace heddle
