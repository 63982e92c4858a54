// SPDX-License-Identifier: GPL-2.0-only
/// How a run plays traces of Chakra; docs/formats/chakra.md.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct ChakraOptions {
  enum class Slots : std::uint8_t { kStreams, kAstraSim };
  friend constexpr auto WordsOf(Slots /*type*/) { return std::array{"streams", "astra-sim"}; }
  enum class Control : std::uint8_t { kFollow, kIgnore };
  friend constexpr auto WordsOf(Control /*type*/) { return std::array{"follow", "ignore"}; }
  enum class Compute : std::uint8_t { kDuration, kRoofline };
  friend constexpr auto WordsOf(Compute /*type*/) { return std::array{"duration", "roofline"}; }

  Slots slots = Slots::kStreams;
  Control control = Control::kFollow;  ///< what becomes of control dependencies
  Compute compute = Compute::kDuration;
  double peak = 0;              ///< of a GPU [TFLOPS]; 0: not given
  double memory_bandwidth = 0;  ///< of a GPU's own memory [GB/s]; 0: not given
  double remote_bandwidth = 0;  ///< of remote memory, for each GPU [GB/s]; 0: there is none
  Time remote_latency;

  /// Whether a GPU does one collective, send or memory access at a time, as ASTRA-sim 2 replays.
  bool as_astra_sim() const { return slots == Slots::kAstraSim; }
  /// Whether computing takes as long as a roofline of operations and bytes says.
  bool by_roofline() const { return compute == Compute::kRoofline; }
  /// Binds the options of the group "chakra".
  void Declare(OptionSet* options);
};

}  // namespace heddle
