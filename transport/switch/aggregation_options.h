// SPDX-License-Identifier: GPL-2.0-only
/// Options of switches that add (SHARP); transport/streams is the mechanism.
#ifndef HEDDLE_TRANSPORT_SWITCH_AGGREGATION_OPTIONS_H_
#define HEDDLE_TRANSPORT_SWITCH_AGGREGATION_OPTIONS_H_

#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct AggregationOptions {
  std::string switches = "none";  ///< that add: none or all
  std::int64_t streams = 1;       ///< sums of whole messages at once in a switch: trees
  /// From the arrival of the last packet of a sum to the departure of the sum.
  Time latency;

  bool any() const { return switches != "none"; }
  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_SWITCH_AGGREGATION_OPTIONS_H_
