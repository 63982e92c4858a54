// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/mixed_entropy.h"

namespace heddle {

void MixedEntropy::Start(State* state, const EntropyStart& start) const {
  bitmap_.Start(&state->bitmap, start);
  state->good = {};
}

void MixedEntropy::Heard(State* state, std::uint16_t entropy, PathFeedback feedback,
                         Time now) const {
  bitmap_.Heard(&state->bitmap, entropy, feedback, now);
  const bool own = set_.IndexOf(state->bitmap.walk.base(), entropy) != EntropySet::kNone;
  if (feedback != PathFeedback::kGood || !own) return;
  if (state->good.size() == set_.size()) state->good.Pop();
  state->good.Push(entropy);
}

bool MixedEntropy::IsSound(const State& state) const {
  if (!bitmap_.IsSound(state.bitmap) || state.good.size() > set_.size()) return false;
  for (std::size_t i = 0; i < state.good.size(); ++i) {
    if (set_.IndexOf(state.bitmap.walk.base(), state.good[i]) == EntropySet::kNone) return false;
  }
  return true;
}

}  // namespace heddle
