// SPDX-License-Identifier: GPL-2.0-only
/// Options of traffic patterns for tests.
#pragma once

#include <cstdint>
#include <string>

#include "core/patterns/traffic_patterns.h"
#include "tests/support/message_of.h"

namespace heddle {

inline TrafficOptions OptionsOf(ArrivalPattern pattern, std::int64_t flows) {
  TrafficOptions options;
  options.pattern = pattern;
  if (pattern != ArrivalPattern::kServerPair) options.flows = flows;
  return options;
}

/// The message of GenerateTraffic() about invalid options.
inline std::string Refusal(const TrafficOptions& options) {
  return MessageOf([&] { GenerateTraffic(options); });
}

}  // namespace heddle
