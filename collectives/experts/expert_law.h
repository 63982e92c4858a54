// SPDX-License-Identifier: GPL-2.0-only
/// Laws by which some experts are chosen more often than others: one row each.
///
/// A token chooses experts one after the other, each with a probability in proportion to its weight
/// among those that it has not chosen (Plackett and Luce; the same as the highest sums of a
/// weight's logarithm and Gumbel noise). Weights are drawn once a layer, as skew is the model's: it
/// changes little with the number of ranks (DODOCO, arXiv 2605.20982).
///
/// | law | weights |
/// |---|---|
/// | uniform | 1 |
/// | lognormal | exp(sigma x), x normal |
/// | zipf | i^-a, i = 1, 2, ... (Mooncake's ep_benchmark) |
/// | hot | 1; for a part of tokens only the first h have more than 1e-12 (the same) |
#pragma once

#include <vector>

#include "collectives/experts/expert_options.h"
#include "core/base/random.h"

namespace heddle {

/// Weights by expert, all above 0.
struct ExpertWeights {
  std::vector<double> usual;
  std::vector<double> popular;  ///< those of the part `share` of tokens; empty: there is none
  double share = 0;             ///< in [0, 1]
};

struct ExpertLaw {
  ExpertOptions::Routing routing = ExpertOptions::Routing::kUniform;
  /// Returns the weights of options.count experts in the law's order.
  ExpertWeights (*weights)(const ExpertOptions& options, RandomStream* random) = nullptr;
};

/// Returns the row of a law; null for a routing without one.
const ExpertLaw* FindExpertLaw(ExpertOptions::Routing routing);

/// Draws the weights of a layer by the options' law, which must have a row, in the options' order.
ExpertWeights DrawExpertWeights(const ExpertOptions& options, std::uint64_t layer);

}  // namespace heddle
