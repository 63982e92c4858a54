// SPDX-License-Identifier: GPL-2.0-only
/// Options of the central controller (docs/models/controller.md).
#ifndef HEDDLE_TRANSPORT_PATHS_CONTROLLER_OPTIONS_H_
#define HEDDLE_TRANSPORT_PATHS_CONTROLLER_OPTIONS_H_

#include <string>

#include "core/base/options.h"
#include "core/base/units.h"
#include "transport/paths/link_shares.h"

namespace heddle {

struct ControllerOptions {
  bool enabled = false;
  Time latency = MicroSeconds(1);  ///< of the control network, one way
  Time service;                    ///< that the controller works on one request
  ShareLimit share;                ///< what may be reserved of a link
  std::string fallback =
      "ecmp";       ///< where nothing is free: ecmp (the host's own port) or least-loaded
  std::string log;  ///< file for the path log (CSV); empty: none

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_PATHS_CONTROLLER_OPTIONS_H_
