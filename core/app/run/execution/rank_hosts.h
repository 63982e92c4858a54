// SPDX-License-Identifier: GPL-2.0-only
/// On which machines the ranks of a run are.
#pragma once

#include <string>
#include <vector>

#include "core/mpi/communicator.h"

namespace heddle {

/// Returns the name of each rank's machine, by rank, on every rank. Collective.
std::vector<std::string> RankHosts(const Communicator& world);

}  // namespace heddle
