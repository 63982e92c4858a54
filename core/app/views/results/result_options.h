// SPDX-License-Identifier: GPL-2.0-only
/// The options of the run that made a result.
#pragma once

#include "core/app/run/setup/all_options.h"
#include "io/result/attribute_map.h"

namespace heddle {

/// Sets the values in force of the run that made a result, by its root attributes. Keys that this
/// program lacks are left out.
void TakeOptions(const AttributeMap& root, AllOptions* options);

}  // namespace heddle
