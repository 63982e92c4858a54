// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/pair_weights.h"

#include <algorithm>

namespace heddle {

bool ComputeWeights(bool filtered, std::vector<PairState>* pairs) {
  const auto less = [](const PairState& a, const PairState& b) {
    return a.estimator.estimate_ps < b.estimator.estimate_ps;
  };
  const RoundTripEstimator& best = std::min_element(pairs->begin(), pairs->end(), less)->estimator;
  if (best.estimate_ps <= 0) return false;
  double sum = 0;
  for (PairState& pair : *pairs) {
    const double estimate = pair.estimator.estimate_ps;
    pair.weight = 1 / (filtered ? (estimate - best.estimate_ps) + best.minimum_ps : estimate);
    sum += pair.weight;
  }
  for (PairState& pair : *pairs) pair.weight /= sum;
  return true;
}

}  // namespace heddle
