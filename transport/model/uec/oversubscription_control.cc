// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/oversubscription_control.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr double kTargetMarks = 0.3;
constexpr double kDecrease = 0.5;
constexpr double kIncrease = 0.01;
constexpr double kGain = 0.5;
constexpr double kIntervals = 1.5;  // R
/// Doublings beyond the seventh step add more than the whole range.
constexpr std::int64_t kMostDoublings = 10;

}  // namespace

void OversubscriptionControl::Update(State* state) const {
  const std::int64_t whole = state->packets - state->last_hop_trims - state->other_trims;
  const double share =
      whole > 0 ? static_cast<double>(state->marks) / static_cast<double>(whole) : 0;
  bool decrease = state->other_trims > 0;
  if (decrease)
    state->rate -= static_cast<double>(state->other_trims) / static_cast<double>(state->packets);
  state->marked = (1 - kGain) * state->marked + kGain * share;
  if (state->marked > kTargetMarks) {
    state->rate *= 1 - (state->marked - kTargetMarks) * kDecrease;
    decrease = true;
  }
  if (decrease) {
    state->increases = 0;
  } else {
    const std::int64_t doublings =
        state->marks == 0 ? std::min(state->increases, kMostDoublings) : 0;
    state->rate += std::ldexp(kIncrease, static_cast<int>(doublings));
    ++state->increases;
  }
  state->rate = std::clamp(state->rate, least_, 1.0);
  state->packets = state->marks = state->last_hop_trims = state->other_trims = 0;
}

Time OversubscriptionControl::Interval(State* state) const {
  const double factor = kIntervals * (0.75 + state->random.Uniform() / 2);
  return {static_cast<std::int64_t>(static_cast<double>(interval_.ps) * factor)};
}

}  // namespace heddle
