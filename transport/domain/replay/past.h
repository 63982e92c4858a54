// SPDX-License-Identifier: GPL-2.0-only
/// A past that is simulated again, while the present waits.
#pragma once

#include <functional>

#include "transport/domain/state/domain_state.h"

namespace heddle {

/// Calls body(), which runs events after `begin` (RunPast) with a queue of its own, and joins what
/// it leaves to the domain's. `again`: nobody is notified of anything.
void InPast(DomainState& state, Time begin, bool again, const std::function<void()>& body);

}  // namespace heddle
