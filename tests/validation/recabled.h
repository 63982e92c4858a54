// SPDX-License-Identifier: GPL-2.0-only
/// A case's fabric with its cables listed in another order.
///
/// The order numbers the ports and has no physical effect: differences come from ties between
/// events of one nanosecond at one switch. SimAI orders them by insertion, heddle by port
/// (docs/models/validation.md).
#pragma once

#include <cstdint>
#include <string>

#include "topology/graph/graph.h"

namespace heddle::testing {

/// `order` 0: the original order.
Graph Recabled(const std::string& name, std::uint32_t order);

}  // namespace heddle::testing
