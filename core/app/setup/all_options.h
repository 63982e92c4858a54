// SPDX-License-Identifier: GPL-2.0-only
/// All keys that --set and a SimAI.conf accept, of all models.
#ifndef HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_
#define HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_

#include "collectives/choice/collective_options.h"
#include "core/options/options.h"
#include "transport/state/transport_options.h"

namespace heddle {

/// All options with their defaults. Cannot be copied or moved, because `options` points into the
/// two other members.
struct AllOptions {
  AllOptions();
  AllOptions(const AllOptions&) = delete;
  AllOptions& operator=(const AllOptions&) = delete;

  TransportOptions transport;
  CollectiveOptions collectives;
  OptionSet options;  ///< bound to the two members above
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_
