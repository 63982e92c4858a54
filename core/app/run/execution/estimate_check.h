// SPDX-License-Identifier: GPL-2.0-only
/// A run's estimate and its memory, observed from before the input is read until the estimate can
/// be compared with the measured values.
#pragma once

#include <cstdint>

#include "core/app/run/estimate/memory_report.h"
#include "core/app/run/estimate/run_estimate.h"
#include "core/app/run/output/run_figures.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// One rank's side. Make it at the program's start.
class RunForecast {
 public:
  /// Estimates the run; fills in `source.before`. With `refuse`, throws SharedError (exit code 7)
  /// if a node has too little memory. Collective.
  void Estimate(const Communicator& world, EstimateSource source, bool refuse);
  const RunEstimate& estimate() const { return estimate_; }  ///< of Estimate(), empty before

  /// Call at each cut; `structures`: what is allocated now.
  void Watch(const MemoryAccount& structures) { memory_.Take(structures); }
  /// Call at the end: prints the errors of the estimate and, with `details`, the memory report; to
  /// standard output at the root unless `quiet`. Collective.
  EstimateError Report(const Communicator& world, const RunFigures& figures, bool quiet,
                       bool details) const;

 private:
  MemoryWatch memory_;
  RunEstimate estimate_;
};

}  // namespace heddle
