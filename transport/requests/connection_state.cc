// SPDX-License-Identifier: GPL-2.0-only
#include "transport/requests/connection_state.h"

#include <cmath>

namespace heddle {

Time ConnectionState::estimate(std::uint32_t queue_pair) const {
  return {std::llround(pairs_[queue_pair].estimator.estimate_ps)};
}

}  // namespace heddle
