// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/reps_entropy.h"

namespace heddle {
namespace {

std::uint32_t Explores(const EntropyOptions& options) {
  const std::int64_t usual =
      options.thaws_as_paper() ? RepsEntropy::kPaperExplores : RepsEntropy::kHtsimExplores;
  return static_cast<std::uint32_t>(options.reps_explore != 0 ? options.reps_explore : usual);
}

}  // namespace

RepsEntropy::RepsEntropy(const EntropyOptions& options)
    : set_(options.paths),
      ring_(static_cast<std::uint32_t>(options.reps_ring)),
      explore_(Explores(options)),
      freeze_(options.reps_freeze),
      paper_(options.thaws_as_paper()) {}

void RepsEntropy::Start(State* state, const EntropyStart& start) const {
  *state = State{};
  state->random = start.random();
  state->base = set_.DrawBase(&state->random);
}

std::uint16_t RepsEntropy::Next(State* state, Time /*now*/) const {
  if (state->explore > 0) {
    --state->explore;
    if (!paper_ || state->explore % kPaperExploresEvery == 0)
      return set_.Draw(state->base, &state->random);
  }
  if (state->frozen != 0 && state->filled > 0) return TakeInTurn(state);
  if (state->fresh != 0) return TakeOldestFresh(state);
  return set_.Draw(state->base, &state->random);
}

/// Slots are written in a circle, so the oldest fresh one is the first from `write` on.
std::uint16_t RepsEntropy::TakeOldestFresh(State* state) const {
  const std::uint32_t twice = state->fresh | static_cast<std::uint32_t>(state->fresh) << ring_;
  const auto ahead = static_cast<std::uint32_t>(__builtin_ctz(twice >> state->write));
  const std::uint32_t slot = (state->write + ahead) % ring_;
  state->fresh = static_cast<std::uint16_t>(state->fresh & ~(1U << slot));
  return state->ring[slot];
}

std::uint16_t RepsEntropy::TakeInTurn(State* state) const {
  const unsigned slot = state->turn;
  state->turn = static_cast<std::uint8_t>(slot + 1U < state->filled ? slot + 1 : 0);
  state->fresh = static_cast<std::uint16_t>(state->fresh & ~(1U << slot));
  return state->ring[slot];
}

void RepsEntropy::Heard(State* state, std::uint16_t entropy, PathFeedback feedback,
                        Time now) const {
  if (feedback == PathFeedback::kLost && state->frozen == 0 && state->explore == 0) {
    state->frozen = 1;
    state->frozen_until = now + freeze_;
    state->turn = state->filled < ring_ ? std::uint8_t{0} : state->write;
  }
  if (state->frozen != 0 && now > state->frozen_until) Thaw(state);
  if (feedback != PathFeedback::kGood || set_.IndexOf(state->base, entropy) == EntropySet::kNone)
    return;
  state->ring[state->write] = entropy;
  state->fresh = static_cast<std::uint16_t>(state->fresh | 1U << state->write);
  if (state->filled < ring_) ++state->filled;
  state->write = static_cast<std::uint8_t>(state->write + 1U < ring_ ? state->write + 1 : 0);
}

void RepsEntropy::Thaw(State* state) const {
  state->frozen = 0;
  state->explore = explore_;
  if (paper_) return;
  state->fresh = 0;
  state->filled = 0;
  state->write = 0;
}

bool RepsEntropy::IsSound(const State& state) const {
  if (!set_.IsBase(state.base) || state.explore > explore_ || state.frozen > 1) return false;
  if (state.filled > ring_ || state.fresh >> state.filled != 0 || state.write >= ring_)
    return false;
  if (state.filled < ring_ && state.write != state.filled) return false;
  if (state.frozen != 0 && state.turn >= ring_) return false;
  for (std::uint32_t slot = 0; slot < state.filled; ++slot) {
    if (set_.IndexOf(state.base, state.ring[slot]) == EntropySet::kNone) return false;
  }
  return true;
}

}  // namespace heddle
