// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's tuner: predicts how long a collective takes by every algorithm and protocol, and chooses
/// the shortest.
///
/// Source: NCCL 2.30, src/graph/tuning.cc. Predicted is latency + bytes / bandwidth
/// (tuner_latency.h, tuner_bandwidth.h). It knows nothing of the fabric between servers, of its
/// load, or of how the simulation sends messages, so that a simulated time is another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/tuner/tuner_algorithms.h"
#include "collectives/tuner/tuner_group.h"
#include "collectives/tuner/tuner_rules.h"

namespace heddle {

/// A collective as the tuner sees it.
struct TunerQuestion {
  Operation operation = Operation::kAllReduce;
  std::int64_t bytes = 0;  ///< of the full buffer
  TunerGroup group;        ///< of at least two ranks
};

struct TunerPrediction {
  double latency = 0;    ///< [us]
  double bandwidth = 0;  ///< bytes of the buffer [GB/s]
  double time = 0;       ///< [us]
};

/// Predicts an algorithm that does the operation, with a protocol that it has; whether it may be
/// chosen does not count.
TunerPrediction Predict(const TunerQuestion& question, TunerAlgorithm algorithm, Protocol protocol);

/// One algorithm with one protocol.
struct TunerEntry {
  TunerAlgorithm algorithm = TunerAlgorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  bool simulated = false;  ///< a run can take it
  std::string why_off;     ///< empty: the tuner may choose it
  TunerPrediction prediction;
};

/// Lists all algorithms that do the operation, with all protocols that they have, in NCCL's order.
std::vector<TunerEntry> Tune(const TunerQuestion& question, const TunerRules& rules);

/// Returns the index of the shortest entry that is not off, of equal ones the first;
/// `simulated_only`: that a run can take. None: there is no such entry.
std::optional<std::size_t> ShortestOf(const std::vector<TunerEntry>& entries, bool simulated_only);

}  // namespace heddle
