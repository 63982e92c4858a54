// SPDX-License-Identifier: GPL-2.0-only
/// How a run plays traces of Chakra; docs/formats/chakra.md.
#pragma once

#include <string>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct ChakraOptions {
  std::string slots = "streams";     ///< streams, astra-sim
  std::string control = "follow";    ///< control dependencies: follow, ignore
  std::string compute = "duration";  ///< duration, roofline
  double peak = 0;                   ///< of a GPU [TFLOPS]; 0: not given
  double memory_bandwidth = 0;       ///< of a GPU's own memory [GB/s]; 0: not given
  double remote_bandwidth = 0;       ///< of remote memory, for each GPU [GB/s]; 0: there is none
  Time remote_latency;

  /// Whether a GPU does one collective, send or memory access at a time, as ASTRA-sim 2 replays.
  bool as_astra_sim() const { return slots == "astra-sim"; }
  /// Whether computing takes as long as a roofline of operations and bytes says.
  bool by_roofline() const { return compute == "roofline"; }
  /// Binds the options of the group "chakra".
  void Declare(OptionSet* options);
};

}  // namespace heddle
