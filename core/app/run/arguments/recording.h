// SPDX-License-Identifier: GPL-2.0-only
/// --record: which data of every flow, collective and GPU the result keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transport/model/record/flow_sample.h"

namespace heddle {

/// The choices of --record KEY=VALUE.
struct Recording {
  enum class Choice { kAuto, kAll, kNone };
  /// Which of the finished flows are kept; none given (auto): all of at most `most_flows`, else
  /// none.
  std::optional<FlowSample> flows;
  std::uint64_t most_flows = 4'000'000;
  /// Which of the operations have rows in /collectives, with all their groups; none given (auto):
  /// all, up to a million collectives, and one in N above, so that about a million stay.
  std::optional<FlowSample> collectives;
  Choice timeline = Choice::kAuto;  ///< auto: all, up to four million steps

  /// Returns which flows are kept of `planned_flows` queue pairs.
  FlowSample SampleOf(std::uint64_t planned_flows) const;
  /// Returns which operations are kept of `planned` collectives: all, one in N, or as given.
  FlowSample SampleOfCollectives(std::uint64_t planned) const;
  /// Whether `steps` rows of table "steps" are kept.
  bool KeepsTimeLine(std::uint64_t steps) const;
};
/// "flows=all", "flows=sample:100", "flows=auto:9000000" (another number in place of four million),
/// "collectives=none", "timeline=none", ... Throws UsageError.
Recording ParseRecording(const std::vector<std::string>& settings);

}  // namespace heddle
