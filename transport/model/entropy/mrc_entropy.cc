// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/mrc_entropy.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

std::uint32_t Least(const EntropyOptions& options) {
  const double least = std::ceil(options.mrc_least * static_cast<double>(options.paths));
  return std::max(1U, static_cast<std::uint32_t>(least));
}

}  // namespace

MrcEntropy::MrcEntropy(const EntropyOptions& options)
    : set_(options.paths),
      least_(Least(options)),
      skip_(options.mrc_skip),
      probe_interval_(options.mrc_probe_interval),
      probes_(static_cast<std::uint32_t>(options.mrc_probes)) {}

void MrcEntropy::Start(State* state, const EntropyStart& start) const {
  *state = State{};
  state->walk.Start(set_, start.random());
  state->skip = skip_ == Time{0} ? start.base_rtt : skip_;
  state->used.Fill(set_.size(), true);
  state->out.Fill(set_.size(), false);
}

std::uint16_t MrcEntropy::Next(State* state, Time now) const {
  EndRests(state, now);
  return EntropySet::At(state->walk.base(), state->walk.NextOf(set_, state->used));
}

void MrcEntropy::Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const {
  const bool marked = feedback == PathFeedback::kMarked, lost = feedback == PathFeedback::kLost;
  const std::uint32_t index = set_.IndexOf(state->walk.base(), entropy);
  if (!(marked || lost) || index == EntropySet::kNone) return;
  EndRests(state, now);
  if (lost) {
    Retire(state, index, now);
  } else if (state->used.Test(index) && state->used.count() > least_) {
    state->used.Remove(index);
    state->rests.Push({now + state->skip, index});
  }
}

/// Brings the entropies whose rest is over back into use.
void MrcEntropy::EndRests(State* state, Time now) {
  while (!state->rests.empty() && state->rests[0].until <= now) {
    const std::uint32_t index = state->rests.Pop().index;
    if (index != kVoid) state->used.Insert(index);
  }
}

/// Brings the entropy that has rested longest back into use; false if none rests.
bool MrcEntropy::EndOldestRest(State* state) {
  while (!state->rests.empty()) {
    const std::uint32_t index = state->rests.Pop().index;
    if (index == kVoid) continue;
    state->used.Insert(index);
    return true;
  }
  return false;
}

/// Losses are rare: a search among the resting entropies costs less than to keep their places.
void MrcEntropy::Retire(State* state, std::uint32_t index, Time now) const {
  if (state->out.Test(index)) return;
  if (state->used.Test(index)) {
    if (state->used.count() <= least_ && !EndOldestRest(state)) return;
    state->used.Remove(index);
  } else {
    for (std::size_t i = 0; i < state->rests.size(); ++i) {
      if (state->rests[i].index == index) state->rests[i].index = kVoid;
    }
  }
  state->out.Insert(index);
  if (state->retired.empty()) state->next_probe = now + probe_interval_;
  state->retired.push_back({index, 0});
}

bool MrcEntropy::ProbeDue(State* state, Time now, std::uint16_t* entropy) const {
  if (now < NextProbe(*state)) return false;
  if (state->turn >= state->retired.size()) state->turn = 0;
  *entropy = EntropySet::At(state->walk.base(), state->retired[state->turn].index);
  ++state->turn;
  state->next_probe = now + probe_interval_;
  return true;
}

void MrcEntropy::Probed(State* state, std::uint16_t entropy, bool arrived) const {
  const std::uint32_t index = set_.IndexOf(state->walk.base(), entropy);
  const auto found = std::find_if(state->retired.begin(), state->retired.end(),
                                  [index](const Retired& one) { return one.index == index; });
  if (found == state->retired.end()) return;
  found->arrived = arrived ? found->arrived + 1 : 0;
  if (found->arrived < probes_) return;
  if (found - state->retired.begin() < static_cast<std::ptrdiff_t>(state->turn)) --state->turn;
  state->retired.erase(found);
  state->out.Remove(index);
  state->used.Insert(index);
}

bool MrcEntropy::IsSound(const State& state) const {
  const std::uint32_t n = set_.size();
  if (!state.walk.IsSound(set_) || !state.used.Fits(n) || !state.out.Fits(n)) return false;
  if (state.used.count() < least_ || !EntropyStart::IsRtt(state.skip)) return false;
  return RestsAreSound(state) && RetiredAreSound(state);
}

/// Exactly the entropies neither in use nor retired rest, each once, by time.
bool MrcEntropy::RestsAreSound(const State& state) const {
  IndexMask others;
  others.Fill(set_.size(), true);
  for (std::uint32_t i = 0; i < set_.size(); ++i) {
    if (state.used.Test(i) || state.out.Test(i)) others.Remove(i);
  }
  Time last{0};
  for (std::size_t i = 0; i < state.rests.size(); ++i) {
    const Rest& rest = state.rests[i];
    if (rest.until < last) return false;
    last = rest.until;
    if (rest.index == kVoid) continue;
    if (rest.index >= set_.size() || !others.Test(rest.index)) return false;
    others.Remove(rest.index);
  }
  return others.count() == 0;
}

bool MrcEntropy::RetiredAreSound(const State& state) const {
  IndexMask listed;
  listed.Fill(set_.size(), false);
  for (const Retired& one : state.retired) {
    if (one.index >= set_.size() || listed.Test(one.index) || !state.out.Test(one.index) ||
        state.used.Test(one.index) || one.arrived >= probes_)
      return false;
    listed.Insert(one.index);
  }
  return listed.count() == state.out.count() && state.turn <= state.retired.size();
}

}  // namespace heddle
