// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "oblivious": the n entropies in a new random order every n packets, whatever the
/// feedback.
///
/// Source: UEC 1.0, section 3.6.16; uet-htsim. The order is EntropyWalk's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_walk.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class ObliviousEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kOblivious;

  struct State {
    EntropyWalk walk;

    std::size_t memory() const { return 0; }  ///< it allocates nothing

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& walk;
    }
  };

  /// Reads entropy.paths.
  explicit ObliviousEntropy(const EntropyOptions& options) : set_(options.paths) {}

  /// Begins a walk keyed by the flow.
  void Start(State* state, const EntropyStart& start) const {
    state->walk.Start(set_, start.random());
  }
  /// Returns the walk's next entropy.
  std::uint16_t Next(State* state, Time /*now*/) const {
    return EntropySet::At(state->walk.base(), state->walk.Next(set_));
  }
  /// Ignores all feedback.
  void Heard(State* /*state*/, std::uint16_t /*entropy*/, PathFeedback /*feedback*/,
             Time /*now*/) const {}
  bool IsSound(const State& state) const { return state.walk.IsSound(set_); }  ///< loaded state

 private:
  EntropySet set_;
};

}  // namespace heddle
