// SPDX-License-Identifier: GPL-2.0-only
/// Helpers of the tests of entropies: options by key, a queue pair, what its random stream gives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/options/options.h"
#include "transport/model/entropy/entropy_chooser.h"

namespace heddle::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;
using Entropies = std::vector<std::uint16_t>;

inline EntropyOptions Options(const Settings& settings) {
  EntropyOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set("entropy." + key, value);
  return options;
}

inline FlowId AnyFlow(std::uint32_t number = 0) { return {NodeId(3), number}; }

/// A queue pair of one scheme, seed 1, base round trip 10 us, first entropy 4711.
struct Pair {
  static constexpr std::uint64_t kSeed = 1;
  static constexpr std::uint16_t kFirst = 4711;
  static constexpr PathFeedback kGood = PathFeedback::kGood;
  static constexpr PathFeedback kMarked = PathFeedback::kMarked;
  static constexpr PathFeedback kTrimmed = PathFeedback::kTrimmed;
  static constexpr PathFeedback kLost = PathFeedback::kLost;

  explicit Pair(const Settings& settings, std::uint64_t seed = kSeed, FlowId flow = AnyFlow())
      : chooser(Options(settings)) {
    chooser.Start(&state, seed, flow, kFirst, MicroSeconds(10));
  }
  std::uint16_t Next() { return chooser.Next(&state, now); }
  Entropies Next(int count) {
    Entropies values;
    for (int i = 0; i < count; ++i) values.push_back(Next());
    return values;
  }
  void Hear(std::uint16_t entropy, PathFeedback feedback) {
    chooser.Heard(&state, entropy, feedback, now);
  }
  void Wait(std::int64_t us) { now += MicroSeconds(us); }

  EntropyChooser chooser;
  EntropyState state;
  Time now = MicroSeconds(100);
};

/// The values of a queue pair in the order of scheme oblivious; all schemes that walk begin so.
inline Entropies Walked(int paths, int count) {
  return Pair({{"scheme", "oblivious"}, {"paths", std::to_string(paths)}}).Next(count);
}

/// What reps draws of its stream: the base, then one uniform index a value.
class Drawn {
 public:
  explicit Drawn(int paths) : set_(paths) {}
  std::uint16_t Next() { return set_.Draw(base_, &random_); }
  Entropies Next(int count) {
    Entropies values;
    for (int i = 0; i < count; ++i) values.push_back(Next());
    return values;
  }
  std::uint16_t At(std::uint32_t index) const { return EntropySet::At(base_, index); }

 private:
  EntropySet set_;
  RandomStream random_{Pair::kSeed, AnyFlow().packed(), RandomPurpose::kEntropy};
  std::uint16_t base_ = set_.DrawBase(&random_);
};

}  // namespace heddle::testing
