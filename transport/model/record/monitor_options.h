// SPDX-License-Identifier: GPL-2.0-only
/// Options of the monitors: what they sample, from when and how often.
#pragma once

#include <string>

#include "core/base/sample_grid.h"
#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct MonitorOptions {
  bool queues = false, links = false, rates = false, cnps = false, pfc = false, cast = false;
  bool all = false;        ///< the kinds were asked for as `all`, not one by one
  bool on_change = false;  ///< queues, rates and CNPs at every change instead of at intervals
  Time start;              ///< MON_START
  // Between two samples; SampleGrid::kAutomatic: as the length of the run demands.
  Time queue_interval = SampleGrid::kAutomatic;
  Time link_interval = SampleGrid::kAutomatic;
  Time pair_interval = SampleGrid::kAutomatic;  ///< of rates and CNPs

  SampleGrid queue_grid() const { return {start, queue_interval}; }  ///< of queues
  SampleGrid link_grid() const { return {start, link_interval}; }    ///< of links
  SampleGrid pair_grid() const { return {start, pair_interval}; }    ///< of rates and CNPs

  /// Whether anything is sampled.
  bool any() const { return queues || links || rates || cnps || pfc || cast; }
  /// Returns a reason against replays if any monitor is on; else empty
  /// (transport/model/replay/replay_permission.h).
  std::string WhyNoReplay() const { return any() ? "monitors sample the links" : ""; }
  /// Adds monitor.*; intervals are 1 ns to 100 s, or automatic.
  void Declare(OptionSet* options);
};

}  // namespace heddle
