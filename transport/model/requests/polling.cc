// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/polling.h"

#include "core/base/check.h"
#include "core/base/exponential.h"
#include "core/options/options.h"

namespace heddle {
namespace {

Time DrawJitter(const PollingOptions& options, RandomStream* random) {
  const auto most = static_cast<double>(options.jitter_time.ps);
  using Jitter = PollingOptions::Jitter;
  if (options.jitter == Jitter::kUniform)
    return {static_cast<std::int64_t>(random->Uniform() * most)};
  if (options.jitter == Jitter::kExponential)
    return {static_cast<std::int64_t>(DrawExponential(random) * most)};
  return {};
}

/// The first multiple of the period after the phase that is not before `time`.
Time RoundUp(Time time, Time phase, Time period) {
  if (period == Time{0}) return time;
  const std::int64_t periods = (time.ps - phase.ps + period.ps - 1) / period.ps;
  return phase + period * periods;
}

}  // namespace

PollingState::PollingState(const PollingOptions& options, std::uint64_t seed,
                           std::uint64_t connection)
    : random_(seed, connection, RandomPurpose::kPolling) {
  if (options.interval > Time{0})
    phase_ = {
        static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(options.interval.ps)))};
}

Time NextPoll(const PollingOptions& options, PollingState* state, Time completed) {
  HEDDLE_EXPECT(completed >= Time{0});
  if (completed <= state->last_) return state->last_;
  state->last_ =
      RoundUp(completed, state->phase_, options.interval) + DrawJitter(options, &state->random_);
  return state->last_;
}

void PollingOptions::Declare(OptionSet* options) {
  const std::string own = "heddle";
  options->Add({"cast.poll_interval", "",
                "time between two looks of the library for completions of a connection; 0: it sees "
                "them at once",
                "us", own},
               &interval, Time{0}, kLongest, "us");
  options->Add({"cast.poll_jitter", "",
                "by how much a look is late: none, uniform from 0 to cast.poll_jitter_time, or "
                "exponential with that mean",
                "", own},
               &jitter);
  options->Add({"cast.poll_jitter_time", "", "most, or mean, of the jitter of polling", "us", own},
               &jitter_time, Time{0}, kLongest, "us");
}

}  // namespace heddle
