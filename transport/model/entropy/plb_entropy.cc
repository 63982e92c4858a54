// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/plb_entropy.h"

namespace heddle {

PlbEntropy::PlbEntropy(const EntropyOptions& options)
    : set_(options.paths),
      share_(options.plb_share),
      idle_rounds_(options.plb_idle_rounds),
      rounds_(options.plb_rounds),
      suspend_(options.plb_suspend) {}

void PlbEntropy::Start(State* state, const EntropyStart& start) const {
  *state = State{};
  state->random = start.random();
  state->base_rtt = start.base_rtt;
  state->base = set_.DrawBase(&state->random);
  state->current = start.first;
}

void PlbEntropy::Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const {
  EndRound(state, now);
  if (feedback == PathFeedback::kLost) {
    if (entropy != state->current) return;
    Repath(state);
    state->congested = 0;
    const auto longer =
        static_cast<std::int64_t>(state->random.Below(static_cast<std::uint64_t>(suspend_.ps) + 1));
    state->suspended_until = now + suspend_ + Time{longer};
    return;
  }
  if (state->packets == 0) state->round_end = now + state->base_rtt;
  ++state->packets;
  if (feedback != PathFeedback::kGood) ++state->marked;
}

void PlbEntropy::Idle(State* state, Time now) const {
  EndRound(state, now);
  if (state->congested >= idle_rounds_) LeaveCongested(state, now);
}

/// Ends the round if its time is over.
void PlbEntropy::EndRound(State* state, Time now) const {
  if (state->packets == 0 || now < state->round_end) return;
  const bool congested =
      static_cast<double>(state->marked) >= share_ * static_cast<double>(state->packets);
  state->congested = congested ? state->congested + 1 : 0;
  state->packets = 0;
  state->marked = 0;
  if (state->congested >= rounds_) LeaveCongested(state, now);
}

void PlbEntropy::LeaveCongested(State* state, Time now) const {
  if (now >= state->suspended_until) Repath(state);
  state->congested = 0;
}

void PlbEntropy::Repath(State* state) const {
  const std::uint32_t left = set_.IndexOf(state->base, state->current);
  if (left == EntropySet::kNone) {
    state->current = set_.Draw(state->base, &state->random);
  } else if (set_.size() > 1) {
    const auto other = static_cast<std::uint32_t>(state->random.Below(set_.size() - 1));
    state->current = EntropySet::At(state->base, other < left ? other : other + 1);
  }
}

bool PlbEntropy::IsSound(const State& state) const {
  return set_.IsBase(state.base) && EntropyStart::IsRtt(state.base_rtt) &&
         state.marked <= state.packets && state.congested >= 0 && state.congested < rounds_;
}

}  // namespace heddle
