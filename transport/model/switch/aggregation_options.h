// SPDX-License-Identifier: GPL-2.0-only
/// Options of switches that add (SHARP); transport/domain/streams is the mechanism.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class Graph;
class OptionSet;

struct AggregationOptions {
  /// transport/model/replay/replay_permission.h: flows in trees are no inputs of episodes.
  static constexpr bool kMayBeReplayed = true;

  enum class Switches : std::uint8_t { kNone, kAll };
  friend constexpr auto WordsOf(Switches /*type*/) { return std::array{"none", "all"}; }
  /// kStreaming: a sum is a stream as long as its message. kLowLatency: it is cut into operations.
  enum class Mode : std::uint8_t { kStreaming, kLowLatency };
  friend constexpr auto WordsOf(Mode /*type*/) { return std::array{"streaming", "low-latency"}; }

  Switches switches = Switches::kNone;  ///< that add
  Mode mode = Mode::kStreaming;
  std::int64_t streams = 1;  ///< streaming: sums of whole messages at once in a switch: trees
  std::int64_t operation_bytes = 1024;  ///< low-latency: payload of an operation, at most
  std::int64_t operations = 64;         ///< low-latency: of a group in a tree at once
  /// Time from the arrival of the last packet of a sum to the departure of the sum.
  Time latency;

  bool any() const { return switches != Switches::kNone; }  ///< some switches add
  /// Adds aggregation.*.
  void Declare(OptionSet* options);
  /// Lets the switches of `graph` add as the options say, if any() does. An operation is one
  /// packet; `payload` is the largest payload of a packet [byte].
  void Apply(std::int64_t payload, Graph* graph) const;
};

}  // namespace heddle
