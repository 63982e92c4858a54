// SPDX-License-Identifier: GPL-2.0-only
/// All keys that --set and a SimAI.conf know, whichever model they belong to.
#ifndef HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_
#define HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_

#include "collectives/choice/collective_options.h"
#include "core/base/options.h"
#include "transport/domain/transport_options.h"

namespace heddle {

/// All keys that there are, declared, with their defaults. Stays where it is, as the set points
/// into the two others.
struct AllOptions {
  AllOptions();
  AllOptions(const AllOptions&) = delete;
  AllOptions& operator=(const AllOptions&) = delete;

  TransportOptions transport;
  CollectiveOptions collectives;
  OptionSet options;  ///< bound to the two
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_ALL_OPTIONS_H_
