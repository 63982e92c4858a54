// SPDX-License-Identifier: GPL-2.0-only
/// What happened to each request, from the records of its instances.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/serving/model/serving_request.h"
#include "core/serving/serving_plan.h"
#include "core/serving/serving_record.h"

namespace heddle {

enum class RequestState : std::uint8_t { kOpen, kFinished, kRejected };
constexpr auto WordsOf(RequestState) { return std::array{"open", "finished", "rejected"}; }

/// Times that did not come are negative.
struct RequestTimes {
  RequestState state = RequestState::kOpen;
  std::uint32_t entry = 0, decoder = 0;   ///< instances
  Time begun = ServingRecord::kNever;     ///< its prefill, after the queue
  Time computed = ServingRecord::kNever;  ///< its prompt
  Time granted = ServingRecord::kNever;   ///< the decode instance has room
  Time sending = ServingRecord::kNever;   ///< its KV leaves
  Time arrived = ServingRecord::kNever;   ///< its KV is there
  Time first = ServingRecord::kNever;     ///< the user sees the first token
  Time last = ServingRecord::kNever;      ///< and the last
  std::uint32_t preempted = 0;
  std::uint32_t tokens = 0;  ///< that the user has
  std::uint32_t cached = 0;  ///< of its prompt, that the prefix cache of its entry had
  std::uint32_t unsent = 0;  ///< of its prompt, that the prefix cache of its decode instance had
};

/// Joins records of a run, in any order, by request. Adds to `gaps` those between a token of the
/// prefill instance and the next one of the decode instance, which no instance knows.
std::vector<RequestTimes> JoinRecords(const ServingPlan& plan, const ServingRequests& requests,
                                      const std::vector<ServingRecord>& records, TokenGaps* gaps);

}  // namespace heddle
