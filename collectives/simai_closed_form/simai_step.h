// SPDX-License-Identifier: GPL-2.0-only
/// One training step as SimAI's analytical programs add it up: all rows one after the other.
///
/// Source: SimAI 1.6, Layer.cc (report). Kept are its defects: exposed times with 24
/// significant bits; gradients of inputs that overlap as the forward of their row does; a bubble of
/// all rows but those named embedding_layer, with communication before its overlap; sums that wrap
/// at 2^64.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/simai_closed_form/simai_groups.h"
#include "collectives/simai_closed_form/simai_ticks.h"
#include "core/traffic/raw_workload.h"

namespace heddle {

/// Shares of communication that are hidden. Not checked, as in SimAI.
struct SimaiOverlaps {
  float data = 0, tensor = 0, expert = 0, pipeline = 1;
};

struct SimaiPhase {
  SimaiTicks compute = 0, communication = 0, exposed = 0;
  float algorithm_bandwidth = 0, bus_bandwidth = 0;  ///< [2^30 byte/s]
};

/// One row of the workload.
struct SimaiRow {
  SimaiPhase forward, input_gradient, weight_gradient;
};

/// Sums [us].
struct SimaiStep {
  std::vector<SimaiRow> rows;                                ///< in the order of the workload
  double data = 0, data_expert = 0, tensor = 0, expert = 0;  ///< exposed communication
  double pipeline = 0, bubble = 0, compute = 0;
  double exposed = 0;  ///< of the four groups, without pipeline and bubble
  double total = 0;
};

using SimaiPrice = std::function<SimaiTicks(const SimaiCollective&)>;

/// What a step is made from, besides its workload.
struct SimaiStepInput {
  int gpus = 0;
  SimaiOverlaps overlaps;
  float pipeline_bandwidth = 1;  ///< [2^30 byte/s]; SimAI 1.6 takes overlaps.pipeline
  SimaiPrice price;
};

/// Adds up the step. `file`: the workload's. Throws UserError, with file and line, where SimAI
/// crashes, also in `price`. The workload has a size of tensor and pipeline groups.
SimaiStep AddUpSimaiStep(const RawWorkload& workload, const SimaiStepInput& input,
                         const std::string& file);

}  // namespace heddle
