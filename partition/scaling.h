// SPDX-License-Identifier: GPL-2.0-only
/// Predicts the time of a profiled run on many ranks. Model, constants and omissions:
/// docs/models/scaling.md.
///
/// Every sampled window lasts as long as its slowest rank computes, packs and unpacks messages,
/// plus the time of the network. Windows follow one another, as all ranks take part in the
/// agreement at their edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partition/run_profile.h"

namespace heddle {

/// Cost of messages between ranks.
struct NetworkModel {
  double latency_seconds = 2e-6;   ///< of a small message
  double bytes_per_second = 10e9;  ///< of a rank's port, each direction
  /// Processor time for each batch that is sent or received.
  double batch_seconds = 0.5e-6;
  /// Processor time for each message that is sent or received: copies and look-ups.
  double message_seconds = 10e-9;
};

/// A prediction; times are for the profiled part of the run.
struct ScalingForecast {
  std::uint32_t ranks = 1, domains = 1;
  double partners = 0;  ///< ranks that the busiest rank sends to, in a mean window
  std::string partitioner;
  double imbalance = 1;  ///< largest load of a rank over the mean, all windows together
  /// Largest load over the mean in an average window: sum of the maxima over sum of the means.
  double window_imbalance = 1;
  double messages = 0;      ///< between ranks, in all windows
  double even_seconds = 0;  ///< work of all ranks over their number
  /// Cost of imbalance: the slowest rank's work of each window, above even_seconds.
  double waiting_seconds = 0;
  double message_seconds = 0;  ///< packing, unpacking and transfer
  double sync_seconds = 0;     ///< latency, and the agreement at the edges
  double seconds = 0;          ///< total of the above
  double speedup = 1, efficiency = 1;
  /// Returns the sum over windows of the largest load: a lower bound, without any cost of messages.
  double critical_seconds() const { return even_seconds + waiting_seconds; }
};

/// A partition whose time is to be predicted.
struct ScalingPlan {
  std::uint32_t ranks = 1;
  std::string partitioner = "block";
  std::uint64_t seed = 1;  ///< used by "random" only
  std::uint32_t grain = DomainOptions::kAutoGrain;
  Time contraction{0};            ///< DomainOptions::lookahead
  bool measured_weights = false;  ///< weights are the profile's costs instead of port rates
};

/// Throws UserError: more ranks than domains, a profile too coarse for the grain, or a profile of
/// another topology.
ScalingForecast Forecast(const RunProfile& profile, const Graph& graph, const ScalingPlan& plan,
                         const NetworkModel& network);

/// Powers of two from 2 to the largest with at least one domain a rank, 1,024 at most.
std::vector<std::uint32_t> RanksToTry(std::size_t domains);

/// Returns the forecast with the most ranks among those of at least this efficiency; null if there
/// is none.
const ScalingForecast* WorthIt(const std::vector<ScalingForecast>& forecasts, double efficiency);
/// Returns the forecast with the shortest time; null if there is none.
const ScalingForecast* Fastest(const std::vector<ScalingForecast>& forecasts);

}  // namespace heddle
