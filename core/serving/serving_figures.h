// SPDX-License-Identifier: GPL-2.0-only
/// Figures of a run that serves requests, defined as `vllm bench serve` has them:
/// - TTFT: from a request's arrival to its first token.
/// - TPOT: (last token - first token) / (tokens - 1), of requests with more than one.
/// - ITL: each time between two tokens of a request, all requests together.
/// - E2EL: from a request's arrival to its last token.
/// Percentiles are interpolated linearly between neighbours. Only finished requests count.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/serving/serving_times.h"

namespace heddle {

/// Of values of one kind [ps]. Without values all are 0.
struct Latencies {
  std::int64_t count = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// Returns the distribution of values [ps] with how often each occurs.
Latencies LatenciesOf(const TokenGaps& values);

/// What a user expects of each request; none: anything.
struct ServiceLevel {
  std::optional<Time> ttft, tpot, e2el;  ///< at most

  bool any() const { return ttft || tpot || e2el; }
};

struct ServingFigures {
  std::int64_t requests = 0, finished = 0, rejected = 0;
  std::int64_t input_tokens = 0, output_tokens = 0;  ///< of finished requests
  std::int64_t preempted = 0;                        ///< times, of all requests
  Time begin, end;                                   ///< first arrival, last token
  Latencies ttft, tpot, itl, e2el;
  Latencies queue;     ///< from arrival to the first step
  Latencies prefill;   ///< from there to the end of the prompt
  Latencies room;      ///< from there until the decode instance has blocks
  Latencies transfer;  ///< of the KV, from when it begins to leave, or from there if that is later

  Time duration() const { return end - begin; }
};

/// Returns the figures of joined requests; `gaps`: all times between tokens.
ServingFigures FiguresOfServing(const ServingRequests& requests,
                                const std::vector<RequestTimes>& times, const TokenGaps& gaps);

/// Whether a request finished and kept all limits. TPOT counts as 0 for one token.
bool KeepsLevel(const ServingRequest& request, const RequestTimes& times,
                const ServiceLevel& level);

/// Returns how many finished requests kept all limits.
std::int64_t CountGood(const ServingRequests& requests, const std::vector<RequestTimes>& times,
                       const ServiceLevel& level);

}  // namespace heddle
