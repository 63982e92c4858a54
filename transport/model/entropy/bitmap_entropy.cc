// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/bitmap_entropy.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr auto kMost = static_cast<unsigned>(EntropyOptions::kMostPenalty);

}  // namespace

BitmapEntropy::BitmapEntropy(const EntropyOptions& options)
    : set_(options.paths),
      added_{0, static_cast<unsigned>(options.bitmap_marked),
             static_cast<unsigned>(options.bitmap_trimmed),
             static_cast<unsigned>(options.bitmap_lost)},
      most_skipped_(static_cast<std::uint32_t>(options.bitmap_saturation *
                                               static_cast<double>(options.paths))) {}

void BitmapEntropy::Start(State* state, const EntropyStart& start) const {
  state->walk.Start(set_, start.random());
  state->clean.Fill(set_.size(), true);
  state->penalties.assign((set_.size() + 1) / 2, 0);
}

std::uint16_t BitmapEntropy::Next(State* state, Time /*now*/) const {
  std::uint32_t index = state->walk.Next(set_);
  const unsigned penalty = state->penalty(index);
  if (penalty != 0) {
    const bool may_skip = set_.size() - state->clean.count() <= most_skipped_;
    SetPenalty(state, index, penalty - 1);
    if (may_skip && state->clean.count() > 0) index = state->walk.NextOf(set_, state->clean);
  }
  return EntropySet::At(state->walk.base(), index);
}

void BitmapEntropy::Heard(State* state, std::uint16_t entropy, PathFeedback feedback,
                          Time /*now*/) const {
  const unsigned added = added_[static_cast<std::size_t>(feedback)];
  const std::uint32_t index = set_.IndexOf(state->walk.base(), entropy);
  if (added == 0 || index == EntropySet::kNone) return;
  SetPenalty(state, index, std::min(kMost, state->penalty(index) + added));
}

void BitmapEntropy::SetPenalty(State* state, std::uint32_t index, unsigned penalty) const {
  const unsigned old = state->penalty(index);
  if (old == 0 && penalty != 0) state->clean.Remove(index);
  if (old != 0 && penalty == 0) state->clean.Insert(index);
  std::uint8_t& pair = state->penalties[index / 2];
  pair = static_cast<std::uint8_t>(pair ^ ((old ^ penalty) << (index % 2 * 4)));
}

bool BitmapEntropy::IsSound(const State& state) const {
  const std::uint32_t n = set_.size();
  if (!state.walk.IsSound(set_) || !state.clean.Fits(n) || state.penalties.size() != (n + 1) / 2)
    return false;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (state.clean.Test(i) != (state.penalty(i) == 0)) return false;
  }
  return n % 2 == 0 || state.penalties.back() <= kMost;
}

}  // namespace heddle
