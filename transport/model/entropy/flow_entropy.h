// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "flow": one entropy for all packets of a queue pair, so that ECMP gives it one path.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_set.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class FlowEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kFlow;

  struct State {
    std::uint16_t first = 0;

    std::size_t memory() const { return 0; }  ///< it allocates nothing

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& first;
    }
  };

  explicit FlowEntropy(const EntropyOptions& /*options*/) {}  ///< reads none of them

  /// Keeps start.first.
  void Start(State* state, const EntropyStart& start) const { state->first = start.first; }
  /// Returns the same entropy for every packet.
  std::uint16_t Next(State* state, Time /*now*/) const { return state->first; }
  /// Ignores all feedback.
  void Heard(State* /*state*/, std::uint16_t /*entropy*/, PathFeedback /*feedback*/,
             Time /*now*/) const {}
  bool IsSound(const State& /*state*/) const { return true; }  ///< every state is possible
};

}  // namespace heddle
