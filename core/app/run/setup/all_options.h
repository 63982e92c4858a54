// SPDX-License-Identifier: GPL-2.0-only
/// All keys that --set and a SimAI.conf accept, of all models.
#pragma once

#include <string>

#include "collectives/choice/collective_options.h"
#include "core/chakra/chakra_algorithms.h"
#include "core/chakra/chakra_window.h"
#include "core/goal/goal_window.h"
#include "core/options/options.h"
#include "transport/domain/state/transport_options.h"
#include "transport/run/physical/physical_options.h"

namespace heddle {

/// All options with their defaults. Cannot be copied or moved, because `options` points into the
/// other members.
struct AllOptions {
  /// Declares every model's options in `options`, with their defaults.
  AllOptions();
  AllOptions(const AllOptions&) = delete;
  AllOptions& operator=(const AllOptions&) = delete;

  TransportOptions transport;
  CollectiveOptions collectives;
  PhysicalOptions physical;
  ChakraWindow chakra_window;
  GoalWindow goal_window;
  ChakraAlgorithmOptions algorithms;
  std::string like;   ///< "nccl" or "simai" (core/app/run/setup/like.h)
  OptionSet options;  ///< bound to the members above
};

}  // namespace heddle
