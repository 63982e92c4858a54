// SPDX-License-Identifier: GPL-2.0-only
/// How long a profiled run would take on many ranks. The model, its constants and what it leaves
/// out: docs/models/scaling.md.
///
/// Every sampled window lasts as long as its slowest rank computes, packs and unpacks messages, and
/// then for what the network needs; windows follow one another, as the agreement at their edges is
/// one of all ranks.
#ifndef HEDDLE_PARTITION_SCALING_H_
#define HEDDLE_PARTITION_SCALING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "partition/run_profile.h"

namespace heddle {

/// What messages cost between ranks.
struct NetworkModel {
  double latency_seconds = 2e-6;   ///< of a small message
  double bytes_per_second = 10e9;  ///< of a rank's port, each direction
  double batch_seconds =
      0.5e-6;  ///< of a processor, for each batch that leaves and each that comes
  double message_seconds =
      10e-9;  ///< of a processor, for each message that leaves and each that comes: copies, look-up
};

/// A prediction; times are those of the profiled part of the run.
struct ScalingForecast {
  std::uint32_t ranks = 1, domains = 1;
  double partners = 0;  ///< other ranks that the busiest has messages for, in a mean window
  std::string partitioner;
  double imbalance = 1;  ///< largest load of a rank over the mean, all windows together
  double window_imbalance =
      1;                ///< the same of an average window: sum of the largest over sum of the means
  double messages = 0;  ///< between ranks, all windows
  double even_seconds = 0;  ///< work of all ranks, evenly spread
  double waiting_seconds =
      0;  ///< the slowest rank's work of each window, above that: what imbalance costs
  double message_seconds = 0;  ///< packing, unpacking and transfer
  double sync_seconds = 0;     ///< latency, and the agreement at the edges
  double seconds = 0;          ///< all of these
  double speedup = 1, efficiency = 1;
  /// Sum over windows of the largest load: without any cost of messages it cannot be faster.
  double critical_seconds() const { return even_seconds + waiting_seconds; }
};

/// A way to spread a run.
struct ScalingPlan {
  std::uint32_t ranks = 1;
  std::string partitioner = "block";
  std::uint64_t seed = 1;  ///< of "random"
  std::uint32_t grain = DomainOptions::kAutoGrain;
  Time contraction{0};            ///< DomainOptions::lookahead
  bool measured_weights = false;  ///< the profile's costs instead of port rates
};

/// Throws UserError: more ranks than domains, a profile too coarse for the grain, or of another
/// topology.
ScalingForecast Forecast(const RunProfile& profile, const Graph& graph, const ScalingPlan& plan,
                         const NetworkModel& network);

/// Powers of two from 2 to the largest that has a domain a rank, 1,024 at most.
std::vector<std::uint32_t> RanksToTry(std::size_t domains);

/// The most ranks with this efficiency or more; null if none has.
const ScalingForecast* WorthIt(const std::vector<ScalingForecast>& forecasts, double efficiency);
/// The one with the shortest time; null if there is none.
const ScalingForecast* Fastest(const std::vector<ScalingForecast>& forecasts);

}  // namespace heddle

#endif  // HEDDLE_PARTITION_SCALING_H_
