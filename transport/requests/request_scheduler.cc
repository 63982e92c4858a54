// SPDX-License-Identifier: GPL-2.0-only
#include "transport/requests/request_scheduler.h"

#include "core/base/check.h"
#include "transport/requests/pair_weights.h"
#include "transport/requests/request_split.h"
#include "transport/requests/weighted_tokens.h"

namespace heddle {
namespace {

constexpr double kTcpGain = 0.125;
constexpr Time kSmallestSample = NanoSeconds(1);  // the unit of RCCL's clock

/// The gain of the estimator; 0: average.
double GainOf(const RequestOptions& options) {
  if (options.estimator == "average") return 0;
  if (options.estimator == "tcp") return kTcpGain;
  if (options.estimator == "weighted" && options.weight == 0) {
    throw UserError(
        "cast.estimator is weighted, but cast.weight is 0. Expected: a weight above 0, or the "
        "estimator average");
  }
  return options.weight;
}

}  // namespace

RequestScheduler::RequestScheduler(const RequestOptions& options, int queue_pairs)
    : options_(options),
      policy_(PolicyOf(options.scheduler)),
      queue_pairs_(static_cast<std::uint32_t>(queue_pairs)),
      by_token_(policy_ == Policy::kCastWrr || (policy_ == Policy::kCastStripe && options.wrr)),
      gain_(GainOf(options)) {
  HEDDLE_EXPECT(queue_pairs >= 1 && queue_pairs <= kMostQueuePairs);
}

RequestScheduler::Policy RequestScheduler::PolicyOf(const std::string& name) {
  if (name == "single") return Policy::kSingle;
  if (name == "round-robin") return Policy::kRoundRobin;
  if (name == "stripe") return Policy::kStripe;
  if (name == "cast-stripe") return Policy::kCastStripe;
  if (name == "cast-wrr") return Policy::kCastWrr;
  return Policy::kMessage;
}

void RequestScheduler::Check(const ConnectionState& state) const {
  ExpectState(state.size() == queue_pairs_, "a connection with another number of queue pairs");
}

bool RequestScheduler::Post(ConnectionState* state, std::int64_t bytes, Time now,
                            std::vector<Share>* shares) const {
  HEDDLE_EXPECT(active() && bytes > 0 && state->size() == queue_pairs_);
  shares->clear();
  const bool stripes =
      policy_ == Policy::kStripe ||
      (policy_ == Policy::kCastStripe && IsSplit(bytes, queue_pairs_, options_.split_min));
  const bool timed = queue_pairs_ > 1 && measures() && (stripes || by_token_);
  if (stripes) {
    PostStripe(state, bytes, shares);
  } else {
    shares->push_back({PickOne(state), false, bytes});
  }
  for (Share& share : *shares) {
    share.timed = timed;
    state->pairs_[share.queue_pair].bytes += share.bytes;
  }
  return timed && UpdateWeights(state, now);
}

std::uint32_t RequestScheduler::PickOne(ConnectionState* state) const {
  if (policy_ == Policy::kSingle) return 0;
  if (by_token_ && state->has_weights()) return TakeToken(&state->pairs_, &state->turn_);
  const std::uint32_t picked = state->next_;
  state->next_ = (picked + 1) % queue_pairs_;
  return picked;
}

void RequestScheduler::PostStripe(ConnectionState* state, std::int64_t bytes,
                                  std::vector<Share>* shares) const {
  const std::int64_t equal = EqualPart(bytes, queue_pairs_);
  const bool weighted = measures() && state->has_weights();
  std::int64_t left = bytes;
  for (std::uint32_t i = 0; i < queue_pairs_ && left > 0; ++i) {
    const std::uint32_t queue_pair = (state->next_ + i) % queue_pairs_;
    std::int64_t part =
        weighted ? WeightedPart(bytes, state->weight(queue_pair), options_.probe) : equal;
    if (part > left || i + 1 == queue_pairs_) part = left;
    left -= part;
    if (part > 0) shares->push_back({queue_pair, false, part});
  }
  if (options_.stripe_start == "next") state->next_ = (state->next_ + 1) % queue_pairs_;
}

bool RequestScheduler::UpdateWeights(ConnectionState* state, Time now) const {
  const bool started = state->next_update_ > Time{0};
  if (started && now < state->next_update_) return false;
  state->next_update_ = now + options_.update_interval;
  if (!started || !ComputeWeights(options_.weights == "filtered", &state->pairs_)) return false;
  AllowTokens(options_.tokens, options_.token_update == "clamp", &state->pairs_);
  return true;
}

void RequestScheduler::Completed(ConnectionState* state, const Share& share, Time posted,
                                 Time polled, BitRate line_rate, Time min_latency) const {
  if (!share.timed) return;
  if (options_.reset_interval > Time{0} && polled >= state->next_reset_) {
    for (PairState& pair : state->pairs_) pair.estimator.Reset();
    state->next_reset_ = polled + options_.reset_interval;
  }
  const bool paper = options_.metric == "paper";
  const Time sample =
      SampleOf(polled - posted, share.bytes, line_rate, paper ? min_latency : Time{0},
               paper ? options_.metric_floor : kSmallestSample);
  state->pairs_[share.queue_pair].estimator.Add(sample, gain_);
}

}  // namespace heddle
