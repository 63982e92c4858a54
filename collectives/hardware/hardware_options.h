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
  /// Starts with the figures of H100 and RoCE, and none given.
  HardwareOptions();

  /// Declares nic.kind and a key for each figure; `options` writes to this, which must outlive it.
  void Declare(OptionSet* options);
  /// Chooses the figures for a fabric, except the figures that the user has set.
  void FitTo(const FabricHardware& fabric);

  const HardwareFigures& figures() const { return figures_; }  ///< the user's, else the table's
  /// Whether the user has set the figure.
  bool IsGiven(Figure figure) const { return given_[static_cast<std::size_t>(figure)] != kAuto; }
  NicKind nic_kind() const { return nic_kind_; }  ///< the user's, else the fabric's
  /// Describes the choice, "H100, ib (nic.kind)", in one line without its end.
  std::string Describe() const;

 private:
  /// Chooses kind of NIC and figures anew, after an option or the fabric has changed.
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
