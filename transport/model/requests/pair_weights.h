// SPDX-License-Identifier: GPL-2.0-only
/// Weights of a connection's queue pairs from the estimates of their round trips.
///
/// Source: Broadcom's CAST white paper, its two formulas. Symbols: e_q estimate, M_q minimum of the
/// samples, q* the first queue pair with the least estimate.
///
///   filtered  w_q proportional to 1 / (e_q - e_q* + M_q*)
///   inverse   w_q proportional to 1 / e_q
/// Invariant: weights are in (0, 1] and sum to 1 but for rounding.
#pragma once

#include <vector>

#include "transport/model/requests/connection_state.h"

namespace heddle {

/// Sets PairState::weight of all. Returns false, and changes nothing, while a queue pair has no
/// estimate. `pairs` must not be empty.
bool ComputeWeights(bool filtered, std::vector<PairState>* pairs);

}  // namespace heddle
