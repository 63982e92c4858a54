// SPDX-License-Identifier: GPL-2.0-only
/// Options of the monitors: what they sample, from when and how often.
#ifndef HEDDLE_TRANSPORT_RECORD_MONITOR_OPTIONS_H_
#define HEDDLE_TRANSPORT_RECORD_MONITOR_OPTIONS_H_

#include "core/base/options.h"
#include "core/base/units.h"

namespace heddle {

struct MonitorOptions {
  bool queues = false, links = false, rates = false, cnps = false, pfc = false;
  bool on_change = false;  ///< queues, rates and CNPs at every change instead of at intervals
  Time start;              ///< MON_START
  Time queue_interval = MicroSeconds(10000);
  Time link_interval = MicroSeconds(10000);
  Time pair_interval = MicroSeconds(100);  ///< interval of rates and CNPs

  bool any() const { return queues || links || rates || cnps || pfc; }
  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_RECORD_MONITOR_OPTIONS_H_
