// SPDX-License-Identifier: GPL-2.0-only
/// Which algorithms and protocols NCCL's tuner may choose for a group, and why not the others.
///
/// Source: NCCL 2.30, src/graph/tuning.cc and its documentation of environment variables. Assumed:
/// sums of types that NVSwitches and aggregating switches can add; for CollNet a plugin that also
/// gathers and scatters.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/tuner/tuner_algorithms.h"
#include "collectives/tuner/tuner_group.h"

namespace heddle {

/// What a user allows. The defaults are NCCL's.
struct TunerRules {
  static constexpr std::uint32_t kAllAlgorithms = (1U << kTunerAlgorithms) - 1;
  static constexpr std::uint32_t kAllProtocols = (1U << kTunerProtocols) - 1;

  std::uint32_t algorithms = kAllAlgorithms;  ///< a bit for each TunerAlgorithm (NCCL_ALGO)
  std::uint32_t protocols = kAllProtocols;    ///< a bit for each Protocol (NCCL_PROTO)
  bool nvls = true;                           ///< NCCL_NVLS_ENABLE
  bool collnet = false;                       ///< NCCL_COLLNET_ENABLE
  std::int64_t collnet_servers = 2;           ///< NCCL_COLLNET_NODE_THRESHOLD
  bool pat = true;                            ///< NCCL_PAT_ENABLE other than 0
  bool pat_forced = false;                    ///< NCCL_PAT_ENABLE=1

  /// Whether NCCL_ALGO leaves the algorithm.
  bool Allows(TunerAlgorithm algorithm) const {
    return ((algorithms >> static_cast<unsigned>(algorithm)) & 1U) != 0;
  }
  /// Whether NCCL_PROTO leaves the protocol: LL, LL128 or Simple.
  bool Allows(Protocol protocol) const {
    return ((protocols >> static_cast<unsigned>(protocol)) & 1U) != 0;
  }
};

/// Returns why the tuner does not choose this algorithm; empty: it may. For an operation that is
/// tuned, and a group of at least two ranks.
std::string WhyOff(Operation operation, TunerAlgorithm algorithm, const TunerGroup& group,
                   const TunerRules& rules);
/// Returns why it does not choose this protocol of an algorithm that it may choose; empty: it may.
std::string WhyOff(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group,
                   const TunerRules& rules);

}  // namespace heddle
