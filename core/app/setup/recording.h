// SPDX-License-Identifier: GPL-2.0-only
/// --record: what of every flow and GPU is kept for the result.
#ifndef HEDDLE_CORE_APP_SETUP_RECORDING_H_
#define HEDDLE_CORE_APP_SETUP_RECORDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transport/record/flow_sample.h"

namespace heddle {

/// The choices of --record KEY=VALUE.
struct Recording {
  enum class Choice { kAuto, kAll, kNone };
  std::optional<FlowSample>
      flows;  ///< which of those that finish; none given (auto): all, up to a million
  Choice timeline = Choice::kAuto;  ///< auto: all, up to four million steps

  FlowSample SampleOf(std::uint64_t planned_flows) const;
  bool KeepsTimeLine(std::uint64_t steps) const;
};
/// "flows=all", "flows=sample:100", "timeline=none", ... Throws UsageError.
Recording ParseRecording(const std::vector<std::string>& settings);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_RECORDING_H_
