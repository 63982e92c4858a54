// SPDX-License-Identifier: GPL-2.0-only
/// On which machines the ranks of a run are.
#ifndef HEDDLE_CORE_APP_RUN_RANK_HOSTS_H_
#define HEDDLE_CORE_APP_RUN_RANK_HOSTS_H_

#include <string>
#include <vector>

#include "core/mpi/communicator.h"

namespace heddle {

/// The name of each rank's machine, by rank, on every rank. Collective.
std::vector<std::string> RankHosts(const Communicator& world);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_RANK_HOSTS_H_
