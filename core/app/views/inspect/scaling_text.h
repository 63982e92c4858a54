// SPDX-License-Identifier: GPL-2.0-only
/// Forecasts of scaling as a table for people, and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "io/table/json_document.h"
#include "partition/cut_report.h"
#include "partition/scaling.h"

namespace heddle {

/// The assumptions of the forecasts.
struct ScalingBasis {
  const RunProfile& profile;
  const NetworkModel& network;
  double serial_seconds;  ///< predicted for one rank, for the profiled time of the run
  bool measured_weights;
};

constexpr double kWorthwhile = 0.7;  ///< efficiency below which another rank is hardly worth it

/// Returns whole lines: the assumptions, a row for each number of ranks, and what is worthwhile.
std::string ScalingTable(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts);
/// Returns the same figures for PartitionJson().
OrderedJson ScalingJson(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts);
/// Returns the figures of a partition, as ToText() of it has them.
OrderedJson ReportJson(const PartitionReport& report);

/// Returns the object of --json. Of the two parts one is null.
OrderedJson PartitionJson(OrderedJson forecast, OrderedJson report);

}  // namespace heddle
