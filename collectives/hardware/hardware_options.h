// SPDX-License-Identifier: GPL-2.0-only
/// Options of the hardware that collectives run on: the kind of NIC, and each figure of the table
/// (hardware_figures.h), which the user may set.
#pragma once

#include <array>
#include <string>

#include "collectives/hardware/hardware_figures.h"

namespace heddle {

class OptionSet;

/// What is known of a fabric.
struct FabricHardware {
  std::string gpu_type;  ///< as in the topology's header
  bool infiniband = false;
  double nvlinks = 0, nics = 0;  ///< HardwareFigures::nvlinks and nics
};

class HardwareOptions {
 public:
  HardwareOptions();

  void Declare(OptionSet* options);
  /// Chooses the figures for a fabric, but those that the user has set. Until then they are those
  /// of H100 and RoCE.
  void FitTo(const FabricHardware& fabric);

  const HardwareFigures& figures() const { return figures_; }
  bool IsGiven(Figure figure) const { return given_[static_cast<std::size_t>(figure)] != kAuto; }
  NicKind nic_kind() const { return nic_kind_; }
  /// "H100, ib (nic.kind)", one line without its end.
  std::string Describe() const;

 private:
  void Settle();

  static constexpr double kAuto = -1;
  std::string nic_word_ = "auto";
  std::array<double, kFigures> given_;  ///< kAuto: the table's
  FabricHardware fabric_;
  NicKind nic_kind_ = NicKind::kRoce;
  const char* why_nic_ = "";  ///< what the kind is known by
  HardwareFigures figures_;
};

}  // namespace heddle
