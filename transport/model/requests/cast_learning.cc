// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/cast_learning.h"

#include "core/base/check.h"
#include "transport/model/requests/pair_weights.h"
#include "transport/model/requests/weighted_tokens.h"

namespace heddle {
namespace {

constexpr double kTcpGain = 0.125;
constexpr Time kSmallestSample = NanoSeconds(1);  // the unit of RCCL's clock

double GainOf(const RequestOptions& options) {
  using Estimator = RequestOptions::Estimator;
  if (options.estimator == Estimator::kAverage) return 0;
  if (options.estimator == Estimator::kTcp) return kTcpGain;
  if (options.estimator == Estimator::kWeighted && options.weight == 0) {
    throw UserError(
        "cast.estimator is weighted, but cast.weight is 0. Expected: a weight above 0, or the "
        "estimator average");
  }
  return options.weight;
}

}  // namespace

CastLearning::CastLearning(const RequestOptions& options)
    : options_(options), gain_(GainOf(options)) {}

bool CastLearning::Posted(ConnectionState* state, Time now) const {
  const bool started = state->next_update_ > Time{0};
  if (started && now < state->next_update_) return false;
  state->next_update_ = now + options_.update_interval;
  const bool filtered = options_.weights == RequestOptions::Weights::kFiltered;
  if (!started || !ComputeWeights(filtered, &state->pairs_)) return false;
  const bool clamp = options_.token_update == RequestOptions::TokenUpdate::kClamp;
  AllowTokens(options_.tokens, clamp, &state->pairs_);
  return true;
}

void CastLearning::Completed(ConnectionState* state, const SeenCompletion& seen) const {
  if (options_.reset_interval > Time{0} && seen.polled >= state->next_reset_) {
    for (PairState& pair : state->pairs_) pair.estimator.Reset();
    state->next_reset_ = seen.polled + options_.reset_interval;
  }
  const bool paper = options_.metric == RequestOptions::Metric::kPaper;
  const Time sample =
      SampleOf(seen.polled - seen.posted, seen.share.bytes, seen.line_rate,
               paper ? seen.min_latency : Time{0}, paper ? options_.metric_floor : kSmallestSample);
  state->pairs_[seen.share.queue_pair].estimator.Add(sample, gain_);
}

}  // namespace heddle
